-- Frames per second, and hitches: frames that were shown too late.

INCLUDE PERFETTO MODULE ohos.frames;

-- The render frames that showed something of a process: for render_service all of
-- its frames, for an application those that took at least one of its transactions.
CREATE OR REPLACE PERFETTO TABLE ohos_shown_frame(
  -- 'app' or 'render': whose frames they showed.
  kind STRING,
  -- The process whose frames they showed.
  upid JOINID(process.id),
  -- The render frame.
  render_id JOINID(slice.id),
  -- When work on the render frame began. A converted dump of Android's latencies
  -- does not tell: there it is the present.
  ts TIMESTAMP,
  -- When its layers went to the display.
  commit_ts TIMESTAMP,
  -- When the display showed it.
  present_ts TIMESTAMP,
  -- When its vsync was due, in such a dump the present.
  vsync_ts TIMESTAMP,
  -- The refresh period when it was made.
  period DURATION,
  -- The vsync on which there was first something for it to draw: its own, or
  -- that on which the earliest of its application frames was to be picked up,
  -- which is at the deadline, or if that is not known a period after its vsync;
  -- earlier by the vsyncs that the threads were too busy to take.
  due_ts TIMESTAMP,
  -- There may have been something to draw before due_ts. Only in such a dump.
  is_due_unsure BOOL
)
AS
WITH
  -- When application frames were to be picked up, for each render frame that
  -- took transactions of theirs.
  pick_up AS MATERIALIZED (
    SELECT
      a.upid,
      t.render_id,
      t.render_id = a.render_id AS is_last,
      coalesce(f.wanted_ts, f.is_wanted_unknown) IS NOT NULL AS is_of_layer,
      f.is_wanted_unknown IS NOT NULL AS is_unsure,
      CASE
        WHEN f.is_wanted_unknown IS NOT NULL THEN NULL
        WHEN f.wanted_ts IS NOT NULL THEN f.wanted_ts + coalesce(a.period, 0)
        ELSE coalesce(
          a.deadline_ts,
          coalesce(a.vsync_ts, a.expected_ts, a.ts) + coalesce(a.period, r.period)
        )
        - coalesce(a.coalesced * coalesce(a.period, a.deadline_ts - a.vsync_ts), 0)
      END AS due_ts
    FROM _ohos_taken AS t
    JOIN ohos_frame AS a USING (id)
    JOIN ohos_frame AS r
      ON r.id = t.render_id
    LEFT JOIN _ohos_track_frame AS f
      ON f.event_id = a.event_id
  ),
  -- What each render frame showed whom, and since when that was to be shown.
  demand AS MATERIALIZED (
    SELECT
      'app' AS kind,
      upid,
      render_id,
      min(due_ts) AS due_ts,
      max(is_of_layer) AS is_of_layer,
      max(is_unsure) AS is_unsure
    FROM pick_up
    GROUP BY
      upid,
      render_id
    UNION ALL
    SELECT
      'render' AS kind,
      r.upid,
      r.id AS render_id,
      p.due_ts,
      coalesce(p.is_of_layer, FALSE) AS is_of_layer,
      coalesce(p.is_unsure, FALSE) AS is_unsure
    FROM ohos_frame AS r
    LEFT JOIN (
      SELECT
        render_id,
        min(due_ts) AS due_ts,
        max(is_of_layer) AS is_of_layer,
        max(is_unsure) AS is_unsure
      FROM pick_up
      WHERE
        is_last
      GROUP BY
        render_id
    ) AS p
      ON p.render_id = r.id
    WHERE
      r.kind = 'render'
      AND (NOT r.is_empty OR r.commit_ts IS NOT NULL OR r.present_ts IS NOT NULL)
  ),
  shown AS (
    SELECT
      d.kind,
      d.upid,
      d.render_id,
      d.due_ts AS demanded_ts,
      coalesce(iif(d.is_of_layer, r.present_ts, NULL), r.ts) AS ts,
      r.commit_ts,
      r.present_ts,
      coalesce(iif(d.is_of_layer, r.present_ts, NULL), r.vsync_ts, r.expected_ts, r.ts) AS vsync_ts,
      r.period,
      coalesce(r.coalesced * r.period, 0) AS queued,
      d.is_unsure
    FROM demand AS d
    JOIN ohos_frame AS r
      ON r.id = d.render_id
  )
SELECT
  kind,
  upid,
  render_id,
  ts,
  commit_ts,
  present_ts,
  vsync_ts,
  period,
  min(vsync_ts - queued, coalesce(demanded_ts, vsync_ts - queued)) AS due_ts,
  is_unsure AS is_due_unsure
FROM shown
ORDER BY
  kind,
  upid,
  ts;

