-- Frames of OpenHarmony and HarmonyOS as reconstructed by ohframe, one row per frame.
--
-- Two processes make a picture. An application draws it on a vsync and sends it in
-- transactions. render_service picks these up on a vsync of its own, draws and
-- commits, and the display shows it. Both frames are here. An application frame has
-- the id of the render frame that picked it up.
--
-- Times are trace times. Unknown values are NULL. The facts are on the tracks
-- "Frames": a trace that was converted with --no-tracks has no rows.

-- A merged trace may also contain frames of other machines.
CREATE OR REPLACE PERFETTO TABLE _ohos_machine AS
SELECT id AS machine_id FROM machine WHERE sysname = 'OpenHarmony';

-- The slices of the frame timeline: one for each frame.
CREATE OR REPLACE PERFETTO TABLE _ohos_timeline_frame AS
SELECT
  s.id,
  s.ts,
  s.dur,
  s.ts + s.dur AS ts_end,
  iif(s.surface_frame_token IS NULL, 'render', 'app') AS kind,
  s.upid,
  p.pid,
  p.name AS process_name,
  p.machine_id,
  -- A layer is called process#thread. Render frames are the main thread's.
  iif(
    s.surface_frame_token IS NULL,
    p.pid,
    cast_int!(substr(s.layer_name, length(rtrim(s.layer_name, '0123456789')) + 1))
  ) AS tid,
  s.name AS token,
  s.display_frame_token,
  s.prediction_type = 'Valid Prediction' AS is_predicted
FROM actual_frame_timeline_slice AS s
JOIN process AS p USING (upid)
JOIN _ohos_machine USING (machine_id);

-- A duration that a slice has in milliseconds, exact to the nanosecond.
CREATE OR REPLACE PERFETTO MACRO _ohos_length(
  arg_set_id Expr,
  name Expr
)
RETURNS Expr
AS cast_int!(round(extract_arg($arg_set_id, $name) * 1e6));

-- The slices of the tracks "Frames", with their annotations: the facts of each
-- frame.
CREATE OR REPLACE PERFETTO TABLE _ohos_track_frame AS
WITH
  event AS (
    SELECT
      s.id AS event_id,
      s.arg_set_id,
      s.ts,
      p.upid,
      coalesce(extract_arg(s.arg_set_id, 'debug.tid'), p.pid) AS tid,
      extract_arg(s.arg_set_id, 'debug.vsync_id') AS vsync_id,
      extract_arg(s.arg_set_id, 'debug.token') AS token
    FROM slice AS s
    JOIN process_track AS t
      ON t.id = s.track_id
    JOIN process AS p USING (upid)
    JOIN _ohos_machine USING (machine_id)
    WHERE
      (t.name = 'Frames' OR t.name GLOB 'Frames (*')
      AND t.type IN ('process_track_event', 'process_merged_track_event')
  ),
  sent AS MATERIALIZED (
    SELECT arg_set_id, group_concat(int_value, ' ' ORDER BY id) AS transactions
    FROM args
    WHERE
      flat_key = 'debug.transactions'
    GROUP BY
      arg_set_id
  )
