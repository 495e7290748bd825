-- The same tables for traces of OpenHarmony and of Android, so that one query
-- works for both: for one trace of either, or for one trace with both machines.
--
-- On Android the frames are those that SurfaceFlinger recorded: an application's
-- SurfaceFrames, where the layers of one token are one frame, and SurfaceFlinger's
-- DisplayFrames, here called render frames. OpenHarmony's are those of ohos_frame: a
-- trace that was converted with --no-tracks has none.

INCLUDE PERFETTO MODULE ohos.frames;

INCLUDE PERFETTO MODULE ohos.fps;

INCLUDE PERFETTO MODULE ohos.jank;

INCLUDE PERFETTO MODULE ohos.stages;

-- Each slice of Android's frame timeline, those without an end included: their
-- duration is negative. part counts how often the token started anew: layers of one
-- frame start at most half a second apart, and SurfaceFlinger counts tokens from
-- the beginning after a restart.
CREATE OR REPLACE PERFETTO TABLE _ohos_android_layer AS
WITH
  slices AS (
    SELECT
      s.id,
      s.ts,
      s.dur,
      iif(s.surface_frame_token IS NULL, 'render', 'app') AS kind,
      s.upid,
      p.pid,
      p.name AS process_name,
      p.machine_id,
      s.name AS token,
      s.display_frame_token,
      s.present_type,
      s.on_time_finish = 0 AS is_unfinished,
      ', ' || s.jank_type || ', ' AS jank
    FROM actual_frame_timeline_slice AS s
    JOIN process AS p USING (upid)
    WHERE
      p.machine_id NOT IN (
        SELECT machine_id FROM _ohos_machine
      )
  ),
  gaps AS (
    SELECT
      *,
      kind = 'app'
      AND cast_int!(token) > 0
      AND ts - lag(ts) OVER (PARTITION BY upid, kind, token ORDER BY ts, id) <= 500000000 AS is_layer
    FROM slices
  )
SELECT
  *,
  sum(NOT coalesce(is_layer, FALSE)) OVER (PARTITION BY upid, kind, token ORDER BY ts, id) AS part,
  present_type = 'Dropped Frame' OR jank GLOB '*, Dropped Frame, *' AS is_dropped,
  jank GLOB '*, App Deadline Missed, *' AS is_app_late,
  jank GLOB '*, App Deadline Missed, *' OR jank GLOB '*, App Resynced Jitter, *' AS is_app_jank,
  jank GLOB '*, SurfaceFlinger CPU Deadline Missed, *' AS is_cpu_late,
  jank GLOB '*, SurfaceFlinger GPU Deadline Missed, *' AS is_gpu_late,
  jank GLOB '*, SurfaceFlinger Scheduling, *' AS is_misaligned,
  jank GLOB '*, Display HAL, *' AS is_display_hal,
  jank GLOB '*, Buffer Stuffing, *' OR jank GLOB '*, SurfaceFlinger Stuffing, *' AS is_stuffed,
  jank GLOB '*, Prediction Error, *' AS is_mispredicted,
  jank GLOB '*, Dropped Frame, *' AS is_dropped_jank,
  jank GLOB '*, Unknown Jank, *' AS is_unknown_jank
FROM gaps;

