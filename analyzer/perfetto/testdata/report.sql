-- What `ohframe report` says of Android's frames, from the engine's own tables: each
-- query returns numbers under the names that they have in JSON.

CREATE PERFETTO TABLE report_layer AS
WITH
  layer AS (
    SELECT
      id,
      upid,
      iif(surface_frame_token IS NULL, 'render', 'app') AS kind,
      cast_int!(name) AS token,
      display_frame_token AS display,
      max(ts, 1) AS ts, -- time 0 is read as 1 ns
      iif(dur < 0, NULL, ts + dur) AS end_ts,
      jank_type AS jank,
      present_type AS present,
      on_time_finish AS on_time,
      present_type = 'Dropped Frame' OR jank_type GLOB '*Dropped Frame*' AS dropped
    FROM actual_frame_timeline_slice
  ),
  started AS (
    SELECT
      *,
      kind = 'render'
      OR token <= 0
      OR lag(ts) OVER same_token IS NULL
      OR ts - lag(ts) OVER same_token > 500000000 AS starts_frame
    FROM layer
    WINDOW same_token AS (PARTITION BY kind, upid, token ORDER BY ts, id)
  )
SELECT *, sum(starts_frame) OVER (PARTITION BY kind, upid, token ORDER BY ts, id) AS part
FROM started;

CREATE PERFETTO TABLE report_frame AS
WITH
  expected AS (
    SELECT
      upid,
      iif(surface_frame_token IS NULL, 'render', 'app') AS kind,
      cast_int!(name) AS token,
      max(ts, 1) AS expected_ts,
      ts + dur AS deadline,
      row_number() OVER (PARTITION BY upid, name, surface_frame_token IS NULL ORDER BY ts, id) AS n
    FROM expected_frame_timeline_slice
    WHERE
      dur > 0
      AND cast_int!(name) > 0
  ),
  frame AS (
    SELECT
      min(id) AS id,
      kind,
      upid,
      token,
      part,
      min(ts) AS ts,
      count(end_ts) < count() AS cut,
      min(dropped) AS dropped,
      coalesce(max(iif(dropped, NULL, end_ts)), max(end_ts)) AS end_ts,
      coalesce(min(iif(dropped, NULL, on_time)), min(on_time)) AS on_time,
      max(NOT dropped AND present = 'Late Present') AS shown_late,
      max(NOT dropped AND present IN ('On-time Present', 'Late Present', 'Early Present')) AS shown,
      max(jank GLOB '*App Deadline Missed*') AS app,
      max(jank GLOB '*App Resynced Jitter*') AS resynced,
      max(jank GLOB '*SurfaceFlinger CPU Deadline Missed*') AS cpu,
      max(jank GLOB '*SurfaceFlinger GPU Deadline Missed*') AS gpu,
      max(jank GLOB '*SurfaceFlinger Scheduling*') AS scheduling,
      max(jank GLOB '*Display HAL*') AS hal,
      max(jank GLOB '* Stuffing*') AS stuffed,
      max(jank GLOB '*Prediction Error*') AS prediction,
      max(jank GLOB '*Dropped Frame*') AS dropped_jank,
      max(jank GLOB '*Unknown Jank*') AS unknown
    FROM report_layer
    GROUP BY
      kind,
      upid,
      token,
      part
  )
SELECT
  f.*,
  p.pid,
  p.name AS process_name,
  max(0, f.token) AS vsync_id,
  e.expected_ts,
  e.deadline
FROM frame AS f
JOIN process AS p USING (upid)
-- A token that comes again after a restart is that of another frame.
LEFT JOIN expected AS e
  ON e.upid = f.upid
  AND e.kind = f.kind
  AND e.token = f.token
  AND e.n = 1
  AND f.part = 1;

-- What render frames took of application frames.
CREATE PERFETTO TABLE report_taken AS
WITH
  candidate AS (
    SELECT
      f.id,
      l.end_ts,
      r.id AS render_id,
      r.ts AS render_ts,
      -- After a restart the next frame with the token.
      row_number() OVER (PARTITION BY l.id ORDER BY r.ts < f.ts, abs(r.ts - f.ts)) AS n
    FROM report_layer AS l
    JOIN report_frame AS f
      ON f.kind = l.kind
      AND f.upid = l.upid
      AND f.token = l.token
      AND f.part = l.part
    JOIN report_frame AS r
      ON r.kind = 'render'
      AND r.token = l.display
    WHERE
      f.kind = 'app'
      AND NOT f.cut
      AND NOT l.dropped
      AND l.display > 0
  )
