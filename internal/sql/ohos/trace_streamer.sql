-- Tables with the names and columns of trace_streamer, the parser of OpenHarmony's SmartPerf,
-- so that queries for its databases run on converted traces.
--
-- Tables that Perfetto does not have, and two that nothing else in Perfetto reads on such
-- traces, have trace_streamer's names: frame_slice and gpu_slice replace Perfetto's views. A
-- query that reads other tables, such as process and thread, runs within
-- ohos_trace_streamer.
--
-- ipid is Perfetto's upid, itid is utid, and callstack_id is the id of a slice. The numbers are
-- those of ohos_frame: times of vsyncs are trace times, where trace_streamer has CLOCK_MONOTONIC.

INCLUDE PERFETTO MODULE ohos.frames;

-- A row of frame_slice for each frame, without the expected interval. A worker's frame begins
-- with OnVsyncEvent here.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_frame AS
WITH
  frame AS MATERIALIZED (
    SELECT
      id,
      upid,
      utid,
      vsync_id,
      ts,
      work_end_ts,
      expected_ts,
      expected_dur,
      flag,
      render_id,
      gpu_ts,
      gpu_dur,
      (
        SELECT s.id
        FROM slice AS s
        CROSS JOIN thread_track AS t
          ON t.id = s.track_id
        WHERE
          s.ts >= f.ts
          AND s.ts <= iif(f.tid = f.pid, f.ts, f.ts + f.dur)
          AND t.utid = f.utid
          AND s.name GLOB iif(f.tid = f.pid, '*ReceiveVsync*', '*OnVsyncEvent*')
        ORDER BY
          s.ts
        LIMIT 1
      ) AS callstack_id
    FROM ohos_frame AS f
    WHERE
      f.framework IS NULL
  ),
  begun AS (
    SELECT
      f.*,
      coalesce(s.ts, f.ts) AS begin_ts,
      expected_dur IS NOT NULL AS has_expected
    FROM frame AS f
    LEFT JOIN slice AS s
      ON s.id = f.callstack_id
  )
SELECT
  sum(1 + has_expected) OVER (ORDER BY begin_ts, coalesce(callstack_id, id) ROWS UNBOUNDED PRECEDING)
    - has_expected - 1 AS row,
  -- The name of its slices on tracks.
  coalesce(vsync_id, (SELECT cast_int!(name) FROM slice WHERE slice.id = begun.id)) AS label,
  *
FROM begun;

-- The render frames that applied transactions of an application frame.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_link AS
SELECT id, render_id FROM ohos_frame WHERE render_id IS NOT NULL
UNION
SELECT f.id, r.id AS render_id
FROM _ohos_frame AS f
JOIN args AS a
  ON a.arg_set_id = f.arg_set_id
  AND +a.flat_key = 'debug.also_taken_by'
JOIN _ohos_render AS r
  ON r.display_frame_token = a.int_value
  AND +r.machine_id = f.machine_id
WHERE
  extract_arg(f.arg_set_id, 'debug.also_taken_by[0]') IS NOT NULL;

