-- Durations of frames and of their stages.

INCLUDE PERFETTO MODULE ohos.slices;

-- The durations of each process's frames: their actual intervals on the Actual
-- Timeline. That of a render frame is the work of the main thread only.
CREATE OR REPLACE PERFETTO TABLE ohos_frame_duration(
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Number of frames.
  frames LONG,
  -- Half of the complete frames took at most this long.
  p50_ns DURATION,
  -- 90 % of the complete frames took at most this long.
  p90_ns DURATION,
  -- 95 % of the complete frames, late or not, took at most this long; NULL for fewer than 20.
  p95_ns DURATION,
  -- 99 % of the complete frames took at most this long; NULL for fewer than 100.
  p99_ns DURATION,
  -- The longest.
  max_ns DURATION
)
AS
SELECT
  kind,
  upid,
  pid,
  process_name,
  _ohos_measure!('durations.frames') AS frames, _ohos_measure!('durations.p50_ns') AS p50_ns,
  _ohos_measure!('durations.p90_ns') AS p90_ns, _ohos_measure!('durations.p95_ns') AS p95_ns,
  _ohos_measure!('durations.p99_ns') AS p99_ns, _ohos_measure!('durations.max_ns') AS max_ns
FROM _ohos_report
WHERE
  _ohos_measure!('durations.frames') IS NOT NULL;

-- The durations of each stage of each process's frames. Those of an application include
-- the stages of the render frames that picked its frames up. Stages may overlap and need
-- not add up.
CREATE OR REPLACE PERFETTO TABLE ohos_stage(
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- The place of the stage on the way, from 1.
  number LONG,
  -- 'vsync_to_received', 'ui_work', 'transaction_to_pick_up', 'render_main', 'render_draw',
  -- 'render_gpu', 'commit' or 'commit_to_present' (docs/frames.md 9.11).
  stage STRING,
  -- Frames in which the duration of the stage is known.
  frames LONG,
  -- Half of the times are at most this long; NULL without times.
  p50_ns DURATION,
  -- 90 % of them are.
  p90_ns DURATION,
  -- The longest.
  max_ns DURATION,
  -- Late frames in which this was the longest stage before the deadline.
  longest_of_late LONG
)
AS
SELECT
  extract_arg(arg_set_id, 'debug.report.kind') AS kind,
  upid,
  pid,
  process_name,
  number,
  _ohos_of!('stage') AS stage, _ohos_of!('frames') AS frames, _ohos_of!('p50_ns') AS p50_ns,
  _ohos_of!('p90_ns') AS p90_ns, _ohos_of!('max_ns') AS max_ns, _ohos_of!('longest_of_late') AS longest_of_late
FROM _ohos_values!('Report', 'report.stages')
GROUP BY
  id,
  number
HAVING
  frames > 0
ORDER BY
  kind,
  upid,
  number;