-- Android's frames: the layers of one token together. What is worst of any layer
-- counts, except that a frame is dropped only if all its layers are. Its expected
-- slice is that of the first frame with the token.
CREATE OR REPLACE PERFETTO TABLE _ohos_android_timeline_frame AS
WITH
  -- Each layer of a frame repeats it: the first counts.
  expected AS MATERIALIZED (
    SELECT
      id,
      min(ts) AS ts,
      dur,
      upid,
      name AS token,
      iif(surface_frame_token IS NULL, 'render', 'app') AS kind
    FROM expected_frame_timeline_slice
    WHERE
      dur > 0
      AND cast_int!(name) > 0
    GROUP BY
      upid,
      token,
      kind
  ),
  frame AS (
    SELECT
      min(id) AS id,
      min(ts) AS ts,
      iif(
        min(dur) >= 0,
        coalesce(max(iif(is_dropped, NULL, ts + dur)), max(ts + dur)) - min(ts),
        -1
      ) AS dur,
      kind,
      upid,
      pid,
      process_name,
      machine_id,
      token,
      part,
      display_frame_token,
      min(is_dropped) AS is_dropped,
      -- Of the layers that were shown, if any was.
      coalesce(max(iif(is_dropped, NULL, is_unfinished)), max(is_unfinished)) AS is_unfinished,
      max(NOT is_dropped AND present_type = 'Late Present') AS is_late_present,
      max(
        NOT is_dropped
        AND present_type IN ('Late Present', 'On-time Present', 'Early Present')
      ) AS is_present_known,
      max(is_app_late) AS is_app_late,
      max(is_cpu_late) AS is_cpu_late,
      max(is_gpu_late) AS is_gpu_late,
      max(is_misaligned) AS is_misaligned,
      max(is_app_jank)
      + 2 * max(is_cpu_late)
      + 4 * max(is_gpu_late)
      + 8 * max(is_misaligned)
      + 16 * max(is_display_hal)
      + 32 * max(is_stuffed)
      + 64 * max(is_mispredicted)
      + 128 * max(is_dropped_jank)
      + 256 * max(is_unknown_jank) AS causes
    FROM _ohos_android_layer
    GROUP BY
      upid,
      kind,
      token,
      part
  )
SELECT
  f.*,
  cast_int!(f.token) AS vsync_id,
  e.id AS expected_id,
  e.ts AS expected_ts,
  e.dur AS expected_dur,
  e.ts + e.dur AS deadline_ts
FROM frame AS f
LEFT JOIN expected AS e
  ON e.upid = f.upid
  AND e.token = f.token
  AND e.kind = f.kind
  AND f.part = 1;

-- The render frames that took the layers of application frames.
CREATE OR REPLACE PERFETTO TABLE _ohos_android_taken AS
WITH
  render AS MATERIALIZED (
    SELECT id, ts, dur, machine_id, display_frame_token
    FROM _ohos_android_timeline_frame
    WHERE
      kind = 'render'
      AND display_frame_token > 0
  ),
  -- Tokens come again after SurfaceFlinger has restarted: the next render frame
  -- with the token took the layer.
  candidate AS (
    SELECT
      f.id,
      iif(r.dur >= 0, r.id, NULL) AS render_id,
      r.ts AS render_ts,
      row_number() OVER (PARTITION BY l.id ORDER BY r.ts < f.ts, abs(r.ts - f.ts)) AS choice
    FROM _ohos_android_layer AS l
    JOIN _ohos_android_timeline_frame AS f
      ON f.upid = l.upid
      AND f.kind = l.kind
      AND f.token = l.token
      AND f.part = l.part
    JOIN render AS r
      ON r.machine_id = l.machine_id
      AND r.display_frame_token = l.display_frame_token
    WHERE
      l.kind = 'app'
      AND NOT l.is_dropped
      AND f.dur >= 0
  )
SELECT DISTINCT id, render_id, render_ts FROM candidate WHERE choice = 1;

-- Android's frames in the columns of ohos_frame.
CREATE OR REPLACE PERFETTO TABLE _ohos_android_frame AS
WITH
  -- Of several render frames that took layers, the last shows the whole frame.
  link AS MATERIALIZED (
    SELECT id, render_id, max(render_ts)
    FROM _ohos_android_taken
    GROUP BY
      id
  ),
  moved AS MATERIALIZED (
    SELECT DISTINCT link.render_id AS id
    FROM link
    JOIN _ohos_android_timeline_frame AS a USING (id)
    WHERE
      a.is_misaligned
  ),
  threads AS MATERIALIZED (
    SELECT min(utid) AS utid, upid, tid FROM thread GROUP BY upid, tid
  ),
  judged AS (
    SELECT
      t.*,
      -- on_time_finish is false also for what SurfaceFlinger could not judge, which
      -- has no known present type.
      CASE
        WHEN iif(kind = 'app', is_app_late, is_cpu_late OR is_gpu_late) THEN TRUE
        WHEN is_dropped THEN NULL
        WHEN NOT is_unfinished THEN FALSE
        WHEN is_present_known THEN TRUE
        WHEN kind = 'app' THEN ts + dur > deadline_ts
      END AS is_late,
      kind = 'render' AND is_gpu_late AND NOT is_cpu_late AS is_gpu_alone
    FROM _ohos_android_timeline_frame AS t
    WHERE
      dur >= 0
  )
