-- Durations of frames and of their stages.

INCLUDE PERFETTO MODULE ohos.frames;

-- Percentiles of frames' durations for each process, by nearest rank: the P-th
-- of n durations in order is number P * n / 100, rounded up. The table must have
-- the columns of ohos_frame.
CREATE OR REPLACE PERFETTO MACRO _ohos_duration(
  frames TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH
    ranked AS (
      SELECT
        kind,
        upid,
        pid,
        process_name,
        dur,
        row_number() OVER (PARTITION BY kind, upid ORDER BY dur) AS rank,
        count() OVER (PARTITION BY kind, upid) AS frames
      FROM $frames
    )
  SELECT
    kind,
    upid,
    pid,
    process_name,
    frames,
    max(iif(rank = (50 * frames + 99) / 100, dur, NULL)) AS p50,
    max(iif(rank = (90 * frames + 99) / 100, dur, NULL)) AS p90,
    max(iif(frames >= 20 AND rank = (95 * frames + 99) / 100, dur, NULL)) AS p95,
    max(iif(frames >= 100 AND rank = (99 * frames + 99) / 100, dur, NULL)) AS p99,
    max(dur) AS max
  FROM ranked
  GROUP BY
    kind,
    upid
);

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
  -- Half of them took at most so long: a percentile by nearest rank, as the
  -- others are.
  p50 DURATION,
  -- 90 of 100 did.
  p90 DURATION,
  -- 95 of 100 did. NULL for fewer than 20 frames.
  p95 DURATION,
  -- 99 of 100 did. NULL for fewer than 100 frames.
  p99 DURATION,
  -- The longest.
  max DURATION
)
AS
SELECT * FROM _ohos_duration!(ohos_frame);

-- The stages of frames, one row per frame and stage. The last stages of an
-- application frame are those of the render frame that picked it up. Stages may
-- overlap and need not add up. An unknown stage has no row.
CREATE OR REPLACE PERFETTO TABLE ohos_frame_stage(
  -- The frame.
  id JOINID(slice.id),
  -- The place of the stage on the way, from 1.
  number LONG,
  -- 'vsync_to_received': until the thread began to work on it. 'ui_work': the
  -- application's work. 'transaction_to_pick_up': from the last transaction to
  -- the render frame's begin, zero if that was running. 'render_main': the
  -- render frame's work. 'render_draw': the render thread's. 'render_gpu': from
  -- the first work on the GPU to the end of the last. 'commit': the layers' way to
  -- the display. 'commit_to_present': until it was shown, unknown if that time is
  -- earlier or estimated.
  stage STRING,
  -- How long it took.
  dur DURATION,
  -- It is the longest of the frame's stages that end by its deadline, the first of
  -- equals: 'vsync_to_received' or 'ui_work' of an application frame,
  -- 'vsync_to_received', 'render_main', 'render_draw' or 'render_gpu' of a render
  -- frame.
  is_longest BOOL
)
AS
WITH
  pair AS MATERIALIZED (
    SELECT
      f.id,
      f.kind,
      f.ts,
      f.dur,
      f.vsync_ts,
      f.sent_ts,
      r.ts AS render_ts,
      r.dur AS render_dur,
      r.draw_dur,
      r.gpu_dur,
      r.commit_dur,
      r.commit_ts + r.commit_dur AS commit_end,
      r.present_ts,
      r.is_present_estimated
    FROM ohos_frame AS f
    LEFT JOIN ohos_frame AS r
      ON r.id = iif(f.kind = 'render', f.id, f.render_id)
  ),
  stage AS (
    SELECT id, 1 AS number, 'vsync_to_received' AS stage, iif(ts >= vsync_ts, ts - vsync_ts, NULL) AS dur FROM pair
    UNION ALL
    SELECT id, 2 AS number, 'ui_work' AS stage, iif(kind = 'app', dur, NULL) AS dur FROM pair
    UNION ALL
    SELECT id, 3 AS number, 'transaction_to_pick_up' AS stage, max(0, render_ts - sent_ts) AS dur FROM pair
    UNION ALL
    SELECT id, 4 AS number, 'render_main' AS stage, render_dur AS dur FROM pair
    UNION ALL
    SELECT id, 5 AS number, 'render_draw' AS stage, draw_dur AS dur FROM pair
    UNION ALL
    SELECT id, 6 AS number, 'render_gpu' AS stage, gpu_dur AS dur FROM pair
    UNION ALL
    SELECT id, 7 AS number, 'commit' AS stage, commit_dur AS dur FROM pair
    UNION ALL
    SELECT
      id,
      8 AS number,
      'commit_to_present' AS stage,
      iif(present_ts >= commit_end AND NOT is_present_estimated, present_ts - commit_end, NULL) AS dur
    FROM pair
  ),
  timed AS (
    SELECT stage.*, number <= iif(kind = 'app', 2, 6) AS is_before_deadline
    FROM stage
    JOIN pair USING (id)
  )
SELECT
  id,
  number,
  stage,
  dur,
  is_before_deadline
  AND row_number() OVER (PARTITION BY id, is_before_deadline ORDER BY dur DESC, number) = 1 AS is_longest
FROM timed
WHERE
  dur IS NOT NULL
ORDER BY
  id,
  number;

-- The durations of each stage of each process's frames.
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
  -- The stage, as in ohos_frame_stage.
  stage STRING,
  -- Of how many frames it is known. Those that one render frame took together
  -- each have its times.
  frames LONG,
  -- Half of the frames took at most so long for it.
  p50 DURATION,
  -- 90 of 100 did.
  p90 DURATION,
  -- The longest.
  max DURATION,
  -- Of how many of the process's late frames it was the longest stage before the
  -- deadline.
  longest_of_late LONG
)
AS
WITH
  ranked AS (
    SELECT
      f.kind,
      f.upid,
      f.pid,
      f.process_name,
      f.is_late,
      s.number,
      s.stage,
      s.dur,
      s.is_longest,
      row_number() OVER (PARTITION BY f.kind, f.upid, s.number ORDER BY s.dur) AS rank,
      count() OVER (PARTITION BY f.kind, f.upid, s.number) AS frames
    FROM ohos_frame_stage AS s
    JOIN ohos_frame AS f USING (id)
  )
SELECT
  kind,
  upid,
  pid,
  process_name,
  number,
  stage,
  frames,
  max(iif(rank = (50 * frames + 99) / 100, dur, NULL)) AS p50,
  max(iif(rank = (90 * frames + 99) / 100, dur, NULL)) AS p90,
  max(dur) AS max,
  coalesce(sum(is_longest AND is_late), 0) AS longest_of_late
FROM ranked
GROUP BY
  kind,
  upid,
  number;