SELECT
  event_id,
  arg_set_id,
  ts,
  upid,
  tid,
  cast_string!(coalesce(token, vsync_id)) AS token,
  vsync_id,
  extract_arg(arg_set_id, 'debug.expected_ts') AS expected_ts,
  extract_arg(arg_set_id, 'debug.vsync_ts') AS vsync_ts,
  extract_arg(arg_set_id, 'debug.deadline_ts') AS deadline_ts,
  _ohos_length!(arg_set_id, 'debug.period_ms') AS period_ns,
  extract_arg(arg_set_id, 'debug.flag') AS flag,
  extract_arg(arg_set_id, 'debug.coalesced') AS coalesced,
  _ohos_length!(arg_set_id, 'debug.overrun_ms') AS overrun_ns,
  extract_arg(arg_set_id, 'debug.longest_stage') AS longest_stage,
  extract_arg(arg_set_id, 'debug.blame') AS blame,
  extract_arg(arg_set_id, 'debug.main_late') AS is_late_main,
  extract_arg(arg_set_id, 'debug.gpu_late') AS is_late_gpu,
  extract_arg(arg_set_id, 'debug.empty') AS is_empty,
  extract_arg(arg_set_id, 'debug.misaligned') AS is_misaligned,
  sent.transactions,
  extract_arg(arg_set_id, 'debug.sent_ts') AS sent_ts,
  extract_arg(arg_set_id, 'debug.gpu_ts') AS gpu_ts,
  _ohos_length!(arg_set_id, 'debug.gpu_ms') AS gpu_dur,
  extract_arg(arg_set_id, 'debug.draw_ts') AS draw_ts,
  _ohos_length!(arg_set_id, 'debug.draw_ms') AS draw_dur,
  extract_arg(arg_set_id, 'debug.commit_ts') AS commit_ts,
  _ohos_length!(arg_set_id, 'debug.commit_ms') AS commit_dur,
  extract_arg(arg_set_id, 'debug.commit_estimated') AS is_commit_estimated,
  extract_arg(arg_set_id, 'debug.present_ts') AS present_ts,
  extract_arg(arg_set_id, 'debug.present_estimated') AS is_present_estimated
FROM event
LEFT JOIN sent USING (arg_set_id);

