-- What the plugin of Perfetto's UI shows: the frame that a slice belongs to, and what late
-- frames lost. The tables are the plugin's own and change with it.

INCLUDE PERFETTO MODULE ohos.slices;

-- The tracks whose slices lead to a frame, and how. Those of layers, and of all processes, have
-- no process. The thread is part of the name of its tracks, and none of the main thread's.
CREATE OR REPLACE PERFETTO TABLE _ohos_viz_track AS
WITH
  own AS (
    SELECT DISTINCT upid, machine_id
    FROM _ohos_frame_track
  )
SELECT
  t.id AS track_id,
  own.upid,
  own.machine_id,
  t.name,
  CASE
    WHEN t.name = 'Frames' OR t.name GLOB 'Frames (*' THEN 'frame'
    WHEN t.name = 'Interactions' THEN 'interaction'
    WHEN t.name = 'Why' OR t.name GLOB 'Why (*' THEN 'why'
    WHEN t.name = 'Waited for' OR t.name GLOB 'Waited for (*' THEN 'waited for'
    ELSE 'stage'
  END AS leads_by,
  iif(
    t.name = 'Frames (overlapping)' OR t.name NOT GLOB '* (*)',
    '',
    substr(t.name, instr(t.name, ' ('))
  ) AS thread
FROM process_track AS t
JOIN own USING (upid)
WHERE
  t.type IN ('process_track_event', 'process_merged_track_event')
  AND (
    t.name IN (
      'Frames',
      'Interactions',
      'Why',
      'Waited for',
      'Whole frame expected',
      'Whole frame actual',
      'GPU (Frame queued)',
      'Draw',
      'GPU',
      'Commit',
      'Present'
    )
    OR t.name GLOB 'Frames (*'
    OR t.name GLOB 'Why (*'
    OR t.name GLOB 'Waited for (*'
  )
UNION ALL
SELECT DISTINCT
  s.track_id,
  own.upid,
  own.machine_id,
  'Actual Timeline' AS name,
  'timeline' AS leads_by,
  '' AS thread
FROM actual_frame_timeline_slice AS s
JOIN own USING (upid)
UNION ALL
SELECT
  t.id AS track_id,
  NULL AS upid,
  t.machine_id,
  t.name,
  'buffer' AS leads_by,
  '' AS thread
FROM track AS t
JOIN track AS parent
  ON parent.id = t.parent_id
LEFT JOIN track AS top
  ON top.id = parent.parent_id
WHERE
  EXISTS(SELECT 1 FROM own)
  AND (
    (parent.name GLOB 'Layers*' AND top.id IS NULL)
    OR (t.name = 'Queue' AND top.name GLOB 'Layers*' AND top.parent_id IS NULL)
  )
UNION ALL
SELECT
  t.id AS track_id,
  NULL AS upid,
  t.machine_id,
  t.name,
  'late' AS leads_by,
  '' AS thread
FROM track AS t
LEFT JOIN track AS parent
  ON parent.id = t.parent_id
WHERE
  EXISTS(SELECT 1 FROM own)
  AND (
    t.name GLOB 'Late frames*'
    AND (parent.id IS NULL OR parent.name GLOB 'Late frames*')
  )
ORDER BY
  track_id;

-- Late frames, and where their time went: from when they should have begun, or began, to the end
-- of their work.
CREATE OR REPLACE PERFETTO TABLE _ohos_viz_late AS
WITH
  fact AS (
    SELECT
      f.*,
      _ohos_moved!(f.ts, f.arg_set_id) AS moved,
      _ohos_length!(f.arg_set_id, 'debug.overrun_ms') AS overrun_ns
    FROM ohos_frame_slice AS f
    WHERE
      f.is_late
  )
SELECT
  f.id,
  f.ts,
  f.dur,
  f.upid,
  t.pid,
  t.process_name,
  t.machine_id,
  v.thread,
  f.vsync_id,
  f.arg_set_id,
  f.moved,
  f.overrun_ns,
  extract_arg(f.arg_set_id, 'debug.cause') AS cause,
  min(
    f.ts,
    coalesce(extract_arg(f.arg_set_id, 'debug.vsync_ts') + f.moved, f.ts),
    coalesce(extract_arg(f.arg_set_id, 'debug.expected_ts') + f.moved, f.ts)
  ) AS start_ts,
  coalesce(extract_arg(f.arg_set_id, 'debug.vsync_ts') + f.moved, f.ts) AS vsync_ts,
  coalesce(extract_arg(f.arg_set_id, 'debug.expected_ts') + f.moved, f.ts) AS expected_ts,
  -- Of a render frame, the end of the GPU's work.
  max(
    f.ts + f.dur,
    coalesce(extract_arg(f.arg_set_id, 'debug.deadline_ts') + f.moved + f.overrun_ns, 0)
  ) AS end_ts
FROM fact AS f
JOIN _ohos_frame_track AS t USING (track_id)
JOIN _ohos_viz_track AS v USING (track_id)
WHERE
  f.overrun_ns > 0