SELECT
  id,
  render_id,
  max(end_ts) AS sent_ts,
  row_number() OVER (PARTITION BY id ORDER BY render_ts DESC) = 1 AS is_last
FROM candidate
WHERE
  n = 1
GROUP BY
  id,
  render_id;

-- Times between the expected ends of display frames, else of each process's own.
CREATE PERFETTO TABLE report_gap AS
WITH
  vsync AS (
    SELECT -1 AS scope, deadline AS ts FROM report_frame WHERE kind = 'render'
    UNION ALL
    SELECT upid AS scope, deadline AS ts FROM report_frame
  ),
  gap AS (
    SELECT scope, lag(ts) OVER in_scope AS ts, ts - lag(ts) OVER in_scope AS gap
    FROM vsync
    WHERE
      ts IS NOT NULL
    WINDOW in_scope AS (PARTITION BY scope ORDER BY ts)
  )
SELECT *, row_number() OVER (PARTITION BY scope ORDER BY ts) - 1 AS place
FROM gap
WHERE
  gap BETWEEN 2000000 AND 1000000000;

-- Eight gaps on either side make the period: their shortest, then twice the mean of
-- those that are near a whole number of periods, at most eight.
CREATE PERFETTO TABLE report_period AS
WITH
  scoped AS (
    SELECT
      id,
      ts,
      iif(kind = 'render' OR (SELECT count() FROM report_gap WHERE scope = -1) > 0, -1, upid) AS scope
    FROM report_frame
  ),
  placed AS (
    SELECT
      f.id,
      f.scope,
      (SELECT count() FROM report_gap AS g WHERE g.scope = f.scope AND g.ts < f.ts) AS place,
      (SELECT count() FROM report_gap AS g WHERE g.scope = f.scope) AS gaps
    FROM scoped AS f
  ),
  near AS MATERIALIZED (
    SELECT p.id, g.gap
    FROM placed AS p
    JOIN report_gap AS g USING (scope)
    WHERE
      g.place BETWEEN max(0, min(p.place - 8, gaps - 1)) AND min(p.place + 8, gaps) - 1
  ),
  shortest AS (SELECT id, min(gap) AS period FROM near GROUP BY id),
  mean AS MATERIALIZED (
    SELECT id, sum(gap) / sum(n) AS period
    FROM (SELECT *, (gap + period / 2) / period AS n FROM near JOIN shortest USING (id))
    WHERE
      n <= 8
      AND abs(gap - n * period) <= period / 10
    GROUP BY
      id
  )
SELECT id, sum(gap) / sum(n) AS period
FROM (SELECT *, (gap + period / 2) / period AS n FROM near JOIN mean USING (id))
WHERE
  n <= 8
  AND abs(gap - n * period) <= period / 10
GROUP BY
  id;

-- Frames that begin and end in the trace, in the order of a report.
CREATE PERFETTO TABLE report_complete AS
WITH
  facts AS (
    SELECT
      f.*,
      coalesce(p.period, 0) AS period,
      f.end_ts - f.ts AS dur,
      l.render_id,
      l.sent_ts,
      CASE
        WHEN iif(kind = 'app', app, cpu OR gpu) THEN 1
        WHEN dropped THEN NULL
        WHEN on_time THEN 0
        WHEN shown THEN 1
        WHEN kind = 'app' THEN end_ts > deadline
      END AS late,
      kind = 'render' AND gpu AND NOT cpu AS is_gpu,
      kind = 'render' AND NOT dropped AS presented,
      scheduling
      OR EXISTS (
        SELECT 1
        FROM report_taken AS t
        JOIN report_frame AS a USING (id)
        WHERE
          t.render_id = f.id
          AND t.is_last
          AND a.scheduling
      ) AS misaligned
    FROM report_frame AS f
    LEFT JOIN report_period AS p USING (id)
    LEFT JOIN report_taken AS l
      ON l.id = f.id
      AND l.is_last
    WHERE
      NOT f.cut
  )
