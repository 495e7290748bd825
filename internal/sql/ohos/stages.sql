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
  -- Half of the frames took at most this long.
  p50_ns DURATION,
  -- 90 % did.
  p90_ns DURATION,
  -- 95 % did; NULL for fewer than 20 frames.
  p95_ns DURATION,
  -- 99 % did; NULL for fewer than 100 frames.
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
WITH
  value AS (
    SELECT
      arg_set_id,
      cast_int!(substr(key, length('debug.report.stages[') + 1)) + 1 AS number,
      substr(flat_key, length('debug.report.stages.') + 1) AS name,
      coalesce(string_value, int_value) AS value
    FROM args
    WHERE
      flat_key GLOB 'debug.report.stages.*'
  ),
  entry AS (
    SELECT
      arg_set_id,
      number,
      max(iif(name = 'stage', value, NULL)) AS stage, max(iif(name = 'frames', value, NULL)) AS frames,
      max(iif(name = 'p50_ns', value, NULL)) AS p50_ns, max(iif(name = 'p90_ns', value, NULL)) AS p90_ns,
      max(iif(name = 'max_ns', value, NULL)) AS max_ns,
      max(iif(name = 'longest_of_late', value, NULL)) AS longest_of_late
    FROM value
    GROUP BY
      arg_set_id,
      number
  )
SELECT kind, upid, pid, process_name, number, stage, frames, p50_ns, p90_ns, max_ns, longest_of_late
FROM _ohos_report
JOIN entry USING (arg_set_id)
WHERE
  frames > 0
ORDER BY
  kind,
  upid,
  number;