ORDER BY
  f.ts,
  f.id;

-- The frames that a slice may belong to, the likeliest first: the frame of a slice of its own
-- track, of a stage or of the timeline, the frame that drew a buffer, the worst late frame of an
-- interaction. Those of a slice of Why or Waited for are several where late frames overlap.
CREATE OR REPLACE PERFETTO FUNCTION _ohos_viz_frames(
  -- The slice.
  slice_id LONG
)
RETURNS TABLE(
  -- The frame's slice.
  id LONG,
  -- The slice is of Why or Waited for.
  is_part BOOL
) AS
WITH
  s AS MATERIALIZED (
    SELECT
      s.id,
      s.ts,
      s.dur,
      s.name,
      s.arg_set_id,
      v.upid,
      v.machine_id,
      v.thread,
      v.leads_by,
      _ohos_moved!(s.ts, s.arg_set_id) AS moved
    FROM slice AS s
    JOIN _ohos_viz_track AS v USING (track_id)
    WHERE
      s.id = $slice_id
  ),
  candidate AS (
    SELECT s.id, 0 AS place FROM s WHERE s.leads_by = 'frame'
    UNION ALL
    SELECT j.event_id AS id, 0 AS place
    FROM _ohos_joined!((
      SELECT f.*
      FROM ohos_frame_slice AS f
      WHERE f.ts = (SELECT ts FROM s WHERE leads_by = 'timeline')
    )) AS j
    WHERE
      j.id = $slice_id
    UNION ALL
    -- The frames of several threads have the id of one vsync: the slice begins at the start of
    -- its frame, or when that should have begun, or follows it.
    SELECT
      f.id,
      min(
        abs(f.ts - s.ts),
        abs(
          coalesce(
            extract_arg(f.arg_set_id, 'debug.expected_ts') + _ohos_moved!(f.ts, f.arg_set_id),
            f.ts
          ) - s.ts
        )
      ) AS place
    FROM s
    CROSS JOIN ohos_frame_slice AS f
      ON f.upid = s.upid
    WHERE
      s.leads_by = 'stage'
      AND f.vsync_id = cast_int!(s.name)
    UNION ALL
    SELECT f.id, 0 AS place
    FROM s
    CROSS JOIN ohos_frame_slice AS f
      ON f.ts = extract_arg(s.arg_set_id, 'debug.frame_ts') + s.moved
    CROSS JOIN _ohos_frame_track AS t
      ON t.track_id = f.track_id
    WHERE
      s.leads_by = 'buffer'
      AND t.machine_id IS s.machine_id
      AND t.tid = extract_arg(s.arg_set_id, 'debug.frame_tid')
    UNION ALL
    SELECT f.id, -f.overrun_ns AS place
    FROM s
    CROSS JOIN slice AS i
      ON i.id = s.id
      OR i.id IN (SELECT id FROM ancestor_slice($slice_id))
    CROSS JOIN _ohos_viz_late AS f
      ON f.vsync_id = extract_arg(i.arg_set_id, 'debug.interaction.worst_frame')
    WHERE
      s.leads_by = 'interaction'
      AND f.machine_id IS s.machine_id
      AND f.ts < i.ts + i.dur
      AND f.ts + f.dur > i.ts
    UNION ALL
    SELECT f.id, -f.ts AS place
    FROM s
    CROSS JOIN _ohos_viz_late AS f
      ON f.upid = s.upid
    WHERE
      s.leads_by IN ('why', 'waited for')
      AND f.thread = s.thread
      AND f.start_ts <= s.ts
      AND f.end_ts > s.ts
    UNION ALL
    -- An arrow leads to the frame, if only from one of the slices that say the same.
    SELECT f.id, abs(f.dur - s.dur) AS place
    FROM s
    CROSS JOIN _ohos_viz_late AS f
      ON f.ts = s.ts
    WHERE
      s.leads_by = 'late'
      AND f.machine_id IS s.machine_id
      AND f.vsync_id = cast_int!(s.name)
    UNION ALL
    SELECT f.id, 0 AS place
    FROM s
    CROSS JOIN flow
      ON flow.slice_out = s.id
    CROSS JOIN ohos_frame_slice AS f
      ON f.id = flow.slice_in
    WHERE
      s.leads_by = 'late'
  )
SELECT candidate.id, s.leads_by IN ('why', 'waited for') AS is_part
FROM candidate
CROSS JOIN s
ORDER BY
  candidate.place,
  candidate.id;

-- What the thread of a late frame did, and what those did that it waited for: slices of its
-- tracks in the time of the frame. Where late frames overlap, some are another frame's.
CREATE OR REPLACE PERFETTO FUNCTION _ohos_viz_pieces(
  -- The frame's slice.
  frame_id LONG
)
RETURNS TABLE(
  -- The slice.
  id LONG,
  -- Its track, of those that the UI shows as one.
  track_id LONG,
  -- When it begins.
  ts TIMESTAMP,
  -- How long it is.
  dur DURATION,
  -- What it says.
  name STRING,
  -- What the UI makes its colour of.
  colour STRING,
  -- 'why' or 'waited for'.
  leads_by STRING
) AS
SELECT
  s.id,
  s.track_id,
  s.ts,
  s.dur,
  s.name,
  extract_arg(s.arg_set_id, 'correlation_id') AS colour,
  v.leads_by