SELECT
  *,
  -- Of work on the GPU that ended in time the trace does not have the end.
  iif(late = 1 AND deadline IS NOT NULL AND NOT (is_gpu AND end_ts <= deadline), max(0, end_ts - deadline), NULL) AS overrun,
  row_number() OVER (PARTITION BY kind, upid ORDER BY ts, vsync_id, end_ts) AS place
FROM facts;

-- The stages that a frame went through.
CREATE PERFETTO TABLE report_stage AS
WITH
  stage AS (
    SELECT id, 0 AS stage, ts - expected_ts AS dur FROM report_complete WHERE ts >= expected_ts
    UNION ALL
    SELECT id, 1 AS stage, dur FROM report_complete WHERE kind = 'app' AND NOT dropped
    UNION ALL
    SELECT f.id, 2 AS stage, max(0, r.ts - f.sent_ts) AS dur
    FROM report_complete AS f
    JOIN report_complete AS r
      ON r.id = f.render_id
    UNION ALL
    SELECT f.id, 3 AS stage, r.dur
    FROM report_complete AS f
    JOIN report_complete AS r
      ON r.id = iif(f.kind = 'app', f.render_id, f.id)
    WHERE
      NOT r.dropped
  )
SELECT
  s.*,
  coalesce(s.stage = first_value(s.stage) OVER (
    PARTITION BY s.id
    ORDER BY iif(f.kind = 'app', s.stage IN (0, 1), s.stage IN (0, 3)) DESC, s.dur DESC, s.stage
  ) AND iif(f.kind = 'app', s.stage IN (0, 1), s.stage IN (0, 3)), 0) AS is_longest
FROM stage AS s
JOIN report_complete AS f USING (id);

-- Frames from the application to the end of rendering, and why they were late.
CREATE PERFETTO TABLE report_whole AS
WITH
  pair AS (
    SELECT
      a.id,
      r.id AS render_id,
      CASE
        WHEN a.dropped THEN 1
        WHEN a.shown THEN a.shown_late
        ELSE r.end_ts > r.deadline
      END AS late,
      a.dropped,
      a.app OR a.resynced OR a.cpu OR a.gpu OR a.scheduling OR a.hal OR a.stuffed OR a.prediction OR a.unknown AS own_cause,
      r.app
      OR r.resynced
      OR r.cpu
      OR r.gpu
      OR r.scheduling
      OR r.hal
      OR r.stuffed
      OR r.prediction
      OR r.dropped_jank
      OR r.unknown AS render_cause,
      a.late AS a_late,
      r.late AND NOT r.is_gpu AS r_late_cpu,
      r.late AND r.is_gpu AS r_late_gpu,
      a.misaligned AND iif(a.deadline IS NULL, r.ts > a.end_ts, coalesce(r.expected_ts, 0) > a.deadline) AS picked_up_late
    FROM report_complete AS a
    LEFT JOIN report_complete AS r
      ON r.id = a.render_id
    WHERE
      a.kind = 'app'
      AND (a.dropped OR r.id IS NOT NULL)
  ),
  sourced AS (
    SELECT *, iif(dropped OR own_cause, id, iif(render_cause, render_id, NULL)) AS source_id
    FROM pair
  )
SELECT
  w.id,
  w.render_id,
  w.late,
  w.late AND iif(source_id IS NOT NULL, s.app OR s.resynced, a_late IS 1) AS application,
  w.late AND iif(source_id IS NOT NULL, s.cpu, a_late IS NOT 1 AND r_late_cpu IS 1) AS render_cpu,
  w.late AND iif(source_id IS NOT NULL, s.gpu, a_late IS NOT 1 AND r_late_gpu IS 1) AS render_gpu,
  w.late
  AND iif(source_id IS NOT NULL, s.scheduling, a_late IS NOT 1 AND r_late_cpu IS NOT 1 AND r_late_gpu IS NOT 1 AND picked_up_late) AS pick_up,
  w.late AND iif(source_id IS NOT NULL, s.hal, 0) AS display_hal,
  w.late AND iif(source_id IS NOT NULL, s.stuffed, 0) AS buffer_stuffing,
  w.late AND iif(source_id IS NOT NULL, s.prediction, 0) AS prediction_error,
  w.late AND (w.dropped OR iif(source_id = w.render_id, s.dropped_jank, 0)) AS dropped,
  w.late
  AND iif(source_id IS NOT NULL, s.unknown, a_late IS NOT 1 AND r_late_cpu IS NOT 1 AND r_late_gpu IS NOT 1 AND NOT picked_up_late) AS unknown
