-- Late frames: their number, their causes, and the worst ones.

INCLUDE PERFETTO MODULE ohos.frames;

-- Counts late frames and other facts for each process. The table must have the
-- columns of ohos_frame.
CREATE OR REPLACE PERFETTO MACRO _ohos_jank(
  frames TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT
    kind,
    upid,
    pid,
    process_name,
    count() AS frames,
    count(is_late) AS with_deadline,
    coalesce(sum(is_late), 0) AS late,
    avg(is_late) AS jank_rate,
    coalesce(sum(is_late_main), 0) AS late_main,
    coalesce(sum(is_late_gpu), 0) AS late_gpu,
    -- If all frames of a kind are empty, markers of transactions are missing.
    iif(min(min(is_empty)) OVER (PARTITION BY kind), NULL, sum(is_empty)) AS empty,
    iif(min(min(is_empty)) OVER (PARTITION BY kind), NULL, sum(is_empty) * 1.0 / count()) AS empty_rate,
    sum(is_misaligned) AS misaligned,
    sum(coalesce(is_late AND deadline_ts IS NOT NULL AND overrun < 2 * period, FALSE)) AS slight,
    sum(coalesce(is_late AND deadline_ts IS NOT NULL AND overrun BETWEEN 2 * period AND 6 * period, FALSE)) AS medium,
    sum(coalesce(is_late AND deadline_ts IS NOT NULL AND overrun > 6 * period, FALSE)) AS severe
  FROM $frames
  GROUP BY
    kind,
    upid
);

-- Late frames in a row on each thread. A frame that is on time or empty ends a
-- streak. A frame of which it is unknown whether it was late is ignored. The table
-- must have the columns of ohos_frame.
CREATE OR REPLACE PERFETTO MACRO _ohos_late_streak(
  frames TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH
    numbered AS MATERIALIZED (
      SELECT
        id,
        ts,
        end_ts,
        kind,
        upid,
        utid,
        tid,
        vsync_id,
        is_late,
        row_number() OVER in_order AS number,
        sum(NOT is_late) OVER in_order AS in_time_before
      FROM $frames
      WHERE
        is_late IS NOT NULL
      WINDOW
        in_order AS (PARTITION BY kind, upid, tid ORDER BY ts, vsync_id, end_ts)
    ),
    streak AS (
      SELECT
        kind,
        upid,
        tid,
        count() AS frames,
        min(number) AS first,
        max(number) AS last
      FROM numbered
      WHERE
        is_late
      GROUP BY
        kind,
        upid,
        tid,
        in_time_before
    )
  SELECT
    f.id AS first_id,
    l.id AS last_id,
    f.ts,
    l.end_ts - f.ts AS dur,
    s.kind,
    s.upid,
    f.utid,
    s.tid,
    f.vsync_id,
    s.frames
  FROM streak AS s
  JOIN numbered AS f
    ON f.kind = s.kind
    AND f.upid = s.upid
    AND f.tid = s.tid
    AND f.number = s.first
  JOIN numbered AS l
    ON l.kind = s.kind
    AND l.upid = s.upid
    AND l.tid = s.tid
    AND l.number = s.last
);

-- Counts whole frames for each process and the causes of late ones: of an application
-- its own frames, of a renderer all those that it finished. The tables must have the
-- columns of ohos_frame and ohos_whole_frame.
CREATE OR REPLACE PERFETTO MACRO _ohos_blame(
  frames TableOrSubquery,
  whole_frames TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH
    whole AS MATERIALIZED (
      SELECT id AS frame_id, is_late, ', ' || blame || ', ' AS blame
      FROM $whole_frames
      UNION ALL
      SELECT render_id AS frame_id, is_late, ', ' || blame || ', ' AS blame
      FROM $whole_frames
      WHERE
        render_id IS NOT NULL
    )
  SELECT
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
  FROM $frames AS f
  LEFT JOIN whole AS w
    ON w.frame_id = f.id
  GROUP BY
    f.kind,
    f.upid
);

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
  -- Number of frames.
  frames LONG,
  -- Number of frames with a known deadline.
  with_deadline LONG,
  -- How many were done after their deadline.
  late LONG,
  -- late / with_deadline, 0 to 1.
  jank_rate DOUBLE,
  -- How many were late on their thread.
  late_main LONG,
  -- How many were late on the GPU.
  late_gpu LONG,
  -- How many made nothing to show; NULL if all frames of the kind are like that, as
  -- without markers of transactions.
  empty LONG,
  -- empty / frames, 0 to 1; NULL if empty is.
  empty_rate DOUBLE,
  -- How many were not picked up on the vsync they were made for, or picked such
  -- frames up.
  misaligned LONG,
  -- How many overran by less than two of their refresh periods.
  slight LONG,
  -- How many overran by two to six of them.
  medium LONG,
  -- How many overran by more than six.
  severe LONG
)
AS
SELECT * FROM _ohos_jank!(ohos_frame);

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
  -- Of how many whole frames it is known when they should have been done.
  judged LONG,
  -- How many of them are late: the sum of the four that follow.
  late LONG,
  -- The application missed its deadline.
  application LONG,
  -- render_service's main thread missed its own.
  render_cpu LONG,
  -- The work on the GPU did.
  render_gpu LONG,
  -- All work was on time, but the frame was picked up on a later vsync.
  pick_up LONG
)
AS
SELECT kind, upid, pid, process_name, judged, late, application, render_cpu, render_gpu, pick_up
FROM _ohos_blame!(ohos_frame, ohos_whole_frame);

-- Late frames in a row on one thread. A frame that is on time or empty ends a streak.
-- A frame without a deadline is ignored.
CREATE OR REPLACE PERFETTO TABLE ohos_late_streak(
  -- The first of the frames.
  first_id JOINID(slice.id),
  -- The last of them.
  last_id JOINID(slice.id),
  -- When the first began.
  ts TIMESTAMP,
  -- From there to when the last was done.
  dur DURATION,
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- The thread.
  utid JOINID(thread.id),
  -- Its id in the system.
  tid LONG,
  -- The vsync of the first.
  vsync_id LONG,
  -- How many frames.
  frames LONG
)
AS
SELECT * FROM _ohos_late_streak!(ohos_frame)
ORDER BY
  ts,
  first_id;

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
  overrun DURATION,
  -- The same in its own refresh periods.
  overrun_periods DOUBLE
)
AS
SELECT
  id,
  row_number() OVER (PARTITION BY kind, upid ORDER BY overrun DESC, ts, tid, vsync_id, end_ts) AS rank,
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
  overrun,
  overrun * 1.0 / period AS overrun_periods
FROM ohos_frame
WHERE
  is_late
ORDER BY
  id;