-- Frames per second of each process, with and without idle time. Frames that were
-- shown at the same time count once. The table must have the columns of
-- ohos_shown_frame.
CREATE OR REPLACE PERFETTO MACRO _ohos_fps(
  shown TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  WITH
    happened AS (
      SELECT 1 AS choice, 'present' AS event, present_ts AS shown_ts, * FROM $shown
      UNION ALL
      SELECT 2 AS choice, 'commit' AS event, commit_ts AS shown_ts, * FROM $shown
      UNION ALL
      SELECT 3 AS choice, 'render_start' AS event, ts AS shown_ts, * FROM $shown
    ),
    -- The first of those that were shown at the same time.
    distinct_time AS (
      SELECT *
      FROM (
        SELECT
          *,
          row_number() OVER (PARTITION BY choice, kind, upid, shown_ts ORDER BY ts) AS place
        FROM happened
        WHERE
          shown_ts IS NOT NULL
      )
      WHERE
        place = 1
    ),
    pair AS (
      SELECT
        choice,
        event,
        kind,
        upid,
        shown_ts,
        due_ts,
        is_due_unsure,
        shown_ts - lag(shown_ts) OVER in_order AS dur,
        lag(vsync_ts) OVER in_order AS first_vsync_ts,
        max(coalesce(period, 0), coalesce(lag(period) OVER in_order, 0)) AS period
      FROM distinct_time
      WINDOW
        in_order AS (PARTITION BY choice, kind, upid ORDER BY shown_ts)
    ),
    waiting AS (
      SELECT
        *,
        min(due_ts - (first_vsync_ts + period), max(0, dur - period)) AS waited,
        2 * (due_ts - (first_vsync_ts + period)) >= period AS is_idle
      FROM pair
    ),
    gap AS (
      SELECT
        *,
        CASE
          WHEN dur IS NULL THEN NULL
          WHEN period <= 0 THEN NULL
          WHEN NOT is_idle THEN 0
          WHEN is_due_unsure AND waited > 0 AND 10 * (dur - period) >= 7 * period THEN NULL
          ELSE waited
        END AS idle
      FROM waiting
    ),
    counted AS (
      SELECT
        choice,
        event,
        kind,
        upid,
        count() AS frames,
        min(shown_ts) AS first_ts,
        max(shown_ts) AS last_ts,
        count(dur) / (sum(dur) / 1e9) AS fps_all,
        count(dur)
        / ((sum(dur) - iif(count(idle) = count(dur), sum(idle), 0)) / 1e9) AS fps
      FROM gap
      GROUP BY
        choice,
        kind,
        upid
    )
  SELECT
    kind,
    upid,
    min(choice) AS choice,
    event,
    frames,
    first_ts,
    last_ts,
    fps,
    fps_all
  FROM counted
  WHERE
    frames >= 2
  GROUP BY
    kind,
    upid
);

-- Frames per second of each process that showed at least two frames.
CREATE OR REPLACE PERFETTO TABLE ohos_fps(
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- The event that counts as shown: 'present', where
  -- less than two presents are known 'commit', else 'render_start'.
  event STRING,
  -- How many frames were shown, at different times.
  frames LONG,
  -- When the first was.
  first_ts TIMESTAMP,
  -- When the last was.
  last_ts TIMESTAMP,
  -- While animating: (frames - 1) / (last_ts - first_ts - idle time), a second. If
  -- idle time is not known, none is left out.
  fps DOUBLE,
  -- Idle time included: (frames - 1) / (last_ts - first_ts), a second.
  fps_all DOUBLE
)
AS
SELECT kind, upid, pid, p.name AS process_name, event, frames, first_ts, last_ts, fps, fps_all
FROM _ohos_fps!(ohos_shown_frame)
JOIN process AS p USING (upid);

-- Frames per second of each process in an interval.
CREATE OR REPLACE PERFETTO FUNCTION ohos_fps_between(
  -- When it begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION
)
RETURNS TABLE(
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- The event that counts as shown: 'present', where
  -- less than two presents are known 'commit', else 'render_start'.
  event STRING,
  -- How many frames were shown then, at different times.
  frames LONG,
  -- While animating, without idle time, a second.
  fps DOUBLE,
  -- (frames - 1) / (the last - the first), a second.
  fps_all DOUBLE
)
AS
SELECT kind, upid, pid, p.name AS process_name, event, frames, fps, fps_all
FROM _ohos_fps!((
  SELECT
    kind,
    upid,
    iif(ts BETWEEN $ts AND $ts + $dur, ts, NULL) AS ts,
    iif(commit_ts BETWEEN $ts AND $ts + $dur, commit_ts, NULL) AS commit_ts,
    iif(present_ts BETWEEN $ts AND $ts + $dur, present_ts, NULL) AS present_ts,
    vsync_ts,
    period,
    due_ts,
    is_due_unsure
  FROM ohos_shown_frame
))
JOIN process AS p USING (upid);