FROM sourced AS w
LEFT JOIN report_frame AS s
  ON s.id = w.source_id
WHERE
  w.late IS NOT NULL;

-- Render frames that showed something of a process, each once: an application has
-- them from each layer that they took.
CREATE PERFETTO TABLE report_shown AS
WITH
  frame AS (
    SELECT
      iif(f.period BETWEEN 1000000 AND 1000000000, f.period, 0) AS display_period,
      coalesce(f.expected_ts, f.ts) AS vsync,
      iif(f.presented, f.end_ts, NULL) AS present,
      f.*
    FROM report_complete AS f
    WHERE
      f.kind = 'render'
  ),
  demand AS (
    SELECT 'render' AS kind, r.upid, r.id AS render_id, a.deadline, a.ts AS begun, a.period
    FROM frame AS r
    LEFT JOIN report_taken AS t
      ON t.render_id = r.id
      AND t.is_last
    LEFT JOIN report_complete AS a
      ON a.id = t.id
    UNION ALL
    SELECT 'app' AS kind, a.upid, t.render_id, a.deadline, a.ts AS begun, a.period
    FROM report_taken AS t
    JOIN report_complete AS a USING (id)
  )
SELECT
  d.kind,
  d.upid,
  r.id,
  r.ts,
  r.vsync,
  r.present,
  r.display_period AS period,
  -- Without a deadline an application frame is due one period after it began.
  min(
    r.vsync,
    coalesce(
      min(
        coalesce(
          d.deadline,
          d.begun + coalesce(
            iif(d.period BETWEEN 1000000 AND 1000000000, d.period, NULL),
            nullif(r.display_period, 0)
          )
        )
      ),
      r.vsync
    )
  ) AS due
FROM demand AS d
JOIN frame AS r
  ON r.id = d.render_id
GROUP BY
  d.kind,
  d.upid,
  r.id;

-- Times between two successive presents.
CREATE PERFETTO TABLE report_hitch AS
WITH
  pair AS (
    SELECT
      kind,
      upid,
      ts,
      lag(present) OVER in_order AS since,
      present - lag(present) OVER in_order AS gap,
      max(period, lag(period) OVER in_order) AS period,
      due - lag(vsync) OVER in_order AS waited
    FROM report_shown
    WHERE
      present IS NOT NULL
    WINDOW in_order AS (PARTITION BY kind, upid ORDER BY ts)
  ),
  idle AS (
    SELECT *, iif(waited - period < 0 OR 2 * (waited - period) < period, 0, min(waited - period, gap)) AS idle
    FROM pair
    WHERE
      gap > 0
      AND period > 0
  )
SELECT *, iif(10 * (gap - period - idle) >= 7 * period, gap - period - idle, NULL) AS hitch
FROM idle;

-- @ each process
SELECT
  f.kind,
  f.pid,
  f.process_name AS name,
  min(iif(cut, NULL, f.ts)) AS "observed.from_ns",
  max(iif(cut, NULL, f.end_ts)) AS "observed.to_ns",
  (max(iif(cut, NULL, f.end_ts)) - min(iif(cut, NULL, f.ts))) / 1e9 AS "observed.seconds",
  sum(cut) AS "frames.truncated",
  count() - sum(cut) AS "frames.complete"
FROM report_frame AS f
GROUP BY
  f.kind,
  f.upid;