SELECT
  j.id,
  j.ts,
  j.dur,
  j.kind,
  j.upid,
  threads.utid,
  j.pid,
  j.pid AS tid,
  j.process_name,
  iif(j.vsync_id > 0, j.vsync_id, NULL) AS vsync_id,
  j.expected_id,
  j.expected_ts,
  j.expected_dur,
  j.deadline_ts,
  j.ts + j.dur AS work_end_ts,
  iif(
    j.is_late,
    max(0, j.ts + j.dur - j.deadline_ts),
    iif(j.is_late IS NULL, NULL, min(0, j.ts + j.dur - j.deadline_ts))
  ) AS overrun_ns,
  NULL AS period_ns,
  j.is_late,
  iif(j.is_late IS NULL, NULL, j.is_late AND NOT j.is_gpu_alone) AS is_late_main,
  iif(j.is_late IS NULL, NULL, j.is_gpu_alone) AS is_late_gpu,
  FALSE AS is_empty,
  j.is_dropped,
  j.is_late_present,
  j.is_present_known,
  j.causes,
  j.is_misaligned OR moved.id IS NOT NULL AS is_misaligned,
  link.render_id,
  iif(j.kind = 'render' AND NOT j.is_dropped, j.ts + j.dur, NULL) AS present_ts
FROM judged AS j
LEFT JOIN threads
  ON threads.upid = j.upid
  AND threads.tid = j.pid
LEFT JOIN link
  ON link.id = j.id
LEFT JOIN moved
  ON moved.id = j.id
ORDER BY
  j.id;

-- The columns that frames of both systems have.
CREATE OR REPLACE PERFETTO MACRO _ohos_common_frame(
  frames TableOrSubquery,
  system Expr,
  is_dropped Expr
)
RETURNS TableOrSubquery
AS (
  SELECT
    id,
    $system AS system,
    ts,
    dur,
    kind,
    upid,
    utid,
    pid,
    tid,
    process_name,
    vsync_id,
    expected_id,
    expected_ts,
    expected_dur,
    deadline_ts,
    work_end_ts,
    overrun_ns,
    period_ns,
    is_late,
    is_late_main,
    is_late_gpu,
    is_empty,
    is_misaligned,
    $is_dropped AS is_dropped,
    render_id,
    present_ts
  FROM $frames
);

-- All frames that begin and end within the trace, of either system.
CREATE OR REPLACE PERFETTO VIEW ohos_or_android_frame(
  -- The frame's slice on its process's Actual Timeline.
  id ID(slice.id),
  -- 'ohos' or 'android'.
  system STRING,
  -- When work on the frame began.
  ts TIMESTAMP,
  -- How long it took. Android's render frames last until they are shown.
  dur DURATION,
  -- 'app' for an application's frame, 'render' for one of render_service or
  -- SurfaceFlinger.
  kind STRING,
  -- The process whose frame it is.
  upid JOINID(process.id),
  -- The thread that made it; on Android the main thread.
  utid JOINID(thread.id),
  -- The process's id in the system.
  pid LONG,
  -- The thread's id in the system.
  tid LONG,
  -- The process's name.
  process_name STRING,
  -- The vsync's number.
  vsync_id LONG,
  -- The frame's slice on the Expected Timeline.
  expected_id JOINID(slice.id),
  -- When the frame should have begun.
  expected_ts TIMESTAMP,
  -- How long it should have taken.
  expected_dur DURATION,
  -- When it should have been done.
  deadline_ts TIMESTAMP,
  -- When it was done.
  work_end_ts TIMESTAMP,
  -- From the deadline to the end: negative for a frame on time. NULL if unknown.
  overrun_ns DURATION,
  -- The display's refresh period. Not known on Android.
  period_ns DURATION,
  -- Not done by its deadline: on Android, SurfaceFlinger's own verdict. NULL if
  -- that is not known.
  is_late BOOL,
  -- On its thread. NULL if that is unknown.
  is_late_main BOOL,
  -- On the GPU, and there alone on Android. Only of render frames. NULL if that is
  -- unknown.
  is_late_gpu BOOL,
  -- It made nothing to show. False on Android.
  is_empty BOOL,
  -- The application frame was picked up on another vsync than it was made for; on
  -- Android the jank type SurfaceFlinger Scheduling. Both frames have this fact.
  is_misaligned BOOL,
  -- Never shown. False on OpenHarmony, which does not report it.
  is_dropped BOOL,
  -- The render frame that picked up an application frame.
  render_id JOINID(slice.id),
  -- When the display showed a render frame.
  present_ts TIMESTAMP
)
AS
SELECT * FROM _ohos_common_frame!(ohos_frame, 'ohos', FALSE)
UNION ALL
SELECT * FROM _ohos_common_frame!(_ohos_android_frame, 'android', is_dropped);

