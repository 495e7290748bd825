-- Late frames: their number, their causes, and the worst ones.

INCLUDE PERFETTO MODULE ohos.frames;

-- The number of late frames of each process, and of frames with other facts.
CREATE OR REPLACE PERFETTO TABLE ohos_jank(
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Frames that begin and end within the trace; all but truncated count these.
  frames LONG,
  -- Frames that are known to be late or on time.
  judged LONG,
  -- Frames that ended after their deadline, on their thread or on the GPU.
  late LONG,
  -- Late frames / judged frames; NULL if no frame is judged, or too few of another framework.
  jank_rate DOUBLE,
  -- Frames that were late on their thread.
  late_main LONG,
  -- Frames that were late on the GPU.
  late_gpu LONG,
  -- Frames with nothing to show; NULL if it is unknown of all frames, as without markers of
  -- transactions.
  empty LONG,
  -- Empty frames / frames that are known to be empty or not; NULL without complete frames, or if
  -- 'empty' is NULL.
  empty_rate DOUBLE,
  -- Application frames that were picked up on another vsync than the one they were made for, or
  -- render frames that picked such frames up.
  misaligned LONG,
  -- Late by less than 2 of their own refresh periods.
  slight LONG,
  -- Late by 2 to 6.
  medium LONG,
  -- Late by more than 6.
  severe LONG,
  -- Frames in the streak.
  longest_streak LONG,
  -- Start of the first.
  longest_streak_ts TIMESTAMP,
  -- From there to when the last was done.
  longest_streak_dur DURATION,
  -- The thread; NULL, as all that follow, if no frame was late.
  longest_streak_tid LONG,
  -- Time by which late frames ended after their deadlines, in sum; NULL if no frame is judged,
  -- or if by how much frames were late is unknown.
  lost_ns DURATION
)
AS
SELECT
  kind,
  upid,
  pid,
  process_name,
  _ohos_measure!('frames.complete') AS frames, _ohos_measure!('frames.judged') AS judged,
  _ohos_measure!('frames.late') AS late, _ohos_measure!('jank_rate') AS jank_rate,
  _ohos_measure!('frames.late_main') AS late_main, _ohos_measure!('frames.late_gpu') AS late_gpu,
  _ohos_measure!('frames.empty') AS empty, _ohos_measure!('empty_rate') AS empty_rate,
  _ohos_measure!('frames.misaligned') AS misaligned, _ohos_measure!('stutter.slight') AS slight,
  _ohos_measure!('stutter.medium') AS medium, _ohos_measure!('stutter.severe') AS severe,
  _ohos_measure!('longest_streak.frames') AS longest_streak,
  _ohos_measure!('longest_streak.start_ns') + moved AS longest_streak_ts,
  _ohos_measure!('longest_streak.end_ns') - _ohos_measure!('longest_streak.start_ns') AS longest_streak_dur,
  _ohos_measure!('longest_streak.tid') AS longest_streak_tid, _ohos_measure!('lost_ns') AS lost_ns
FROM _ohos_report;

-- The causes of late whole frames: for an application its own frames, for
-- render_service all that it finished.
CREATE OR REPLACE PERFETTO TABLE ohos_blame(
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Whole frames that are known to be late or on time; for a render service, those that it
  -- finished.
  judged LONG,
  -- Late ones among them.
  late LONG,
  -- The application missed its deadline.
  application LONG,
  -- The render service's main thread missed its deadline.
  render_cpu LONG,
  -- The render frame's GPU work missed its deadline.
  render_gpu LONG,
  -- The frame was picked up on a later vsync.
  pick_up LONG
)
AS
SELECT
  kind,
  upid,
  pid,
  process_name,
  _ohos_measure!('whole_frames.judged') AS judged, _ohos_measure!('whole_frames.late') AS late,
  _ohos_measure!('whole_frames.blame.application') AS application,
  _ohos_measure!('whole_frames.blame.render_cpu') AS render_cpu,
  _ohos_measure!('whole_frames.blame.render_gpu') AS render_gpu,
  _ohos_measure!('whole_frames.blame.pick_up') AS pick_up
FROM _ohos_report;

-- The late frames of each process, ordered by overrun, the largest first.
CREATE OR REPLACE PERFETTO TABLE ohos_worst_frame(
  -- The frame.
  id ID(slice.id),
  -- Its place in its process: 1 is the worst.
  rank LONG,
  -- When work on it began.
  ts TIMESTAMP,
  -- How long its thread worked on it.
  dur DURATION,
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- The process's id in the system.
  pid LONG,
  -- The thread's.
  tid LONG,
  -- The process's name.
  process_name STRING,
  -- The vsync.
  vsync_id LONG,
  -- The render frame that picked up an application frame.
  render_id JOINID(slice.id),
  -- By how much it missed its deadline.
  overrun_ns DURATION,
  -- The same in its own refresh periods.
  overrun_periods DOUBLE,
  -- The longest of the stages that end by the deadline, as in ohos_stage.
  longest_stage STRING
)
AS
WITH
  late AS MATERIALIZED (
    SELECT
      id,
      ts,
      dur,
      kind,
      upid,
      utid,
      pid,
      tid,
      process_name,
      vsync_id,
      render_id,
      overrun_ns,
      period_ns,
      longest_stage,
      work_end_ts
    FROM ohos_frame
    WHERE
      is_late
  )
SELECT
  id,
  row_number() OVER (PARTITION BY kind, upid ORDER BY overrun_ns DESC, ts, tid, vsync_id, work_end_ts) AS rank,
  ts,
  dur,
  kind,
  upid,
  utid,
  pid,
  tid,
  process_name,
  vsync_id,
  render_id,
  overrun_ns,
  overrun_ns * 1.0 / period_ns AS overrun_periods,
  longest_stage
FROM late
ORDER BY
  id;