-- @ counts
SELECT
  kind,
  pid,
  count(late) AS "frames.with_deadline",
  sum(coalesce(late, 0)) AS "frames.late",
  sum(coalesce(late AND NOT is_gpu, 0)) AS "frames.late_main",
  sum(coalesce(late AND is_gpu, 0)) AS "frames.late_gpu",
  0 AS "frames.empty",
  sum(misaligned) AS "frames.misaligned",
  sum(
    iif(
      kind = 'app',
      render_id IS NOT NULL,
      id IN (SELECT render_id FROM report_taken WHERE is_last)
    )
  ) AS "frames.linked",
  sum(presented) AS "frames.presented",
  0 AS "frames.presents_estimated",
  0 AS "frames.commits_estimated",
  sum(dropped) AS "frames.dropped",
  avg(late) AS jank_rate,
  0 AS empty_rate,
  sum(coalesce(overrun < 2 * period AND period > 0, 0)) AS "stutter.slight",
  sum(coalesce(overrun BETWEEN 2 * period AND 6 * period AND period > 0, 0)) AS "stutter.medium",
  sum(coalesce(overrun > 6 * period AND period > 0, 0)) AS "stutter.severe",
  sum(coalesce(late AND (overrun IS NULL OR period = 0), 0)) AS "stutter.unknown"
FROM report_complete
GROUP BY
  kind,
  upid;

-- @ refresh rates
WITH
  known AS (
    SELECT *, cast_int!(round(1e9 / period)) AS hertz
    FROM report_complete
    WHERE
      period BETWEEN 1000000 AND 1000000000
  ),
  ranked AS (
    SELECT
      *,
      row_number() OVER (PARTITION BY kind, upid, hertz ORDER BY period) AS n,
      count() OVER (PARTITION BY kind, upid, hertz) AS frames
    FROM known
  )
SELECT
  kind,
  pid,
  row_number() OVER (PARTITION BY kind, upid ORDER BY hertz) - 1 AS place,
  1e9 / period AS "refresh[].rate_hz",
  period AS "refresh[].period_ns",
  frames AS "refresh[].frames"
FROM ranked
WHERE
  n = (frames + 1) / 2;

-- @ frames a second
WITH
  event AS (
    SELECT kind, upid, iif(count(DISTINCT present) > 1, 'present', 'render_start') AS event
    FROM report_shown
    GROUP BY
      kind,
      upid
  ),
  -- Of frames that were shown at the same time the first counts.
  moment AS (
    SELECT
      *,
      row_number() OVER (PARTITION BY kind, upid, at ORDER BY ts) AS n
    FROM (SELECT *, iif(event = 'present', present, ts) AS at FROM report_shown JOIN event USING (kind, upid))
    WHERE
      at IS NOT NULL
  ),
  pair AS (
    SELECT
      kind,
      upid,
      event,
      at,
      at - lag(at) OVER in_order AS gap,
      max(period, lag(period) OVER in_order) AS period,
      due - lag(vsync) OVER in_order AS waited
    FROM moment
    WHERE
      n = 1
    WINDOW in_order AS (PARTITION BY kind, upid ORDER BY at)
  ),
  -- At least one period of a gap is not idle.
  animating AS (
    SELECT
      *,
      gap - iif(waited - period < 0 OR 2 * (waited - period) < period, 0, min(waited - period, max(0, gap - period))) AS active
    FROM pair
  )
SELECT
  kind,
  pid,
  event AS "fps.event",
  count(at) AS "fps.frames",
  min(at) AS "fps.first_ns",
  max(at) AS "fps.last_ns",
  count(gap) * 1e9 / iif(min(period) > 0, sum(active), sum(gap)) AS "fps.rate_hz",
  count(gap) * 1e9 / sum(gap) AS "fps.all_hz",
  iif(min(period) > 0, 1 - sum(active) * 1.0 / sum(gap), NULL) AS "fps.idle_share",
  iif(min(period) > 0, count(gap) / (sum(round(active * 1e6 / period)) / 1e6), NULL) AS "fps.of_refresh"
FROM animating
JOIN process USING (upid)
GROUP BY
  kind,
  upid
HAVING
  count(at) > 1;

-- @ hitches
WITH
  ranked AS (
    SELECT *, row_number() OVER (PARTITION BY kind, upid ORDER BY hitch DESC, ts) AS n
    FROM report_hitch
  )
SELECT
  kind,
  pid,
  count() AS "hitches.gaps",
  sum(gap) AS "hitches.time_ns",
  sum(idle) AS "hitches.idle_ns",
  count(hitch) AS "hitches.hitches",
  coalesce(sum(hitch), 0) AS "hitches.hitch_ns",
  coalesce(sum(hitch / period + (10 * (hitch % period) >= 7 * period)), 0) AS "hitches.lost_frames",
  coalesce(sum(hitch), 0) * 1e3 / sum(gap) AS "hitches.hitch_ms_per_s",
  max(iif(n = 1, hitch, NULL)) AS "hitches.longest_ns",
  max(iif(n = 1 AND hitch IS NOT NULL, since, NULL)) AS "hitches.longest_at_ns"
