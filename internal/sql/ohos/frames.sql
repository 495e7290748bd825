-- Frames of OpenHarmony and HarmonyOS as reconstructed by ohframe, one row per frame.
--
-- Two processes make a picture. An application draws it on a vsync and sends it in
-- transactions. render_service picks these up on a vsync of its own, draws and
-- commits, and the display shows it. Both frames are here. An application frame has
-- the id of the render frame that picked it up.
--
-- Times are trace times. Unknown values are NULL. The facts are on the tracks "Frames".

INCLUDE PERFETTO MODULE ohos.slices;

-- The expected slices of the frame timeline, sorted so that frames find theirs.
CREATE OR REPLACE PERFETTO TABLE _ohos_expected AS
SELECT cast_int!(name) AS token, id, upid, iif(surface_frame_token IS NULL, 'render', 'app') AS kind
FROM expected_frame_timeline_slice
ORDER BY
  token;

-- The render frames of the frame timeline, sorted so that application frames find theirs.
CREATE OR REPLACE PERFETTO TABLE _ohos_render AS
SELECT s.display_frame_token, s.id, p.machine_id
FROM actual_frame_timeline_slice AS s
JOIN process AS p USING (upid)
JOIN _ohos_machine USING (machine_id)
WHERE
  s.surface_frame_token IS NULL
ORDER BY
  s.display_frame_token;

-- Frames with the facts that several columns of ohos_frame need: SQLite would look them up
-- for each of the columns.
CREATE OR REPLACE PERFETTO TABLE _ohos_frame AS
SELECT
  f.id,
  f.event_id,
  f.arg_set_id,
  f.ts,
  f.dur,
  f.kind,
  f.upid,
  f.utid,
  f.pid,
  f.tid,
  f.process_name,
  f.machine_id,
  f.is_late,
  f.vsync_id,
  f.moved,
  iif(f.is_predicted, e.id, NULL) AS expected_id,
  iif(f.kind = 'app', r.id, NULL) AS render_id,
  extract_arg(f.arg_set_id, 'debug.expected_ts') + f.moved AS expected_ts,
  extract_arg(f.arg_set_id, 'debug.deadline_ts') + f.moved AS deadline_ts,
  extract_arg(f.arg_set_id, 'debug.gpu_ts') + f.moved AS gpu_ts,
  _ohos_length!(f.arg_set_id, 'debug.gpu_ms') AS gpu_dur,
  extract_arg(f.arg_set_id, 'debug.draw_ts') + f.moved AS draw_ts,
  _ohos_length!(f.arg_set_id, 'debug.draw_ms') AS draw_dur,
  iif(f.kind = 'render', extract_arg(f.arg_set_id, 'debug.commit_ts') + f.moved, NULL) AS commit_ts,
  iif(f.kind = 'render', extract_arg(f.arg_set_id, 'debug.present_ts') + f.moved, NULL) AS present_ts
FROM _ohos_joined!(ohos_frame_slice) AS f
LEFT JOIN _ohos_expected AS e
  ON e.token = cast_int!(f.token)
  AND +e.upid = f.upid
  AND +e.kind = f.kind
LEFT JOIN _ohos_render AS r
  ON r.display_frame_token = f.display_frame_token
  AND +r.machine_id = f.machine_id
ORDER BY
  f.id;