-- The intervals of frames: two rows for a frame of a main thread, one for a frame of another
-- thread.
CREATE OR REPLACE PERFETTO VIEW frame_slice(
  -- The row, from 0, in order of the begin of frames.
  id LONG,
  -- The same.
  rowid LONG,
  -- When the frame began, or should have begun.
  ts TIMESTAMP,
  -- The vsync's number.
  vsync LONG,
  -- The process.
  ipid JOINID(process.id),
  -- The thread.
  itid JOINID(thread.id),
  -- The slice that begins the frame, in callstack.
  callstack_id JOINID(slice.id),
  -- How long the frame took, with its work on the GPU, or should have taken.
  dur DURATION,
  -- The rows of the application frames that a render frame took, separated by commas.
  src STRING,
  -- The row of the render frame that took the last transaction of an application frame.
  dst LONG,
  -- 0: the frame, 1: what was expected.
  type LONG,
  -- 'actural' (as trace_streamer spells it) or 'expect'.
  type_desc STRING,
  -- Of a frame 0, 1: late, 2: empty, 3: misaligned, NULL if it is unknown whether it is empty
  -- and nothing else applies. Of what was expected 2 if the frame is empty, else NULL.
  flag LONG,
  -- The line in a drawing without overlaps, by process and type.
  depth LONG,
  -- 0.
  frame_no LONG
)
AS
WITH
  frame AS MATERIALIZED (
    SELECT * FROM _ohos_ts_frame
  ),
  link AS MATERIALIZED (
    SELECT
      l.render_id,
      group_concat(a.row, ',' ORDER BY a.row) AS src,
      group_concat(iif(a.has_expected, a.row + 1, NULL), ',' ORDER BY a.row) AS expected_src
    FROM _ohos_ts_link AS l
    JOIN frame AS a USING (id)
    GROUP BY
      l.render_id
  ),
  slices AS (
    SELECT
      f.row AS id,
      f.begin_ts AS ts,
      f.vsync_id AS vsync,
      f.upid AS ipid,
      f.utid AS itid,
      f.callstack_id,
      f.work_end_ts - f.begin_ts AS dur,
      coalesce(l.src, '') AS src,
      r.row AS dst,
      0 AS type,
      'actural' AS type_desc,
      f.flag
    FROM frame AS f
    LEFT JOIN frame AS r
      ON r.id = f.render_id
    LEFT JOIN link AS l
      ON l.render_id = f.id
    UNION ALL
    SELECT
      f.row + 1 AS id,
      f.expected_ts AS ts,
      f.vsync_id AS vsync,
      f.upid AS ipid,
      f.utid AS itid,
      f.callstack_id,
      f.expected_dur AS dur,
      coalesce(l.expected_src, '') AS src,
      iif(r.has_expected, r.row + 1, NULL) AS dst,
      1 AS type,
      'expect' AS type_desc,
      iif(f.flag = 2, 2, NULL) AS flag
    FROM frame AS f
    LEFT JOIN frame AS r
      ON r.id = f.render_id
    LEFT JOIN link AS l
      ON l.render_id = f.id
    WHERE
      f.has_expected
  )
SELECT
  id,
  id AS rowid,
  ts,
  vsync,
  ipid,
  itid,
  callstack_id,
  dur,
  src,
  dst,
  type,
  type_desc,
  flag,
  -- A line is free again after the end, not at the end.
  iif(
    flag IS 2,
    0,
    internal_layout(ts, dur + 1) OVER (PARTITION BY ipid, type, flag IS 2 ORDER BY ts ROWS UNBOUNDED PRECEDING)
  ) AS depth,
  0 AS frame_no
FROM slices;

-- The application frames that render frames took.
CREATE OR REPLACE PERFETTO VIEW frame_maps(
  -- The row, from 0, in order of the render frames.
  id LONG,
  -- The application frame's row in frame_slice.
  src_row LONG,
  -- The render frame's row in frame_slice, of the same type.
  dst_row LONG
)
AS
WITH
  frame AS MATERIALIZED (
    SELECT * FROM _ohos_ts_frame
  ),
  pair AS (
    SELECT a.row AS src_row, r.row AS dst_row, a.has_expected AND r.has_expected AS has_expected
    FROM _ohos_ts_link AS l
    JOIN frame AS a USING (id)
    JOIN frame AS r
      ON r.id = l.render_id
  ),
  both AS (
    SELECT src_row, dst_row FROM pair
    UNION ALL
    SELECT src_row + 1, dst_row + 1 FROM pair WHERE has_expected
  )
SELECT
  row_number() OVER (ORDER BY dst_row, src_row) - 1 AS id,
  src_row,
  dst_row
FROM both;

-- The work of render frames on the GPU.
CREATE OR REPLACE PERFETTO VIEW gpu_slice(
  -- The row, from 0, in order of the ends.
  id LONG,
  -- The render frame's row in frame_slice.
  frame_row LONG,
  -- How long the GPU worked.
  dur DURATION
)
AS
WITH
  frame AS MATERIALIZED (
    SELECT row, upid, label, gpu_ts, gpu_dur FROM _ohos_ts_frame WHERE gpu_ts IS NOT NULL
  )
