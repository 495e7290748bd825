-- The same tables for traces of OpenHarmony and of Android, so that one query
-- runs on both: on each by itself, or on one trace that holds both machines.
--
-- On Android the frames are those that SurfaceFlinger recorded: an application's
-- SurfaceFrames, of which each layer has its own, and SurfaceFlinger's
-- DisplayFrames, here called render frames. Their jank types say more than is
-- told here: see android.frames.jank_type.

INCLUDE PERFETTO MODULE ohos.frames;

INCLUDE PERFETTO MODULE ohos.fps;

INCLUDE PERFETTO MODULE ohos.jank;

INCLUDE PERFETTO MODULE ohos.stages;

-- What Android's frame timeline says of each frame, those without an end
-- included: their duration is negative.
CREATE PERFETTO TABLE _ohos_android_timeline_frame AS
WITH
  -- Layers of one frame repeat it: the first counts.
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
  )
SELECT
  s.id,
  s.ts,
  s.dur,
  iif(s.surface_frame_token IS NULL, 'render', 'app') AS kind,
  s.upid,
  p.pid,
  p.name AS process_name,
  p.machine_id,
  cast_int!(s.name) AS vsync_id,
  s.display_frame_token,
  e.id AS expected_id,
  e.ts AS expected_ts,
  e.dur AS expected_dur,
  e.ts + e.dur AS deadline_ts,
  s.present_type = 'Dropped Frame' AS is_dropped,
  s.on_time_finish = 0 AS is_unfinished,
  s.jank_type GLOB '*App Deadline Missed*' AS is_app_late,
  s.jank_type GLOB '*SurfaceFlinger CPU Deadline Missed*' AS is_cpu_late,
  s.jank_type GLOB '*SurfaceFlinger GPU Deadline Missed*' AS is_gpu_late,
  s.jank_type GLOB '*SurfaceFlinger Scheduling*' AS is_misaligned
FROM actual_frame_timeline_slice AS s
JOIN process AS p USING (upid)
LEFT JOIN expected AS e
  ON e.upid = s.upid
  AND e.token = s.name
  AND e.kind = iif(s.surface_frame_token IS NULL, 'render', 'app')
  AND s.prediction_type IN ('Valid Prediction', 'Unspecified Prediction')
WHERE
  p.machine_id NOT IN (
    SELECT machine_id FROM _ohos_machine
  );

-- Android's frames in the columns of ohos_frame.
CREATE PERFETTO TABLE _ohos_android_frame AS
WITH
  render AS MATERIALIZED (
    SELECT id, ts, dur, machine_id, display_frame_token
    FROM _ohos_android_timeline_frame
    WHERE
      kind = 'render'
      AND display_frame_token > 0
  ),
  -- Tokens come again when SurfaceFlinger is started anew: then it was the next
  -- that took the frame.
  candidate AS (
    SELECT
      a.id,
      iif(r.dur >= 0, r.id, NULL) AS render_id,
      row_number() OVER (PARTITION BY a.id ORDER BY r.ts < a.ts, abs(r.ts - a.ts)) AS choice
    FROM _ohos_android_timeline_frame AS a
    JOIN render AS r USING (machine_id, display_frame_token)
    WHERE
      a.kind = 'app'
      AND NOT a.is_dropped
  ),
  link AS MATERIALIZED (SELECT id, render_id FROM candidate WHERE choice = 1),
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
      NOT is_dropped
      AND deadline_ts IS NOT NULL
      AND (is_unfinished OR iif(kind = 'app', is_app_late, is_cpu_late OR is_gpu_late)) AS is_late,
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
  j.ts + j.dur AS end_ts,
  iif(j.is_late, j.ts + j.dur - j.deadline_ts, 0) AS overrun,
  NULL AS period,
  j.is_late,
  j.is_late AND NOT j.is_gpu_alone AS is_late_main,
  j.is_late AND j.is_gpu_alone AS is_late_gpu,
  FALSE AS is_empty,
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