-- All frames that begin and end within the trace.
CREATE OR REPLACE PERFETTO TABLE ohos_frame(
  -- The frame's slice on its process's Actual Timeline.
  id ID(slice.id),
  -- Its slice on its process's track "Frames", from which arrows lead on.
  event_id JOINID(slice.id),
  -- When work on the frame began.
  ts TIMESTAMP,
  -- How long the thread worked on it: what the Actual Timeline shows.
  dur DURATION,
  -- 'app' for an application's frame, 'render' for one of render_service.
  kind STRING,
  -- The process whose frame it is.
  upid JOINID(process.id),
  -- The thread that made it.
  utid JOINID(thread.id),
  -- The process's id in the system.
  pid LONG,
  -- The thread's id in the system: of the main thread, the process's.
  tid LONG,
  -- The process's name, of which the kernel keeps 15 bytes.
  process_name STRING,
  -- The vsync's number, as in the text. Applications and render_service count
  -- separately.
  vsync_id LONG,
  -- When the vsync was due.
  vsync_ts TIMESTAMP,
  -- The frame's slice on the Expected Timeline. Frames of worker threads have
  -- none of their own.
  expected_id JOINID(slice.id),
  -- When the frame should have begun.
  expected_ts TIMESTAMP,
  -- How long it should have taken.
  expected_dur DURATION,
  -- When it should have been done: the end of its own expected interval, or
  -- that of the main thread's frame of the same vsync.
  deadline_ts TIMESTAMP,
  -- When it was done: the end of the thread's work or of the GPU's, whichever
  -- is later.
  work_end_ts TIMESTAMP,
  -- From the deadline to the end: negative for a frame on time. NULL if unknown.
  overrun_ns DURATION,
  -- The display's refresh period when the frame was made.
  period_ns DURATION,
  -- Done after the deadline. NULL if the deadline is unknown.
  is_late BOOL,
  -- The thread's work was done after the deadline. NULL if that is unknown.
  is_late_main BOOL,
  -- The GPU's work was done after the deadline. Only of render frames. NULL if the
  -- deadline is unknown.
  is_late_gpu BOOL,
  -- An application frame that sent nothing, or a render frame that applied
  -- nothing.
  is_empty BOOL,
  -- render_service picked up the application frame on another vsync than it was made
  -- for. Both frames have this fact.
  is_misaligned BOOL,
  -- The one number that the system's own frame table has: 0 in time, 1 late,
  -- 2 empty, 3 misaligned (render frames).
  flag LONG,
  -- Of a late frame, the longest of the stages that end by the deadline, as in
  -- ohos_stage.
  longest_stage STRING,
  -- Of an application frame whose whole frame was late, the cause, as in
  -- ohos_whole_frame.
  blame STRING,
  -- How many vsyncs had queued up behind this frame's, as its thread was busy.
  coalesced LONG,
  -- The indexes of the transactions that an application frame sent, with blanks
  -- between.
  transactions STRING,
  -- When an application frame sent the last of its transactions.
  sent_ts TIMESTAMP,
  -- The render frame that applied the last transaction of an application frame.
  render_id JOINID(slice.id),
  -- When a render frame's first work on the GPU began.
  gpu_ts TIMESTAMP,
  -- From there to the end of its last.
  gpu_dur DURATION,
  -- When the render thread began to draw a render frame.
  draw_ts TIMESTAMP,
  -- How long it drew.
  draw_dur DURATION,
  -- When a render frame's layers went to the display.
  commit_ts TIMESTAMP,
  -- How long that took.
  commit_dur DURATION,
  -- The commit was found by its time, as it names no vsync.
  is_commit_estimated BOOL,
  -- When the display showed a render frame.
  present_ts TIMESTAMP,
  -- It had been shown already when the commit looked.
  is_present_estimated BOOL
)
AS
WITH
  expected AS MATERIALIZED (
    SELECT
      id,
      upid,
      name AS token,
      iif(surface_frame_token IS NULL, 'render', 'app') AS kind
    FROM expected_frame_timeline_slice
  ),
  render AS MATERIALIZED (
    SELECT id, machine_id, display_frame_token FROM _ohos_timeline_frame WHERE kind = 'render'
  ),
  -- The same process can have had the thread id for several threads.
  threads AS MATERIALIZED (
    SELECT min(utid) AS utid, upid, tid FROM thread GROUP BY upid, tid
  ),
  said AS MATERIALIZED (SELECT * FROM _ohos_track_frame),
  -- A fact that does not apply has no annotation.
  known AS (
    SELECT
      t.*,
      f.event_id,
      threads.utid,
      f.vsync_id,
      coalesce(f.vsync_ts, f.expected_ts) AS vsync_ts,
      iif(t.is_predicted, e.id, NULL) AS expected_id,
      f.expected_ts,
      f.deadline_ts,
      coalesce(f.flag, 0) AS flag,
      f.overrun_ns,
      f.longest_stage,
      f.blame,
      max(t.ts_end, coalesce(f.gpu_ts + f.gpu_dur, 0)) AS work_end_ts,
      f.period_ns,
      f.is_late_main IS NOT NULL AS is_late_main,
      f.is_late_gpu IS NOT NULL AS is_late_gpu,
      f.is_empty IS NOT NULL AS is_empty,
      f.is_misaligned IS NOT NULL AS is_misaligned,
      coalesce(f.coalesced, 0) AS coalesced,
      f.transactions,
      f.sent_ts,
      r.id AS render_id,
      f.gpu_ts,
      f.gpu_dur,
      f.draw_ts,
      f.draw_dur,
      f.commit_ts,
      f.commit_dur,
      iif(f.commit_ts IS NOT NULL, f.is_commit_estimated IS NOT NULL, NULL) AS is_commit_estimated,
      f.present_ts,
      iif(f.present_ts IS NOT NULL, f.is_present_estimated IS NOT NULL, NULL) AS is_present_estimated
    FROM _ohos_timeline_frame AS t
    JOIN said AS f
      ON f.upid = t.upid
      AND f.tid = t.tid
      AND f.token = t.token
      AND f.ts = t.ts
    LEFT JOIN threads
      ON threads.upid = t.upid
      AND threads.tid = t.tid
    LEFT JOIN expected AS e
      ON e.upid = t.upid
      AND e.token = t.token
      AND e.kind = t.kind
    LEFT JOIN render AS r
      ON t.kind = 'app'
      AND r.machine_id = t.machine_id
      AND r.display_frame_token = t.display_frame_token
  ),
  judged AS (
    SELECT
      *,
      iif(is_late_main OR is_late_gpu OR deadline_ts IS NOT NULL, is_late_main OR is_late_gpu, NULL) AS is_late
    FROM known
  )