FROM _ohos_viz_late AS f
CROSS JOIN _ohos_viz_track AS v
  ON v.upid = f.upid
  AND v.thread = f.thread
CROSS JOIN slice AS s
  ON s.track_id = v.track_id
WHERE
  f.id = $frame_id
  AND v.leads_by IN ('why', 'waited for')
  AND s.ts >= f.start_ts
  AND s.ts + s.dur <= f.end_ts
ORDER BY
  s.ts,
  s.id;

-- What is known of a frame. Times are those of the trace at hand.
CREATE OR REPLACE PERFETTO FUNCTION _ohos_viz_facts(
  -- The frame's slice.
  frame_id LONG
)
RETURNS TABLE(
  -- The name, such as 'cause' or 'causes[0].title'.
  name STRING,
  -- The value.
  value STRING
) AS
SELECT
  replace(a.key, 'debug.', '') AS name,
  coalesce(
    iif(
      a.flat_key GLOB '*_ts',
      cast_string!(a.int_value + _ohos_moved!(f.ts, f.arg_set_id)),
      a.display_value
    ),
    ''
  ) AS value
FROM ohos_frame_slice AS f
CROSS JOIN args AS a
  ON a.arg_set_id = f.arg_set_id
WHERE
  f.id = $frame_id
ORDER BY
  a.id;

-- How many samples a profiler took of a frame's thread during the frame.
CREATE OR REPLACE PERFETTO FUNCTION _ohos_viz_samples(
  -- The frame's slice.
  frame_id LONG
)
RETURNS TABLE(
  -- The thread.
  utid LONG,
  -- The samples with a stack.
  samples LONG
) AS
SELECT p.utid, count() AS samples
FROM ohos_frame_slice AS f
CROSS JOIN _ohos_frame_track AS t
  ON t.track_id = f.track_id
CROSS JOIN thread
  ON thread.upid = f.upid
  AND thread.tid = coalesce(extract_arg(f.arg_set_id, 'debug.tid'), t.pid)
CROSS JOIN perf_sample AS p
  ON p.utid = thread.utid
WHERE
  f.id = $frame_id
  AND p.callsite_id IS NOT NULL
  AND p.ts BETWEEN f.ts AND f.ts + f.dur
GROUP BY
  p.utid;

-- The causes of late frames, as they are noted. The earlier frame is the one that was the cause.
CREATE OR REPLACE PERFETTO TABLE _ohos_viz_cause AS
WITH
  entry AS (
    SELECT
      f.*,
      cast_int!(substr(a.key, length('debug.causes[') + 1)) AS rank,
      a.string_value AS title,
      substr(a.key, 1, length(a.key) - length('title')) AS prefix
    FROM _ohos_viz_late AS f
    CROSS JOIN args AS a
      ON a.arg_set_id = f.arg_set_id
    WHERE
      a.flat_key = 'debug.causes.title'
  )
SELECT
  e.id AS frame_id,
  e.rank,
  e.title,
  coalesce(extract_arg(e.arg_set_id, e.prefix || 'advice'), '') AS advice,
  coalesce(extract_arg(e.arg_set_id, e.prefix || 'share_ns'), 0) AS lost_ns,
  (
    SELECT f.id
    FROM _ohos_viz_late AS f
    WHERE
      f.ts = extract_arg(e.arg_set_id, e.prefix || 'earlier_ts') + e.moved
      AND +f.upid = e.upid
    LIMIT 1
  ) AS earlier_id
FROM entry AS e
ORDER BY
  frame_id,
  rank;

-- What late frames lost, by cause. The time that a frame lost to an earlier one counts for the
-- largest cause of that one (docs/why.md 5).
CREATE OR REPLACE PERFETTO TABLE _ohos_viz_lost AS
WITH
  traced AS (
    SELECT frame_id, rank, lost_ns, title, advice, earlier_id, 0 AS steps
    FROM _ohos_viz_cause
    UNION ALL
    SELECT t.frame_id, t.rank, t.lost_ns, c.title, c.advice, c.earlier_id, t.steps + 1 AS steps
    FROM traced AS t
    CROSS JOIN _ohos_viz_cause AS c
      ON c.frame_id = t.earlier_id
      AND c.rank = 0
    WHERE
      t.steps < 16
  ),
  root AS (
    SELECT frame_id, rank, lost_ns, title, advice, max(steps) AS steps
    FROM traced
    GROUP BY
      frame_id,
      rank
  )
SELECT root.frame_id, f.upid, f.ts, f.dur, root.title, root.advice, root.lost_ns
FROM root
JOIN _ohos_viz_late AS f
  ON f.id = root.frame_id
WHERE
  root.lost_ns > 0
ORDER BY
  f.ts,
  root.frame_id,
  root.rank;