-- Whole frames of either system, from the application's vsync to the end of
-- rendering.
CREATE OR REPLACE PERFETTO VIEW ohos_or_android_whole_frame(
  -- The application frame.
  id ID(slice.id),
  -- 'ohos' or 'android'.
  system STRING,
  -- The render frame. NULL for a frame that was dropped.
  render_id JOINID(slice.id),
  -- On OpenHarmony done or picked up late. On Android the present type decides:
  -- Late Present and dropped frames are late, On-time and Early Present are not;
  -- where it is not known, whether the actual end is after the expected end. NULL
  -- if that is not known either.
  is_late BOOL,
  -- The causes of a late frame, separated by a comma and a space, else NULL:
  -- 'application', 'render_cpu', 'render_gpu', 'pick_up', 'display_hal',
  -- 'buffer_stuffing', 'prediction_error', 'dropped', 'unknown'. Only Android has
  -- several, and the last five.
  blame STRING
)
AS
WITH
  pair AS (
    SELECT
      a.id,
      r.id AS render_id,
      a.is_dropped,
      CASE
        WHEN a.is_dropped THEN TRUE
        WHEN a.is_present_known THEN a.is_late_present
        ELSE r.work_end_ts > r.expected_ts + r.expected_dur
      END AS is_late,
      a.is_late AS is_app_late,
      r.is_late_main,
      r.is_late_gpu,
      a.is_misaligned
      AND iif(
        a.expected_dur IS NOT NULL,
        coalesce(r.expected_ts, 0) > a.expected_ts + a.expected_dur,
        r.ts > a.ts + a.dur
      ) AS is_picked_up_late,
      a.causes,
      r.causes AS render_causes
    FROM _ohos_android_frame AS a
    LEFT JOIN _ohos_android_frame AS r
      ON r.id = a.render_id
    WHERE
      a.kind = 'app'
      AND (a.is_dropped OR r.id IS NOT NULL)
  ),
  judged AS (
    SELECT
      id,
      render_id,
      is_late,
      CASE
        WHEN NOT coalesce(is_late, FALSE) THEN 0
        WHEN is_dropped THEN causes | 128
        WHEN causes & ~128 != 0 THEN causes & ~128
        WHEN render_causes != 0 THEN render_causes
        WHEN is_app_late THEN 1
        WHEN is_late_main THEN 2
        WHEN is_late_gpu THEN 4
        WHEN is_picked_up_late THEN 8
        ELSE 256
      END AS causes
    FROM pair
  )
SELECT id, 'ohos' AS system, render_id, is_late, blame
FROM ohos_whole_frame
UNION ALL
SELECT
  id,
  'android' AS system,
  render_id,
  is_late,
  nullif(
    rtrim(
      iif(causes & 1, 'application, ', '')
      || iif(causes & 2, 'render_cpu, ', '')
      || iif(causes & 4, 'render_gpu, ', '')
      || iif(causes & 8, 'pick_up, ', '')
      || iif(causes & 16, 'display_hal, ', '')
      || iif(causes & 32, 'buffer_stuffing, ', '')
      || iif(causes & 64, 'prediction_error, ', '')
      || iif(causes & 128, 'dropped, ', '')
      || iif(causes & 256, 'unknown, ', ''),
      ', '
    ),
    ''
  ) AS blame
FROM judged;