-- All frames that begin and end within the trace, of either system.
CREATE PERFETTO TABLE ohos_or_android_frame(
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
  end_ts TIMESTAMP,
  -- By how much a late frame missed its deadline, else zero.
  overrun DURATION,
  -- The display's refresh period. Not known on Android.
  period DURATION,
  -- Not done by its deadline: on Android, SurfaceFlinger's own verdict.
  is_late BOOL,
  -- On its thread.
  is_late_main BOOL,
  -- On the GPU, and there alone on Android. Only of render frames.
  is_late_gpu BOOL,
  -- It made nothing to show. False on Android.
  is_empty BOOL,
  -- The application frame was taken on another vsync than it was made for; on
  -- Android the jank type SurfaceFlinger Scheduling. Holds of both frames.
  is_misaligned BOOL,
  -- The render frame that took an application frame.
  render_id JOINID(slice.id),
  -- When the display showed a render frame.
  present_ts TIMESTAMP
)
AS
SELECT
  id,
  'ohos' AS system,
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
  end_ts,
  overrun,
  period,
  is_late,
  is_late_main,
  is_late_gpu,
  is_empty,
  is_misaligned,
  render_id,
  present_ts
FROM ohos_frame
UNION ALL
SELECT
  id,
  'android' AS system,
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
  end_ts,
  overrun,
  period,
  is_late,
  is_late_main,
  is_late_gpu,
  is_empty,
  is_misaligned,
  render_id,
  present_ts
FROM _ohos_android_frame
ORDER BY
  id;

-- The render frames that showed something of a process, of either system.
CREATE PERFETTO VIEW _ohos_or_android_shown_frame AS
SELECT kind, upid, render_id, ts, commit_ts, present_ts
FROM ohos_shown_frame
UNION ALL
SELECT 'render' AS kind, upid, id AS render_id, ts, NULL AS commit_ts, present_ts
FROM _ohos_android_frame
WHERE
  kind = 'render'
UNION ALL
SELECT 'app' AS kind, a.upid, r.id AS render_id, r.ts, NULL AS commit_ts, r.present_ts
FROM _ohos_android_frame AS a
JOIN _ohos_android_frame AS r
  ON r.id = a.render_id;

-- How smooth each process was, on either system.
CREATE PERFETTO TABLE ohos_or_android_process(
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
  -- How many frames it made.
  frames LONG,
  -- Of how many it is known when they should have been done.
  with_deadline LONG,
  -- How many were late.
  late LONG,
  -- late / with_deadline, 0 to 1.
  jank_rate DOUBLE,
  -- The most late frames in a row on one thread.
  longest_streak LONG,
  -- What is taken for the moment at which a frame was shown: 'present', 'commit'
  -- or 'render_start'.
  fps_event STRING,
  -- Frames shown a second.
  fps DOUBLE,
  -- Half of the frames took at most so long. As the other percentiles by nearest
  -- rank.
  p50 DURATION,
  -- 90 of 100 did.
  p90 DURATION,
  -- 95 of 100 did.
  p95 DURATION,
  -- 99 of 100 did.
  p99 DURATION,
  -- The longest.
  max DURATION
)
AS
WITH
  streak AS MATERIALIZED (
    SELECT kind, upid, max(frames) AS frames
    FROM _ohos_late_streak!(ohos_or_android_frame)
    GROUP BY
      kind,
      upid
  ),
  rate AS MATERIALIZED (SELECT * FROM _ohos_fps!(_ohos_or_android_shown_frame)),
  duration AS MATERIALIZED (SELECT * FROM _ohos_duration!(ohos_or_android_frame)),
  system AS MATERIALIZED (SELECT DISTINCT upid, system FROM ohos_or_android_frame)
SELECT
  system.system,
  j.kind,
  j.upid,
  j.pid,
  j.process_name,
  j.frames,
  j.with_deadline,
  j.late,
  j.jank_rate,
  coalesce(streak.frames, 0) AS longest_streak,
  rate.event AS fps_event,
  rate.fps,
  duration.p50,
  duration.p90,
  duration.p95,
  duration.p99,
  duration.max
FROM _ohos_jank!(ohos_or_android_frame) AS j
JOIN system USING (upid)
JOIN duration USING (kind, upid)
LEFT JOIN streak USING (kind, upid)
LEFT JOIN rate USING (kind, upid)
ORDER BY
  j.kind,
  j.upid;