SELECT
  row_number() OVER (ORDER BY s.ts + s.dur, s.id) - 1 AS id,
  f.row AS frame_row,
  s.dur
FROM process_track AS t
CROSS JOIN slice AS s
  ON s.track_id = t.id
CROSS JOIN frame AS f
  -- Without the addition, SQLite would make no index for the search.
  ON f.label = cast_int!(s.name) + 0
  AND +f.upid = t.upid
WHERE
  t.name = 'GPU (Frame queued)'
  AND t.type IN ('process_track_event', 'process_merged_track_event')
  AND s.ts BETWEEN +f.gpu_ts AND f.gpu_ts + f.gpu_dur;

-- The texts that begin asynchronous slices with a track.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_begin AS
SELECT e.ts, extract_arg(e.arg_set_id, 'buf') AS buf
FROM ftrace_event AS e
WHERE
  e.name = 'print'
  AND extract_arg(e.arg_set_id, 'buf') GLOB 'G|*';

-- Slices of threads, and asynchronous slices, as in the text. Those that show frames are not
-- here.
CREATE OR REPLACE PERFETTO VIEW callstack(
  -- The id of the slice.
  id ID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted. NULL if it has no end.
  dur DURATION,
  -- The thread, of an asynchronous slice the main thread of the process.
  callid JOINID(thread.id),
  -- The track of an asynchronous slice that names one. NULL for others, but for slices that Perfetto
  -- itself made of kernel events.
  cat STRING,
  -- The name, with H: before it.
  name STRING,
  -- How many slices are around it.
  depth LONG,
  -- The cookie of an asynchronous slice, else NULL.
  cookie LONG,
  -- The slice around it.
  parent_id JOINID(slice.id),
  -- Its arguments, in Perfetto's table args.
  argsetid ARGSETID,
  -- NULL.
  chainId STRING,
  -- NULL.
  spanId STRING,
  -- NULL.
  parentSpanId STRING,
  -- NULL.
  flag STRING,
  -- NULL.
  trace_level STRING,
  -- NULL.
  trace_tag STRING,
  -- NULL.
  custom_category STRING,
  -- NULL.
  custom_args STRING,
  -- NULL.
  child_callid LONG
)
AS
SELECT
  s.id,
  s.ts,
  nullif(s.dur, -1) AS dur,
  -- SQLite does not search a join that is itself joined by LEFT JOIN.
  coalesce(
    (SELECT t.utid FROM thread_track AS t WHERE t.id = s.track_id),
    (
      SELECT min(h.utid)
      FROM process_track AS t
      JOIN thread AS h USING (upid)
      WHERE
        t.id = s.track_id
        AND h.is_main_thread
    )
  ) AS callid,
  coalesce(
    s.category,
    (SELECT t.name FROM track AS t WHERE t.id = s.track_id AND t.type = 'atrace_async_slice_for_track')
  ) AS cat,
  s.name,
  s.depth,
  coalesce(
    extract_arg(s.arg_set_id, 'cookie'),
    -- Of a slice with a track Perfetto keeps it only in the text: G|pid|track|name|cookie.
    (
      SELECT
        cast_int!(substr(b.buf, instr(b.buf, '|' || t.name || '|' || s.name || '|') + length(t.name || s.name) + 3))
      FROM track AS t
      CROSS JOIN _ohos_ts_begin AS b
        ON b.ts = s.ts
      WHERE
        t.id = s.track_id
        AND t.type = 'atrace_async_slice_for_track'
        AND instr(b.buf, '|' || t.name || '|' || s.name || '|') > 0
      LIMIT 1
    )
  ) AS cookie,
  s.parent_id,
  s.arg_set_id AS argsetid,
  NULL AS chainId,
  NULL AS spanId,
  NULL AS parentSpanId,
  NULL AS flag,
  NULL AS trace_level,
  NULL AS trace_tag,
  NULL AS custom_category,
  NULL AS custom_args,
  NULL AS child_callid