-- How many whole frames of each process were late, by cause: of an application its
-- own frames, of render_service and SurfaceFlinger all those that they finished.
CREATE OR REPLACE PERFETTO TABLE ohos_or_android_blame(
  -- 'ohos' or 'android'.
  system STRING,
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- The whole frames that are known to be late or on time.
  judged LONG,
  -- The late ones. On Android a frame can have several of the causes that follow.
  late LONG,
  -- The application missed its deadline.
  application LONG,
  -- The main thread of render_service or SurfaceFlinger missed its own.
  render_cpu LONG,
  -- Its GPU work did.
  render_gpu LONG,
  -- The frame was taken on a later vsync.
  pick_up LONG,
  -- All work was done on time, and the display showed it late.
  display_hal LONG,
  -- The frame waited behind earlier ones.
  buffer_stuffing LONG,
  -- The display's vsyncs drifted from the prediction.
  prediction_error LONG,
  -- The frame was never shown.
  dropped LONG,
  -- The trace gives no cause.
  unknown LONG
)
AS
WITH
  whole AS MATERIALIZED (
    SELECT id AS frame_id, is_late, ', ' || blame || ', ' AS blame
    FROM ohos_or_android_whole_frame
    WHERE
      system = 'android'
    UNION ALL
    SELECT render_id AS frame_id, is_late, ', ' || blame || ', ' AS blame
    FROM ohos_or_android_whole_frame
    WHERE
      system = 'android'
      AND render_id IS NOT NULL
  )
SELECT
  'ohos' AS system,
  kind,
  upid,
  pid,
  process_name,
  judged,
  late,
  application,
  render_cpu,
  render_gpu,
  pick_up,
  0 AS display_hal,
  0 AS buffer_stuffing,
  0 AS prediction_error,
  0 AS dropped,
  0 AS unknown
FROM ohos_blame
UNION ALL
SELECT
  'android' AS system,
  f.kind,
  f.upid,
  f.pid,
  f.process_name,
  count(w.is_late) AS judged,
  coalesce(sum(w.is_late), 0) AS late,
  coalesce(sum(w.blame GLOB '*, application, *'), 0) AS application,
  coalesce(sum(w.blame GLOB '*, render_cpu, *'), 0) AS render_cpu,
  coalesce(sum(w.blame GLOB '*, render_gpu, *'), 0) AS render_gpu,
  coalesce(sum(w.blame GLOB '*, pick_up, *'), 0) AS pick_up,
  coalesce(sum(w.blame GLOB '*, display_hal, *'), 0) AS display_hal,
  coalesce(sum(w.blame GLOB '*, buffer_stuffing, *'), 0) AS buffer_stuffing,
  coalesce(sum(w.blame GLOB '*, prediction_error, *'), 0) AS prediction_error,
  coalesce(sum(w.blame GLOB '*, dropped, *'), 0) AS dropped,
  coalesce(sum(w.blame GLOB '*, unknown, *'), 0) AS unknown
FROM _ohos_android_frame AS f
LEFT JOIN whole AS w
  ON w.frame_id = f.id
GROUP BY
  f.kind,
  f.upid
ORDER BY
  kind,
  upid;

