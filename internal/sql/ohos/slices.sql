-- The slices of the tracks "Frames" and "Report", which have all facts as arguments. The
-- other modules read them.
--
-- Joins search columns that are sorted, with a "+" before the other columns: it keeps the
-- engine from filtering by one of these first. All rows may have the same value in it, and
-- are then searched one by one.

-- A merged trace may also contain frames of other machines.
CREATE OR REPLACE PERFETTO TABLE _ohos_machine AS
SELECT id AS machine_id FROM machine WHERE sysname = 'OpenHarmony';

-- By how much a slice was moved since its trace was converted. A trace that is merged with
-- another one may be moved, and the times in arguments are not.
CREATE OR REPLACE PERFETTO MACRO _ohos_moved(
  ts Expr,
  arg_set_id Expr
)
RETURNS Expr
AS coalesce($ts - extract_arg($arg_set_id, 'debug.ts'), 0);

-- The slices of the tracks of a name, of processes or of none. Markers may have tracks of that
-- name, too, but those are not of TrackEvents.
CREATE OR REPLACE PERFETTO MACRO _ohos_slices(
  track Expr
)
RETURNS TableOrSubquery
AS (
  SELECT
    s.id,
    s.ts,
    s.dur,
    s.track_id,
    s.parent_id,
    s.arg_set_id,
    p.upid,
    p.pid,
    p.name AS process_name,
    _ohos_moved!(s.ts, s.arg_set_id) AS moved
  FROM track AS t
  JOIN _ohos_machine AS m
    ON m.machine_id = t.machine_id
  CROSS JOIN slice AS s
    ON s.track_id = t.id
  LEFT JOIN process_track AS o
    ON o.id = t.id
  LEFT JOIN process AS p
    ON p.upid = o.upid
  WHERE
    t.name = $track
    AND t.type GLOB '*track_event'
);

-- The values of a list that such slices have as an argument: each with its entry, from 1, and
-- its path in that.
CREATE OR REPLACE PERFETTO MACRO _ohos_values(
  track Expr,
  list Expr
)
RETURNS TableOrSubquery
AS (
  SELECT
    s.*,
    cast_int!(substr(a.key, instr(a.key, '[') + 1)) + 1 AS number,
    substr(a.flat_key, length('debug.' || $list || '.') + 1) AS path,
    coalesce(a.string_value, a.int_value, a.real_value) AS value
  FROM _ohos_slices!($track) AS s
  CROSS JOIN args AS a USING (arg_set_id)
  WHERE
    +a.flat_key GLOB 'debug.' || $list || '.*'
);

-- A value of an entry, if rows are grouped by entry.
CREATE OR REPLACE PERFETTO MACRO _ohos_of(
  name Expr
)
RETURNS Expr
AS max(iif(path = $name, value, NULL));

-- The tracks of frames, each with the thread that made the frames. A thread's id can belong
-- to several threads of a process, one after the other: the first is chosen.
CREATE OR REPLACE PERFETTO TABLE _ohos_frame_track AS
WITH
  track AS MATERIALIZED (
    SELECT
      t.id AS track_id,
      p.upid,
      p.pid,
      p.name AS process_name,
      p.machine_id,
      coalesce(
        (SELECT extract_arg(s.arg_set_id, 'debug.tid') FROM slice AS s WHERE s.track_id = t.id LIMIT 1),
        p.pid
      ) AS tid
    FROM process_track AS t
    JOIN process AS p USING (upid)
    JOIN _ohos_machine USING (machine_id)
    WHERE
      (t.name = 'Frames' OR t.name GLOB 'Frames (*')
      AND t.type IN ('process_track_event', 'process_merged_track_event')
  )
SELECT
  *,
  (SELECT min(utid) FROM thread WHERE thread.upid = track.upid AND thread.tid = track.tid) AS utid
FROM track
ORDER BY
  track_id;

-- The slices of the tracks "Frames": one for each frame. They are sorted by time, so that
-- others find them by that.
CREATE OR REPLACE PERFETTO TABLE ohos_frame_slice(
  -- The slice.
  id ID(slice.id),
  -- When work on the frame began.
  ts TIMESTAMP,
  -- How long the thread worked on it.
  dur DURATION,
  -- The track: "Frames", or one for another thread below it.
  track_id JOINID(track.id),
  -- The vsync's number, as in the text.
  vsync_id LONG,
  -- The facts of the frame: extract_arg(arg_set_id, 'debug.cause') is why it was late.
  arg_set_id ARGSETID,
  -- The process.
  upid JOINID(process.id),
  -- Whether the frame was late.
  is_late BOOL
)
AS
SELECT
  s.id,
  s.ts,
  s.dur,
  s.track_id,
  extract_arg(s.arg_set_id, 'debug.vsync_id') AS vsync_id,
  s.arg_set_id,
  t.upid,
  coalesce(s.category = 'late', FALSE) AS is_late
FROM _ohos_frame_track AS t
CROSS JOIN slice AS s
  ON s.track_id = t.track_id
ORDER BY
  s.ts,
  s.id;

-- Frames with their slices on the tracks "Frames" and on the frame timeline, where layers
-- are called process#thread and render frames are those of the main thread.
CREATE OR REPLACE PERFETTO MACRO _ohos_joined(
  frame_slice TableOrSubquery
)
RETURNS TableOrSubquery
AS (
  SELECT
    s.id,
    f.id AS event_id,
    f.arg_set_id,
    s.ts,
    s.dur,
    iif(s.surface_frame_token IS NULL, 'render', 'app') AS kind,
    s.upid,
    t.utid,
    t.pid,
    t.tid,
    t.process_name,
    t.machine_id,
    f.is_late,
    f.vsync_id,
    _ohos_moved!(f.ts, f.arg_set_id) AS moved,
    s.name AS token,
    s.display_frame_token,
    s.prediction_type = 'Valid Prediction' AS is_predicted
  FROM $frame_slice AS f
  CROSS JOIN actual_frame_timeline_slice AS s
    ON s.ts = f.ts
    AND +s.upid = f.upid
  CROSS JOIN _ohos_frame_track AS t
    ON t.track_id = f.track_id
  WHERE
    t.tid = iif(
      s.surface_frame_token IS NULL,
      t.pid,
      cast_int!(substr(s.layer_name, length(rtrim(s.layer_name, '0123456789')) + 1))
    )
    AND cast_int!(s.name) = coalesce(extract_arg(f.arg_set_id, 'debug.token'), f.vsync_id)
);

-- A duration that a slice has in milliseconds, exact to the nanosecond.
CREATE OR REPLACE PERFETTO MACRO _ohos_length(
  arg_set_id Expr,
  name Expr
)
RETURNS Expr
AS cast_int!(round(extract_arg($arg_set_id, $name) * 1e6));

-- The slices of the tracks "Report": the measures of each process, and what its late frames
-- cost by cause.
CREATE OR REPLACE PERFETTO TABLE _ohos_report AS
SELECT extract_arg(arg_set_id, 'debug.report.kind') AS kind, upid, pid, process_name, arg_set_id, moved
FROM _ohos_slices!('Report')
ORDER BY
  kind,
  upid;

-- A measure of a slice of _ohos_report, by its path in the JSON of "ohframe report".
CREATE OR REPLACE PERFETTO MACRO _ohos_measure(
  path Expr
)
RETURNS Expr
AS extract_arg(arg_set_id, 'debug.report.' || $path);