FROM slice AS s
WHERE
  s.track_id IN (
    SELECT id FROM track WHERE type IN ('thread_execution', 'atrace_async_slice', 'atrace_async_slice_for_track')
  );

-- The trace's interval: one row.
CREATE OR REPLACE PERFETTO VIEW trace_range(
  -- The first line of the trace. Of a merged trace, the first time.
  start_ts TIMESTAMP,
  -- The last line of the trace. Of a merged trace, the last time, which may be a deadline after it.
  end_ts TIMESTAMP
)
AS
WITH
  line AS (
    SELECT name, iif((SELECT count() FROM machine) = 1, int_value, NULL) AS ts
    FROM metadata
    WHERE
      name GLOB 'trace_attribute.ohframe.*_ns'
  )
SELECT
  coalesce((SELECT ts FROM line WHERE name GLOB '*.start_ns'), trace_start()) AS start_ts,
  coalesce((SELECT ts FROM line WHERE name GLOB '*.end_ns'), trace_end()) AS end_ts;

-- The slices that begin stages of launches. The dataframe searches for one pattern at a time
-- much faster than SQLite does for several.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_stage AS
WITH
  named AS (
    SELECT 0 AS stage, *
    FROM slice
    WHERE
      name GLOB 'H:client dispatch touchId:*'
    UNION ALL
    SELECT 1 AS stage, *
    FROM slice
    WHERE
      name GLOB 'H:OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB*'
    UNION ALL
    SELECT 2 AS stage, *
    FROM slice
    WHERE
      name GLOB 'H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility*'
    UNION ALL
    SELECT 3 AS stage, *
    FROM slice
    WHERE
      name GLOB 'H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(*)##*'
    UNION ALL
    SELECT 4 AS stage, *
    FROM slice
    WHERE
      name GLOB 'H:void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(*)##*'
    UNION ALL
    SELECT 5 AS stage, *
    FROM slice
    WHERE
      name GLOB 'H:void OHOS::AbilityRuntime::FAAbilityThread::HandleAbilityTransaction(*)##*'
    UNION ALL
    SELECT 5 AS stage, *
    FROM slice
    WHERE
      name GLOB 'H:void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction*'
  ),
  split AS (
    SELECT stage, n.id, n.ts, t.utid, t.machine_id, substr(n.name, instr(n.name, '##') + 2) || '##' AS rest
    FROM named AS n
    JOIN thread_track AS t
      ON t.id = n.track_id
  )
SELECT
  stage,
  id,
  ts,
  utid,
  machine_id,
  iif(stage IN (3, 4), substr(rest, 1, instr(rest, '##') - 1), NULL) AS bundle
FROM split;