FROM ranked
JOIN process USING (upid)
GROUP BY
  kind,
  upid;

-- @ whole frames
WITH
  part AS (
    SELECT *, id AS frame_id FROM report_whole
    UNION ALL
    SELECT *, render_id AS frame_id FROM report_whole
  )
SELECT
  f.kind,
  f.pid,
  count(w.id) AS "whole_frames.judged",
  coalesce(sum(w.late), 0) AS "whole_frames.late",
  avg(w.late) AS "whole_frames.late_rate",
  coalesce(sum(w.application), 0) AS "whole_frames.blame.application",
  coalesce(sum(w.render_cpu), 0) AS "whole_frames.blame.render_cpu",
  coalesce(sum(w.render_gpu), 0) AS "whole_frames.blame.render_gpu",
  coalesce(sum(w.pick_up), 0) AS "whole_frames.blame.pick_up",
  coalesce(sum(w.display_hal), 0) AS "whole_frames.blame.display_hal",
  coalesce(sum(w.buffer_stuffing), 0) AS "whole_frames.blame.buffer_stuffing",
  coalesce(sum(w.prediction_error), 0) AS "whole_frames.blame.prediction_error",
  coalesce(sum(w.dropped), 0) AS "whole_frames.blame.dropped",
  coalesce(sum(w.unknown), 0) AS "whole_frames.blame.unknown"
FROM report_complete AS f
LEFT JOIN part AS w
  ON w.frame_id = f.id
GROUP BY
  f.kind,
  f.upid;

-- @ verdicts
SELECT
  kind,
  pid,
  sum(app OR resynced) AS "surfaceflinger.missed_application",
  sum(cpu OR gpu OR scheduling OR prediction OR hal) AS "surfaceflinger.missed_surfaceflinger",
  sum(dropped_jank) AS "surfaceflinger.missed_dropped",
  sum(app OR resynced OR cpu OR gpu OR scheduling OR prediction OR hal OR dropped_jank) AS "surfaceflinger.missed"
FROM report_complete
GROUP BY
  kind,
  upid;

-- @ jank types
WITH
  type(place, type) AS (
    VALUES
      (0, 'None'),
      (1, 'SurfaceFlinger Scheduling'),
      (2, 'Prediction Error'),
      (3, 'Display HAL'),
      (4, 'SurfaceFlinger CPU Deadline Missed'),
      (5, 'SurfaceFlinger GPU Deadline Missed'),
      (6, 'App Deadline Missed'),
      (7, 'Buffer Stuffing'),
      (8, 'Unknown Jank'),
      (9, 'SurfaceFlinger Stuffing'),
      (10, 'Dropped Frame'),
      (11, 'Non Animating'),
      (12, 'App Resynced Jitter'),
      (13, 'Display not ON'),
      (14, 'ModeChange in progress'),
      (15, 'PowerModeChange in progress')
  ),
  found AS (
    SELECT kind, upid, pid, f.id, t.place, t.type, l.present
    FROM report_complete AS f
    JOIN report_layer AS l USING (kind, upid, token, part)
    JOIN type AS t
      ON ', ' || l.jank || ', ' GLOB '*, ' || t.type || ', *'
  )
SELECT
  kind,
  pid,
  row_number() OVER (PARTITION BY kind, upid ORDER BY place) - 1 AS place,
  type AS "surfaceflinger.jank_types[].type",
  count(DISTINCT id) AS "surfaceflinger.jank_types[].frames",
  count(DISTINCT iif(present = 'On-time Present', id, NULL)) AS "surfaceflinger.jank_types[].on_time",
  count(DISTINCT iif(present = 'Late Present', id, NULL)) AS "surfaceflinger.jank_types[].late",
  count(DISTINCT iif(present = 'Early Present', id, NULL)) AS "surfaceflinger.jank_types[].early",
  count(DISTINCT iif(present = 'Dropped Frame', id, NULL)) AS "surfaceflinger.jank_types[].dropped",
  count(DISTINCT iif(present IN ('Unknown Present', 'Unspecified Present'), id, NULL)) AS "surfaceflinger.jank_types[].unknown"