-- Frames per second of each process over the second up to each of its presents, as
-- the counter FPS of converted traces: (frames - 1) / (the last - the first) in that
-- second. It does not count the time before the first present.
CREATE OR REPLACE PERFETTO TABLE ohos_fps_over_time(
  -- When a frame was shown, at least the second one in a second.
  ts TIMESTAMP,
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Frames per second in the second that ends then.
  fps DOUBLE
)
AS
WITH
  present AS (
    SELECT
      ts,
      kind,
      upid,
      count() OVER last_second AS frames,
      min(ts) OVER last_second AS first_ts
    FROM (
      SELECT DISTINCT present_ts AS ts, kind, upid
      FROM ohos_shown_frame
      WHERE
        present_ts IS NOT NULL
    )
    WINDOW
      last_second AS (
        PARTITION BY kind, upid
        ORDER BY
          ts
        RANGE BETWEEN 999999999 PRECEDING AND CURRENT ROW
      )
  )
SELECT ts, kind, upid, (frames - 1) * 1e9 / (ts - first_ts) AS fps
FROM present
WHERE
  frames > 1
ORDER BY
  ts;

-- The gaps between two consecutive presents.
--
-- A gap should last one refresh period (the longer one if the display changed its
-- rate) plus the time in which nothing was to be drawn. Gaps are omitted if a frame
-- between them has an unknown present time, if the period is unknown, or if presents
-- are out of order. If it is unknown whether the application was slow or had nothing
-- to draw, it is unknown whether the gap is a hitch.
CREATE OR REPLACE PERFETTO TABLE ohos_present_gap(
  -- The first present.
  ts TIMESTAMP,
  -- From there to the second.
  dur DURATION,
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- The render frame that the second showed.
  render_id JOINID(slice.id),
  -- The refresh period.
  period DURATION,
  -- How long nothing was to be drawn. NULL if it is not known.
  idle DURATION,
  -- dur - period - idle, if that is 0.7 periods or more, else zero. NULL if it is
  -- not known.
  hitch DURATION,
  -- How many frames fit into the hitch: rounded up from .7 on, else down. NULL if
  -- it is not known.
  lost_frames LONG
)
AS
WITH
  pair AS (
    SELECT
      kind,
      upid,
      render_id,
      due_ts,
      is_due_unsure,
      present_ts AS second_ts,
      lag(present_ts) OVER in_order AS first_ts,
      lag(vsync_ts) OVER in_order AS first_vsync_ts,
      max(coalesce(period, 0), coalesce(lag(period) OVER in_order, 0)) AS period
    FROM ohos_shown_frame
    WHERE
      present_ts IS NOT NULL
      OR commit_ts IS NOT NULL
    WINDOW
      in_order AS (PARTITION BY kind, upid ORDER BY ts)
  ),
  gap AS (
    SELECT *, due_ts - (first_vsync_ts + period) AS waited
    FROM pair
    WHERE
      second_ts > first_ts
      AND period > 0
  ),
  judged AS (
    SELECT
      *,
      CASE
        WHEN 2 * waited < period THEN 0
        WHEN NOT is_due_unsure THEN min(waited, second_ts - first_ts)
        -- Too short for a hitch, whatever the application did.
        WHEN 10 * (second_ts - first_ts - period) < 7 * period THEN 0
      END AS idle
    FROM gap
  ),
  late AS (
    SELECT *, second_ts - first_ts - period - idle AS too_long FROM judged
  )
SELECT
  first_ts AS ts,
  second_ts - first_ts AS dur,
  kind,
  upid,
  render_id,
  period,
  idle,
  CASE
    WHEN 10 * too_long >= 7 * period THEN too_long
    WHEN too_long IS NOT NULL THEN 0
  END AS hitch,
  CASE
    WHEN 10 * too_long >= 7 * period THEN (10 * too_long + 3 * period) / (10 * period)
    WHEN too_long IS NOT NULL THEN 0
  END AS lost_frames
FROM late
ORDER BY
  ts;

-- The hitches of each process. Processes with an unknown gap are omitted.
CREATE OR REPLACE PERFETTO TABLE ohos_hitch_ratio(
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- How many gaps between presents could be judged.
  gaps LONG,
  -- How long they are together.
  dur DURATION,
  -- How long nothing was to be drawn, of that.
  idle DURATION,
  -- How many gaps were hitches.
  hitches LONG,
  -- By how much they were too long, together.
  hitch DURATION,
  -- How many frames fit into that.
  lost_frames LONG,
  -- hitch in milliseconds / dur in seconds.
  hitch_ms_per_s DOUBLE
)
AS
SELECT
  g.kind,
  g.upid,
  p.pid,
  p.name AS process_name,
  count() AS gaps,
  sum(g.dur) AS dur,
  sum(g.idle) AS idle,
  sum(g.hitch > 0) AS hitches,
  sum(g.hitch) AS hitch,
  sum(g.lost_frames) AS lost_frames,
  sum(g.hitch) * 1e3 / sum(g.dur) AS hitch_ms_per_s
FROM ohos_present_gap AS g
JOIN process AS p USING (upid)
GROUP BY
  g.kind,
  g.upid
HAVING
  count(g.hitch) = count();