-- How smooth each process was, on either system.
CREATE OR REPLACE PERFETTO TABLE ohos_or_android_process(
  -- 'ohos' or 'android'.
  system STRING,
  -- 'app', or 'render' for render_service and SurfaceFlinger.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Number of frames.
  frames LONG,
  -- Number of frames that are known to be late or on time.
  judged LONG,
  -- Number of late frames.
  late LONG,
  -- late / judged, 0 to 1.
  jank_rate DOUBLE,
  -- The most late frames in a row on one thread.
  longest_streak LONG,
  -- The event that counts as shown: 'present', 'commit'
  -- or 'render_start'.
  fps_event STRING,
  -- Frames shown per second, idle time included.
  fps_all DOUBLE,
  -- Half of the frames took at most so long. As the other percentiles by nearest
  -- rank.
  p50_ns DURATION,
  -- 90 of 100 did.
  p90_ns DURATION,
  -- 95 of 100 did. NULL for fewer than 20 frames.
  p95_ns DURATION,
  -- 99 of 100 did. NULL for fewer than 100 frames.
  p99_ns DURATION,
  -- The longest.
  max_ns DURATION
)
AS
WITH
  -- Late frames in a row on one thread. Frames are left out if it is not known whether they
  -- were late.
  numbered AS (
    SELECT
      kind,
      upid,
      tid,
      is_late,
      sum(NOT is_late) OVER (PARTITION BY kind, upid, tid ORDER BY ts, vsync_id, work_end_ts) AS in_time_before
    FROM _ohos_android_frame
    WHERE
      is_late IS NOT NULL
  ),
  streak AS MATERIALIZED (
    SELECT kind, upid, max(frames) AS frames
    FROM (
      SELECT kind, upid, count() AS frames
      FROM numbered
      WHERE
        is_late
      GROUP BY
        kind,
        upid,
        tid,
        in_time_before
    )
    GROUP BY
      kind,
      upid
  ),
  -- The render frames that showed something of a process.
  shown AS MATERIALIZED (
    SELECT kind, upid, ts, present_ts
    FROM _ohos_android_frame
    WHERE
      kind = 'render'
    UNION ALL
    SELECT 'app' AS kind, a.upid, r.ts, r.present_ts
    FROM _ohos_android_taken AS t
    JOIN _ohos_android_frame AS a USING (id)
    JOIN _ohos_android_frame AS r
      ON r.id = t.render_id
  ),
  -- Frames that were shown at the same time count once.
  counted AS (
    SELECT
      1 AS choice,
      'present' AS event,
      kind,
      upid,
      count(DISTINCT present_ts) AS frames,
      max(present_ts) - min(present_ts) AS dur
    FROM shown
    GROUP BY
      kind,
      upid
    UNION ALL
    SELECT
      2 AS choice,
      'render_start' AS event,
      kind,
      upid,
      count(DISTINCT ts) AS frames,
      max(ts) - min(ts) AS dur
    FROM shown
    GROUP BY
      kind,
      upid
  ),
  rate AS MATERIALIZED (
    SELECT kind, upid, min(choice), event, (frames - 1) * 1e9 / dur AS fps_all
    FROM counted
    WHERE
      frames >= 2
    GROUP BY
      kind,
      upid
  ),
  ranked AS (
    SELECT
      kind,
      upid,
      dur,
      row_number() OVER (PARTITION BY kind, upid ORDER BY dur) AS rank,
      count() OVER (PARTITION BY kind, upid) AS frames
    FROM _ohos_android_frame
    WHERE
      NOT is_dropped
  ),
  -- Percentiles by nearest rank: the P-th of n durations in order is number P * n / 100,
  -- rounded up.
  duration AS MATERIALIZED (
    SELECT
      kind,
      upid,
      max(iif(rank = (50 * frames + 99) / 100, dur, NULL)) AS p50_ns,
      max(iif(rank = (90 * frames + 99) / 100, dur, NULL)) AS p90_ns,
      max(iif(frames >= 20 AND rank = (95 * frames + 99) / 100, dur, NULL)) AS p95_ns,
      max(iif(frames >= 100 AND rank = (99 * frames + 99) / 100, dur, NULL)) AS p99_ns,
      max(dur) AS max_ns
    FROM ranked
    GROUP BY
      kind,
      upid
  ),
  counts AS (
    SELECT
      kind,
      upid,
      pid,
      process_name,
      count() AS frames,
      count(is_late) AS judged,
      coalesce(sum(is_late), 0) AS late,
      avg(is_late) AS jank_rate
    FROM _ohos_android_frame
    GROUP BY
      kind,
      upid
  )
SELECT
  'ohos' AS system,
  kind,
  upid,
  j.pid,
  j.process_name,
  j.frames,
  j.judged,
  j.late,
  j.jank_rate,
  j.longest_streak,
  f.event AS fps_event,
  f.fps_all,
  d.p50_ns,
  d.p90_ns,
  d.p95_ns,
  d.p99_ns,
  d.max_ns
FROM ohos_jank AS j
LEFT JOIN ohos_frame_duration AS d USING (kind, upid)
LEFT JOIN ohos_fps AS f USING (kind, upid)
UNION ALL
SELECT
  'android' AS system,
  kind,
  upid,
  c.pid,
  c.process_name,
  c.frames,
  c.judged,
  c.late,
  c.jank_rate,
  coalesce(s.frames, iif(c.judged > 0, 0, NULL)) AS longest_streak,
  r.event AS fps_event,
  r.fps_all,
  d.p50_ns,
  d.p90_ns,
  d.p95_ns,
  d.p99_ns,
  d.max_ns
FROM counts AS c
LEFT JOIN duration AS d USING (kind, upid)
LEFT JOIN streak AS s USING (kind, upid)
LEFT JOIN rate AS r USING (kind, upid)
ORDER BY
  kind,
  upid;