FROM found
GROUP BY
  kind,
  upid,
  type;

-- @ longest streak
WITH
  judged AS (
    SELECT *, sum(NOT late) OVER (PARTITION BY kind, upid ORDER BY place) AS ended
    FROM report_complete
    WHERE
      late IS NOT NULL
  ),
  streak AS (
    SELECT
      kind,
      upid,
      pid,
      count() AS frames,
      min(place) AS first,
      max(place) AS last,
      row_number() OVER (PARTITION BY kind, upid ORDER BY count() DESC, min(place)) AS n
    FROM judged
    WHERE
      late
    GROUP BY
      kind,
      upid,
      ended
  )
SELECT
  s.kind,
  s.pid,
  s.frames AS "longest_streak.frames",
  s.pid AS "longest_streak.tid",
  a.ts AS "longest_streak.at_ns",
  a.vsync_id AS "longest_streak.vsync_id",
  b.end_ts AS "longest_streak.until_ns"
FROM streak AS s
JOIN report_complete AS a
  ON a.kind = s.kind
  AND a.upid = s.upid
  AND a.place = s.first
JOIN report_complete AS b
  ON b.kind = s.kind
  AND b.upid = s.upid
  AND b.place = s.last
WHERE
  s.n = 1;

-- @ durations
WITH
  ranked AS (
    SELECT
      *,
      row_number() OVER (PARTITION BY kind, upid ORDER BY dur) AS n,
      count() OVER (PARTITION BY kind, upid) AS frames
    FROM report_complete
    WHERE
      NOT dropped
  )
SELECT
  kind,
  pid,
  count() AS "durations.frames",
  max(iif(n = (50 * frames + 99) / 100, dur, NULL)) AS "durations.p50_ns",
  max(iif(n = (90 * frames + 99) / 100, dur, NULL)) AS "durations.p90_ns",
  max(iif(frames >= 20 AND n = (95 * frames + 99) / 100, dur, NULL)) AS "durations.p95_ns",
  max(iif(frames >= 100 AND n = (99 * frames + 99) / 100, dur, NULL)) AS "durations.p99_ns",
  max(dur) AS "durations.max_ns"
FROM ranked
GROUP BY
  kind,
  upid;

-- @ durations in refresh periods
WITH
  ranked AS (
    SELECT
      *,
      round(dur * 1e6 / period) / 1e6 AS periods,
      row_number() OVER (PARTITION BY kind, upid ORDER BY round(dur * 1e6 / period)) AS n,
      count() OVER (PARTITION BY kind, upid) AS frames
    FROM report_complete
    WHERE
      NOT dropped
      AND period BETWEEN 1000000 AND 1000000000
  )
SELECT
  kind,
  pid,
  count() AS "durations_in_periods.frames",
  max(iif(n = (50 * frames + 99) / 100, periods, NULL)) AS "durations_in_periods.p50_periods",
  max(iif(n = (90 * frames + 99) / 100, periods, NULL)) AS "durations_in_periods.p90_periods",
  max(iif(frames >= 20 AND n = (95 * frames + 99) / 100, periods, NULL)) AS "durations_in_periods.p95_periods",
  max(iif(frames >= 100 AND n = (99 * frames + 99) / 100, periods, NULL)) AS "durations_in_periods.p99_periods",
  max(periods) AS "durations_in_periods.max_periods"
FROM ranked
GROUP BY
  kind,
  upid;

-- @ histogram
WITH RECURSIVE
  bucket(name, from_ms) AS (
    VALUES (5, 0)
    UNION ALL
    SELECT
      CASE
        WHEN name < 32 THEN name + 1
        WHEN name < 48 THEN name + 2
        WHEN name < 133 THEN iif(name = 48, 53, name + 4)
        WHEN name = 133 THEN 150
        ELSE name + 50
      END,
      CASE
        WHEN name < 32 THEN name + 1
        WHEN name < 48 THEN name + 2
        WHEN name < 133 THEN iif(name = 48, 52, name + 3)
        WHEN name = 133 THEN 136
        ELSE name + 50
      END
    FROM bucket
    WHERE
      name < 4950
  ),
  bound AS (SELECT *, lead(from_ms) OVER (ORDER BY from_ms) AS below_ms FROM bucket),
  found AS (
    SELECT f.kind, f.upid, f.pid, b.*
    FROM report_complete AS f
    JOIN bound AS b
      ON f.dur >= b.from_ms * 1000000
      AND (b.below_ms IS NULL OR f.dur < b.below_ms * 1000000)
    WHERE
      NOT f.dropped
  )