SELECT
  id,
  event_id,
  ts,
  dur,
  kind,
  upid,
  utid,
  pid,
  tid,
  process_name,
  vsync_id,
  vsync_ts,
  expected_id,
  expected_ts,
  deadline_ts - expected_ts AS expected_dur,
  deadline_ts,
  work_end_ts,
  iif(is_late, overrun_ns, min(0, work_end_ts - deadline_ts)) AS overrun_ns,
  period_ns,
  is_late,
  iif(is_late IS NULL, NULL, is_late_main) AS is_late_main,
  iif(is_late IS NULL, NULL, is_late_gpu) AS is_late_gpu,
  is_empty,
  is_misaligned,
  flag,
  longest_stage,
  blame,
  coalesced,
  transactions,
  sent_ts,
  render_id,
  gpu_ts,
  gpu_dur,
  draw_ts,
  draw_dur,
  commit_ts,
  commit_dur,
  is_commit_estimated,
  present_ts,
  is_present_estimated
FROM judged
ORDER BY
  id;

-- Whole frames: an application frame with the render frame that picked up the last
-- of its transactions. A render frame may belong to several whole frames.
--
-- A whole frame is late if it was done after its expected end, or if it was picked
-- up late. In the second case its expected end, which is that of the render frame, is
-- already one of a later vsync.
CREATE OR REPLACE PERFETTO TABLE ohos_whole_frame(
  -- The application frame.
  id ID(slice.id),
  -- The render frame.
  render_id JOINID(slice.id),
  -- When work on the application frame began.
  ts TIMESTAMP,
  -- From there to the end of the render frame's work, that on the GPU included.
  dur DURATION,
  -- The application.
  upid JOINID(process.id),
  -- The application's thread.
  utid JOINID(thread.id),
  -- The application's process id.
  pid LONG,
  -- The application's name.
  process_name STRING,
  -- The vsync of the application frame.
  vsync_id LONG,
  -- The vsync of the render frame.
  render_vsync_id LONG,
  -- When the application frame should have begun.
  expected_ts TIMESTAMP,
  -- From there to when the render frame should have been done.
  expected_dur DURATION,
  -- When the display showed it.
  present_ts TIMESTAMP,
  -- Done or picked up late. NULL if it is not known when it should have been
  -- done.
  is_late BOOL,
  -- Whose fault a late one is, the first of these that holds: 'application' (it
  -- missed its deadline), 'render_cpu' (render_service's main thread did),
  -- 'render_gpu' (its work on the GPU did), 'pick_up' (both were in time for
  -- themselves). NULL if it is not late.
  blame STRING
)
AS
SELECT
  a.id,
  a.render_id,
  a.ts,
  r.work_end_ts - a.ts AS dur,
  a.upid,
  a.utid,
  a.pid,
  a.process_name,
  a.vsync_id,
  r.vsync_id AS render_vsync_id,
  a.expected_ts,
  r.expected_ts + r.expected_dur - a.expected_ts AS expected_dur,
  r.present_ts,
  iif(r.expected_dur IS NULL, NULL, a.blame IS NOT NULL) AS is_late,
  a.blame
FROM ohos_frame AS a
JOIN ohos_frame AS r
  ON r.id = a.render_id
ORDER BY
  a.id;

-- The slices of the tracks "Report": the measures of each process, and what its late frames
-- cost by cause.
CREATE OR REPLACE PERFETTO TABLE _ohos_report AS
SELECT
  extract_arg(s.arg_set_id, 'debug.report.kind') AS kind,
  p.upid,
  p.pid,
  p.name AS process_name,
  s.arg_set_id
FROM slice AS s
JOIN process_track AS t
  ON t.id = s.track_id
JOIN process AS p USING (upid)
JOIN _ohos_machine USING (machine_id)
WHERE
  t.name = 'Report'
  AND t.type IN ('process_track_event', 'process_merged_track_event')
ORDER BY
  kind,
  p.upid;

-- A measure of a slice of _ohos_report, by its path in the JSON of "ohframe report".
CREATE OR REPLACE PERFETTO MACRO _ohos_measure(
  path Expr
)
RETURNS Expr
AS extract_arg(arg_set_id, 'debug.report.' || $path);