-- The stages of launches: at most one launch of each process.
CREATE OR REPLACE PERFETTO VIEW app_startup(
  -- The row, from 0.
  id LONG,
  -- The thread of the stage.
  call_id JOINID(thread.id),
  -- The process of the application.
  ipid JOINID(process.id),
  -- The number of its main thread.
  tid LONG,
  -- When the stage began.
  start_time TIMESTAMP,
  -- When the next one began; of the first frames, when they ended. -1 if the next one is not
  -- in the trace.
  end_time LONG,
  -- 0: ProcessTouchEvent, 1: StartUIAbilityBySCB, 2: LoadAbility, 3: Application Launching,
  -- 4: UI Ability Launching, 5: UI Ability OnForeground, 6: the application's first frame,
  -- 7: the render frame that took it.
  start_name LONG,
  -- The application's bundle.
  packed_name STRING
)
AS
WITH
  stage AS MATERIALIZED (
    SELECT * FROM _ohos_ts_stage
  ),
  -- For an attached process, the last stages before it, and the process before it.
  attach AS (
    SELECT *
    FROM (
      SELECT
        id,
        stage,
        max(iif(stage = 0, id, NULL)) OVER until AS touch_id,
        max(iif(stage = 1, id, NULL)) OVER until AS start_id,
        max(iif(stage = 2, id, NULL)) OVER until AS load_id,
        coalesce(
          max(iif(stage = 3, id, NULL))
            OVER (PARTITION BY machine_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
          -1
        ) AS previous_id
      FROM stage
      WINDOW until AS (PARTITION BY machine_id ORDER BY id ROWS UNBOUNDED PRECEDING)
    )
    WHERE
      stage = 3
  ),
  early AS (
    SELECT id, touch_id AS stage_id FROM attach WHERE touch_id > previous_id
    UNION ALL
    SELECT id, start_id FROM attach WHERE start_id > previous_id
    UNION ALL
    SELECT id, load_id FROM attach WHERE load_id > previous_id
    UNION ALL
    SELECT id, id FROM attach
  ),
  -- The first launch of a thread. Its process is new if it was attached since the last launch
  -- of the bundle.
  launch AS MATERIALIZED (
    SELECT *
    FROM (
      SELECT *, row_number() OVER (PARTITION BY utid, stage ORDER BY id) AS number
      FROM (
        SELECT
          *,
          iif(lag(stage) OVER bundles = 3, lag(id) OVER bundles, NULL) AS attach_id
        FROM stage
        WHERE
          stage IN (3, 4)
        WINDOW bundles AS (PARTITION BY machine_id, bundle ORDER BY id)
      )
    )
    WHERE
      stage = 4
      AND number = 1
  ),
  -- The first frame that is not empty, and the first one of them that was picked up.
  first_frame AS (
    SELECT
      l.id AS launch_id,
      min(iif(f.type = 0 AND f.flag <> 2, f.id, NULL)) AS frame_row,
      min(iif(f.type = 0 AND f.flag <> 2 AND f.dst IS NOT NULL, f.id, NULL)) AS taken_row
    FROM launch AS l
    JOIN frame_slice AS f
      ON f.itid = l.utid
      AND f.ts >= l.ts
    GROUP BY
      l.id
  ),
  found AS (
    SELECT l.id AS launch_id, 4 AS stage, l.utid, l.ts, NULL AS end_ts FROM launch AS l
    UNION ALL
    SELECT l.id, s.stage, s.utid, s.ts, NULL
    FROM launch AS l
    JOIN early AS e
      ON e.id = l.attach_id
    JOIN stage AS s
      ON s.id = e.stage_id
    UNION ALL
    SELECT l.id, 5, s.utid, min(s.ts), NULL
    FROM launch AS l
    JOIN stage AS s
      ON s.stage = 5
      AND s.utid = l.utid
      AND s.ts > l.ts
    GROUP BY
      l.id
    UNION ALL
    SELECT launch_id, 6, f.itid, f.ts, f.ts + f.dur
    FROM first_frame
    JOIN frame_slice AS f
      ON f.id = frame_row
    UNION ALL
    SELECT launch_id, 7, r.itid, r.ts, r.ts + r.dur
    FROM first_frame
    JOIN frame_slice AS f
      ON f.id = taken_row
    JOIN frame_slice AS r
      ON r.id = f.dst
  ),
  next AS (
    SELECT
      *,
      lead(stage) OVER stages AS next_stage,
      lead(ts) OVER stages AS next_ts
    FROM found
    WINDOW stages AS (PARTITION BY launch_id ORDER BY stage)
  )
SELECT
  row_number() OVER (ORDER BY h.upid, l.ts, n.stage) - 1 AS id,
  n.utid AS call_id,
  h.upid AS ipid,
  h.tid,
  n.ts AS start_time,
  coalesce(n.end_ts, iif(n.next_stage = n.stage + 1, n.next_ts, NULL), -1) AS end_time,
  n.stage AS start_name,
  l.bundle AS packed_name
FROM next AS n
JOIN launch AS l
  ON l.id = n.launch_id
JOIN thread AS h
  ON h.utid = l.utid;

-- The loading of libraries.
CREATE OR REPLACE PERFETTO VIEW static_initalize(
  -- The row, from 0.
  id LONG,
  -- The process.
  ipid JOINID(process.id),
  -- The number of the thread.
  tid LONG,
  -- The thread.
  call_id JOINID(thread.id),
  -- When it began.
  start_time TIMESTAMP,
  -- When it ended.
  end_time TIMESTAMP,
  -- The name of the slice.
  so_name STRING,
  -- The line in a drawing without overlaps, by process.
  depth LONG
)
AS
SELECT
  row_number() OVER (ORDER BY s.ts, s.id) - 1 AS id,
  h.upid AS ipid,
  h.tid,
  h.utid AS call_id,
  s.ts AS start_time,
  s.ts + s.dur AS end_time,
  s.name AS so_name,
  internal_layout(s.ts, s.dur) OVER (PARTITION BY h.upid ORDER BY s.ts ROWS UNBOUNDED PRECEDING) AS depth
FROM slice AS s
JOIN thread_track AS t
  ON t.id = s.track_id
JOIN thread AS h USING (utid)
WHERE
  s.name GLOB '*dlopen:*'
  AND s.dur >= 0;

-- Scenes as render_service wrote them, from the first frame shown to the last.
CREATE OR REPLACE PERFETTO VIEW animation(
  -- The row, from 0.
  id LONG,
  -- When the user did it, from a wall clock in milliseconds. NULL without the wall clock.
  input_time TIMESTAMP,
  -- When the scene began.
  start_point TIMESTAMP,
  -- When it ended. NULL if it has no end.
  end_point TIMESTAMP,
  -- The number of frames and their rate: '0:88.61' if render_service wrote the rate, else
  -- '42:0'.
  frame_info STRING,
  -- The scene and the bundle, such as 'H:APP_LIST_FLING, com.example'.
  name STRING
)
AS
WITH
  scene AS MATERIALIZED (
    SELECT
      s.id,
      s.ts,
      nullif(s.dur, -1) AS dur,
      s.name,
      t.machine_id,
      instr(s.name, ', ') AS bundle_at,
      substr(s.name, instr(s.name, ', ') + 2) || ', , , ' AS rest
    FROM slice AS s
    JOIN process_track AS t
      ON t.id = s.track_id
    JOIN process AS p USING (upid)
    WHERE
      s.name GLOB 'H:[A-Z]*, *'
      AND t.type = 'atrace_async_slice'
      AND p.name GLOB '*render_service'
  ),
  -- The fields are separated one by one.
  bundle AS (
    SELECT *, substr(rest, 1, instr(rest, ', ') - 1) AS bundle, substr(rest, instr(rest, ', ') + 2) AS after_bundle
    FROM scene
    WHERE
      substr(name, 3, bundle_at - 3) NOT GLOB '*[^A-Z0-9_]*'
  ),
  page AS (
    SELECT *, substr(after_bundle, instr(after_bundle, ', ') + 2) AS after_page FROM bundle
  ),
  rated AS (
    SELECT
      s.ts,
      t.machine_id,
      substr(s.name, length('H:RSJankStats::RecordAnimationDynamicFrameRate frame rate is ') + 1) AS text
    FROM slice AS s
    JOIN track AS t
      ON t.id = s.track_id
    WHERE
      s.name GLOB 'H:RSJankStats::RecordAnimationDynamicFrameRate frame rate is *: *'
  ),
  -- A rate belongs to the last scene with its name.
  named AS (
    SELECT
      id,
      lead(rate) OVER (PARTITION BY machine_id, name ORDER BY ts) AS rate
    FROM (
      SELECT id, ts, machine_id, name, NULL AS rate FROM scene
      UNION ALL
      SELECT
        NULL AS id,
        ts,
        machine_id,
        'H:' || substr(text, instr(text, ': ') + 2) AS name,
        substr(text, 1, instr(text, ': ') - 1) AS rate
      FROM rated
    )
  ),
  -- Commits that ended within the scene: those until its end without those before its begin.
  counted AS (
    SELECT id, sum(step = 1) OVER (PARTITION BY machine_id ORDER BY at, step ROWS UNBOUNDED PRECEDING) AS repaints
    FROM (
      SELECT id, machine_id, ts AS at, 0 AS step FROM scene
      UNION ALL
      SELECT NULL AS id, t.machine_id, s.ts + s.dur AS at, 1 AS step
      FROM slice AS s
      JOIN track AS t
        ON t.id = s.track_id
      WHERE
        s.name GLOB 'H:Repaint*'
      UNION ALL
      SELECT id, machine_id, ts + dur AS at, 2 AS step FROM scene WHERE dur IS NOT NULL
    )
  ),
  frames AS (
    SELECT id, max(repaints) - min(repaints) AS frames FROM counted WHERE id IS NOT NULL GROUP BY id
  )
SELECT
  row_number() OVER (ORDER BY ts, id) - 1 AS id,
  -- Wall time in milliseconds.
  nullif(cast_int!(after_page), 0) * 1000000
    + (
      SELECT c.ts - c.clock_value
      FROM clock_snapshot AS c
      WHERE
        c.clock_name = 'REALTIME'
        AND c.machine_id = page.machine_id
      LIMIT 1
    ) AS input_time,
  ts AS start_point,
  ts + dur AS end_point,
  coalesce('0:' || rate, frames || ':0') AS frame_info,
  substr(name, 1, bundle_at + 1) || bundle AS name
FROM page
JOIN named USING (id)
JOIN frames USING (id);

-- Values of CPUs' counters, such as frequencies.
CREATE OR REPLACE PERFETTO VIEW measure(
  -- 'measure'.
  type STRING,
  -- When it changed.
  ts TIMESTAMP,
  -- How long it was so. NULL if it did not change again.
  dur DURATION,
  -- The value. Of cpu_idle 0 is awake, and 1 the first state.
  value DOUBLE,
  -- The counter, in cpu_measure_filter.
  filter_id JOINID(track.id)
)
AS
SELECT
  'measure' AS type,
  c.ts,
  lead(c.ts) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur,
  -- The kernel calls awake 2³² - 1, and the first state 0.
  iif(t.name = 'cpuidle', iif(c.value = 4294967295, 0.0, c.value + 1), c.value) AS value,
  c.track_id AS filter_id
FROM counter AS c
JOIN cpu_counter_track AS t
  ON t.id = c.track_id;

-- The counters of CPUs.
CREATE OR REPLACE PERFETTO VIEW cpu_measure_filter(
  -- The track.
  id ID(track.id),
  -- 'cpu_frequency', 'cpu_idle', or Perfetto's name of another counter.
  name STRING,
  -- The CPU.
  cpu LONG
)
AS
SELECT
  id,
  CASE name WHEN 'cpufreq' THEN 'cpu_frequency' WHEN 'cpuidle' THEN 'cpu_idle' ELSE name END AS name,
  cpu
FROM cpu_counter_track;

-- Values of processes' counters.
CREATE OR REPLACE PERFETTO VIEW process_measure(
  -- 'measure'.
  type STRING,
  -- When it changed.
  ts TIMESTAMP,
  -- How long it was so. NULL if it did not change again.
  dur DURATION,
  -- The value.
  value DOUBLE,
  -- The counter, in process_measure_filter.
  filter_id JOINID(track.id)
)
AS
SELECT
  'measure' AS type,
  c.ts,
  lead(c.ts) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur,
  c.value,
  c.track_id AS filter_id
FROM counter AS c
JOIN process_counter_track AS t
  ON t.id = c.track_id
WHERE
  t.type = 'atrace_counter';

-- The counters of processes, without those that show frames.
CREATE OR REPLACE PERFETTO VIEW process_measure_filter(
  -- The track.
  id ID(track.id),
  -- The name, with H: before it.
  name STRING,
  -- The process.
  ipid JOINID(process.id)
)
AS
SELECT id, name, upid AS ipid
FROM process_counter_track
WHERE
  type = 'atrace_counter';

-- The processes, with the columns of trace_streamer's table process.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_process AS
WITH
  switched AS MATERIALIZED (
    SELECT h.upid, count() AS n FROM (SELECT DISTINCT utid FROM sched) JOIN thread AS h USING (utid) GROUP BY h.upid
  ),
  sliced AS MATERIALIZED (
    SELECT h.upid, count() AS n
    FROM (SELECT DISTINCT track_id FROM slice)
    JOIN thread_track AS t
      ON t.id = track_id
    JOIN thread AS h USING (utid)
    GROUP BY
      h.upid
  )
SELECT
  upid AS id,
  upid AS ipid,
  pid,
  coalesce(name, iif(pid = 0, 'swapper', NULL)) AS name,
  start_ts,
  coalesce((SELECT n FROM switched AS s WHERE s.upid = p.upid), 0) AS switch_count,
  -- Without the main thread.
  (SELECT count() FROM thread AS h WHERE h.upid = p.upid AND NOT coalesce(h.is_main_thread, FALSE)) AS thread_count,
  coalesce((SELECT n FROM sliced AS s WHERE s.upid = p.upid), 0) AS slice_count,
  EXISTS (
    SELECT 1
    FROM process_counter_track AS t
    WHERE
      t.upid = p.upid
      AND t.type = 'atrace_counter'
  ) AS mem_count
FROM process AS p;

-- The threads, with the columns of trace_streamer's table thread.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_thread AS
WITH
  switched AS MATERIALIZED (
    SELECT DISTINCT utid FROM sched
  )
SELECT
  utid AS id,
  utid AS itid,
  'thread' AS type,
  tid,
  name,
  start_ts,
  end_ts,
  upid AS ipid,
  is_main_thread,
  utid IN (SELECT utid FROM switched) AS switch_count
FROM thread;

-- States of threads, with the columns of trace_streamer's table thread_state.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_thread_state AS
SELECT
  id,
  ts,
  nullif(dur, -1) AS dur,
  cpu,
  utid AS itid,
  (SELECT h.tid FROM thread AS h WHERE h.utid = s.utid) AS tid,
  (SELECT p.pid FROM thread AS h JOIN process AS p USING (upid) WHERE h.utid = s.utid) AS pid,
  iif(state = 'D' AND io_wait IS NOT NULL, iif(io_wait, 'D-IO', 'D-NIO'), state) AS state,
  NULL AS arg_setid
FROM thread_state AS s;

-- Times on CPUs, with the columns of trace_streamer's table sched_slice.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_sched_slice AS
SELECT
  id,
  ts,
  nullif(dur, -1) AS dur,
  ts + nullif(dur, -1) AS ts_end,
  cpu,
  utid AS itid,
  (SELECT h.upid FROM thread AS h WHERE h.utid = s.utid) AS ipid,
  end_state,
  priority,
  NULL AS arg_setid
FROM sched AS s;

-- Wakings after which a thread was runnable, with the columns of trace_streamer's table instant.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_instant AS
SELECT
  ts,
  'sched_wakeup' AS name,
  utid AS ref,
  waker_utid AS wakeup_from,
  'itid' AS ref_type,
  0.0 AS value
FROM thread_state
WHERE
  waker_utid IS NOT NULL;

-- Runs a query with trace_streamer's tables process, thread, thread_state, sched_slice and
-- instant, which Perfetto itself has with other columns:
--
--   SELECT * FROM ohos_trace_streamer!((SELECT p.ipid, t.itid FROM process AS p JOIN thread AS t ON t.ipid = p.ipid))
--
-- The query is in two pairs of brackets, without a semicolon.
CREATE OR REPLACE PERFETTO MACRO ohos_trace_streamer(
  -- The query, in brackets.
  query TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH
    process AS NOT MATERIALIZED (
      SELECT * FROM _ohos_ts_process
    ),
    thread AS NOT MATERIALIZED (
      SELECT * FROM _ohos_ts_thread
    ),
    thread_state AS NOT MATERIALIZED (
      SELECT * FROM _ohos_ts_thread_state
    ),
    sched_slice AS NOT MATERIALIZED (
      SELECT * FROM _ohos_ts_sched_slice
    ),
    instant AS NOT MATERIALIZED (
      SELECT * FROM _ohos_ts_instant
    )
  SELECT * FROM $query
);