SELECT
  kind,
  pid,
  row_number() OVER (PARTITION BY kind, upid ORDER BY from_ms) - 1 AS place,
  name AS "durations.histogram[].bucket_ms",
  from_ms AS "durations.histogram[].from_ms",
  below_ms AS "durations.histogram[].below_ms",
  count() AS "durations.histogram[].frames"
FROM found
GROUP BY
  kind,
  upid,
  name;

-- @ stages
WITH
  name(kind, place, stage, name) AS (
    VALUES
      ('app', 0, 0, 'vsync_to_received'),
      ('app', 1, 1, 'ui_work'),
      ('app', 2, 2, 'transaction_to_pick_up'),
      ('app', 3, 3, 'render_main'),
      ('app', 4, 4, 'render_draw'),
      ('app', 5, 5, 'render_gpu'),
      ('app', 6, 6, 'commit'),
      ('app', 7, 7, 'commit_to_present'),
      ('render', 0, 0, 'vsync_to_received'),
      ('render', 1, 3, 'render_main'),
      ('render', 2, 4, 'render_draw'),
      ('render', 3, 5, 'render_gpu'),
      ('render', 4, 6, 'commit'),
      ('render', 5, 7, 'commit_to_present')
  ),
  ranked AS (
    SELECT
      f.kind,
      f.upid,
      s.stage,
      s.dur,
      coalesce(f.late AND s.is_longest, 0) AS of_late,
      row_number() OVER (PARTITION BY f.kind, f.upid, s.stage ORDER BY s.dur) AS n,
      count() OVER (PARTITION BY f.kind, f.upid, s.stage) AS frames
    FROM report_stage AS s
    JOIN report_complete AS f USING (id)
  )
SELECT
  p.kind,
  p.pid,
  n.place,
  n.name AS "stages[].stage",
  count(r.dur) AS "stages[].frames",
  max(iif(r.n = (50 * r.frames + 99) / 100, r.dur, NULL)) AS "stages[].p50_ns",
  max(iif(r.n = (90 * r.frames + 99) / 100, r.dur, NULL)) AS "stages[].p90_ns",
  max(r.dur) AS "stages[].max_ns",
  coalesce(sum(r.of_late), 0) AS "stages[].longest_of_late"
FROM (SELECT DISTINCT kind, upid, pid FROM report_frame) AS p
JOIN name AS n
  ON n.kind = p.kind
LEFT JOIN ranked AS r
  ON r.kind = p.kind
  AND r.upid = p.upid
  AND r.stage = n.stage
GROUP BY
  p.kind,
  p.upid,
  n.place;

-- @ worst frames
WITH
  ranked AS (
    SELECT *, row_number() OVER (PARTITION BY kind, upid ORDER BY overrun DESC, place) - 1 AS rank
    FROM report_complete
    WHERE
      overrun IS NOT NULL
  )
SELECT
  f.kind,
  f.pid,
  f.rank AS place,
  f.ts AS "worst[].at_ns",
  f.dur AS "worst[].duration_ns",
  f.overrun AS "worst[].overrun_ns",
  iif(f.period > 0, f.overrun * 1.0 / f.period, NULL) AS "worst[].overrun_periods",
  CASE s.stage
    WHEN 0 THEN 'vsync_to_received'
    WHEN 1 THEN 'ui_work'
    WHEN 2 THEN 'transaction_to_pick_up'
    WHEN 3 THEN 'render_main'
  END AS "worst[].stage",
  f.pid AS "worst[].tid",
  f.vsync_id AS "worst[].vsync_id",
  coalesce(r.vsync_id, 0) AS "worst[].render_vsync_id"
FROM ranked AS f
LEFT JOIN report_stage AS s
  ON s.id = f.id
  AND s.is_longest
LEFT JOIN report_frame AS r
  ON r.id = f.render_id
WHERE
  f.rank < 10;