-- All frames that begin and end within the trace.
CREATE OR REPLACE PERFETTO VIEW ohos_frame(
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
  -- What draws an application's frame, if it is not ArkUI: 'choreographer',
  -- 'surfaceflinger', 'flutter', 'web' or 'nativevsync'.
  framework STRING,
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
  -- is later; also of the drawing of a framework's frame.
  work_end_ts TIMESTAMP,
  -- From the deadline to the end: negative for a frame on time. NULL if unknown.
  overrun_ns DURATION,
  -- The display's refresh period when the frame was made.
  period_ns DURATION,
  -- Done after the deadline. NULL if the frame is not judged: of a framework's frame, its
  -- buffer may say so, too.
  is_late BOOL,
  -- The thread's work was done after the deadline. NULL if is_late is.
  is_late_main BOOL,
  -- The GPU's work was done after the deadline. NULL if is_late is.
  is_late_gpu BOOL,
  -- An application frame that sent nothing, or a render frame that applied or changed
  -- nothing. NULL if the trace has no markers that say so.
  is_empty BOOL,
  -- render_service picked up the application frame on another vsync than it was made
  -- for. Both frames have this fact.
  is_misaligned BOOL,
  -- The application frame is the first that ArkUI draws of a window.
  is_first_draw BOOL,
  -- The trace ends within the frame, which was late by then: it was done later than
  -- work_end_ts.
  is_unfinished BOOL,
  -- The one number that the system's own frame table has: 0, 1 late, 2 empty,
  -- 3 misaligned (render frames). NULL if is_empty is and nothing else applies.
  flag LONG,
  -- Of a late frame, the longest of the stages that end by the deadline, as in
  -- ohos_stage.
  longest_stage STRING,
  -- Of an application frame whose whole frame was late, the cause, as in
  -- ohos_whole_frame.
  blame STRING,
  -- How many vsyncs had queued up behind this frame's, as its thread was busy.
  coalesced LONG,
  -- How many frames of an application before this one never began, as its main thread was
  -- busy with something else on their vsyncs.
  not_begun LONG,
  -- How long the thread of an application frame ran.
  cpu_ns DURATION,
  -- The indexes of the transactions that an application frame sent, with blanks
  -- between: those of the buffers that a framework's frame drew.
  transactions STRING,
  -- When an application frame sent the last of its transactions.
  sent_ts TIMESTAMP,
  -- The render frame that applied the last transaction of an application frame.
  render_id JOINID(slice.id),
  -- When the first work on the GPU of a render frame, or of a framework's frame, began.
  gpu_ts TIMESTAMP,
  -- From there to the end of its last.
  gpu_dur DURATION,
  -- When the render thread began to draw a render frame, or another thread a
  -- framework's frame.
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
-- A fact that does not apply has no annotation.
WITH
  judged AS (
    SELECT
      *,
      max(
        ts + dur,
        coalesce(gpu_ts + gpu_dur, 0),
        iif(kind = 'app', coalesce(draw_ts + draw_dur, 0), 0)
      ) AS work_end_ts,
      is_late
      OR deadline_ts IS NOT NULL
      OR iif(kind = 'app', extract_arg(arg_set_id, 'debug.pace'), NULL) IS NOT NULL AS is_judged
    FROM _ohos_frame
  )
SELECT
  id,
  event_id,
  ts,
  dur,
  kind,
  iif(kind = 'app', extract_arg(arg_set_id, 'debug.framework'), NULL) AS framework,
  upid,
  utid,
  pid,
  tid,
  process_name,
  vsync_id,
  coalesce(extract_arg(arg_set_id, 'debug.vsync_ts') + moved, expected_ts) AS vsync_ts,
  expected_id,
  expected_ts,
  deadline_ts - expected_ts AS expected_dur,
  deadline_ts,
  work_end_ts,
  iif(is_late, _ohos_length!(arg_set_id, 'debug.overrun_ms'), min(0, work_end_ts - deadline_ts)) AS overrun_ns,
  _ohos_length!(arg_set_id, 'debug.period_ms') AS period_ns,
  iif(is_judged, is_late, NULL) AS is_late,
  iif(is_judged, is_late AND extract_arg(arg_set_id, 'debug.main_late') IS NOT NULL, NULL) AS is_late_main,
  iif(is_judged, is_late AND extract_arg(arg_set_id, 'debug.gpu_late') IS NOT NULL, NULL) AS is_late_gpu,
  iif(
    extract_arg(arg_set_id, 'debug.empty_unknown') IS NULL,
    extract_arg(arg_set_id, 'debug.empty') IS NOT NULL,
    NULL
  ) AS is_empty,
  extract_arg(arg_set_id, 'debug.misaligned') IS NOT NULL AS is_misaligned,
  extract_arg(arg_set_id, 'debug.first_draw') IS NOT NULL AS is_first_draw,
  extract_arg(arg_set_id, 'debug.unfinished') IS NOT NULL AS is_unfinished,
  coalesce(
    extract_arg(arg_set_id, 'debug.flag'),
    iif(extract_arg(arg_set_id, 'debug.empty_unknown') IS NULL, 0, NULL)
  ) AS flag,
  iif(is_late, extract_arg(arg_set_id, 'debug.longest_stage'), NULL) AS longest_stage,
  iif(kind = 'app', extract_arg(arg_set_id, 'debug.blame'), NULL) AS blame,
  coalesce(extract_arg(arg_set_id, 'debug.coalesced'), 0) AS coalesced,
  coalesce(extract_arg(arg_set_id, 'debug.not_begun'), 0) AS not_begun,
  iif(kind = 'app', _ohos_length!(arg_set_id, 'debug.cpu_ms'), NULL) AS cpu_ns,
  -- The sort is slow, and few frames sent several.
  iif(
    extract_arg(arg_set_id, 'debug.transactions[1]') IS NULL,
    cast_string!(extract_arg(arg_set_id, 'debug.transactions[0]')),
    (
      SELECT group_concat(int_value, ' ' ORDER BY id)
      FROM args
      WHERE
        args.arg_set_id = judged.arg_set_id
        AND +flat_key = 'debug.transactions'
    )
  ) AS transactions,
  iif(kind = 'app', extract_arg(arg_set_id, 'debug.sent_ts') + moved, NULL) AS sent_ts,
  render_id,
  gpu_ts,
  gpu_dur,
  draw_ts,
  draw_dur,
  commit_ts,
  iif(commit_ts IS NOT NULL, _ohos_length!(arg_set_id, 'debug.commit_ms'), NULL) AS commit_dur,
  iif(
    commit_ts IS NOT NULL,
    extract_arg(arg_set_id, 'debug.commit_estimated') IS NOT NULL,
    NULL
  ) AS is_commit_estimated,
  present_ts,
  iif(
    present_ts IS NOT NULL,
    extract_arg(arg_set_id, 'debug.present_estimated') IS NOT NULL,
    NULL
  ) AS is_present_estimated
FROM judged;

-- Whole frames: an application frame with the render frame that picked up the last
-- of its transactions. A render frame may belong to several whole frames.
--
-- A whole frame is late if it was done after its expected end, or if it was picked
-- up late. In the second case its expected end, which is that of the render frame, is
-- already one of a later vsync.
CREATE OR REPLACE PERFETTO VIEW ohos_whole_frame(
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
  ON r.id = a.render_id;
