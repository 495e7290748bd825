-- Tables with the names and columns of trace_streamer, the parser of OpenHarmony's SmartPerf,
-- so that queries for its databases run on converted traces.
--
-- Tables that Perfetto does not have, and two that nothing else in Perfetto reads on such
-- traces, have trace_streamer's names: frame_slice and gpu_slice replace Perfetto's views. A
-- query that reads other tables, such as process and thread, runs within
-- ohos_trace_streamer.
--
-- ipid is Perfetto's upid, itid is utid, and callstack_id is the id of a slice. The numbers are
-- those of ohos_frame: times of vsyncs are trace times, where trace_streamer has CLOCK_MONOTONIC.

INCLUDE PERFETTO MODULE ohos.frames;

-- A row of frame_slice for each frame, without the expected interval. A worker's frame begins
-- with OnVsyncEvent here.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_frame AS
WITH
  frame AS MATERIALIZED (
    SELECT
      id,
      upid,
      utid,
      vsync_id,
      ts,
      work_end_ts,
      expected_ts,
      expected_dur,
      flag,
      is_empty,
      render_id,
      gpu_ts,
      gpu_dur,
      (
        SELECT s.id
        FROM slice AS s
        CROSS JOIN thread_track AS t
          ON t.id = s.track_id
        WHERE
          s.ts >= f.ts
          AND s.ts <= iif(f.tid = f.pid, f.ts, f.ts + f.dur)
          AND t.utid = f.utid
          AND s.name GLOB iif(f.tid = f.pid, '*ReceiveVsync*', '*OnVsyncEvent*')
        ORDER BY
          s.ts
        LIMIT 1
      ) AS callstack_id
    FROM ohos_frame AS f
  ),
  begun AS (
    SELECT
      f.*,
      coalesce(s.ts, f.ts) AS begin_ts,
      expected_dur IS NOT NULL AS has_expected
    FROM frame AS f
    LEFT JOIN slice AS s
      ON s.id = f.callstack_id
  )
SELECT
  sum(1 + has_expected) OVER (ORDER BY begin_ts, coalesce(callstack_id, id) ROWS UNBOUNDED PRECEDING)
    - has_expected - 1 AS row,
  -- The name of its slices on tracks.
  coalesce(vsync_id, (SELECT cast_int!(name) FROM slice WHERE slice.id = begun.id)) AS label,
  *
FROM begun;

-- The render frames that applied transactions of an application frame.
CREATE OR REPLACE PERFETTO VIEW _ohos_ts_link AS
SELECT id, render_id FROM ohos_frame WHERE render_id IS NOT NULL
UNION
SELECT f.id, r.id AS render_id
FROM _ohos_frame AS f
JOIN args AS a
  ON a.arg_set_id = f.arg_set_id
  AND +a.flat_key = 'debug.also_taken_by'
JOIN _ohos_render AS r
  ON r.display_frame_token = a.int_value
  AND +r.machine_id = f.machine_id
WHERE
  extract_arg(f.arg_set_id, 'debug.also_taken_by[0]') IS NOT NULL;

-- The intervals of frames: two rows for a frame of a main thread, one for a frame of another
-- thread.
CREATE OR REPLACE PERFETTO VIEW frame_slice(
  -- The row, from 0, in order of the begin of frames.
  id LONG,
  -- The same.
  rowid LONG,
  -- When the frame began, or should have begun.
  ts TIMESTAMP,
  -- The vsync's number.
  vsync LONG,
  -- The process.
  ipid JOINID(process.id),
  -- The thread.
  itid JOINID(thread.id),
  -- The slice that begins the frame, in callstack.
  callstack_id JOINID(slice.id),
  -- How long the frame took, with its work on the GPU, or should have taken.
  dur DURATION,
  -- The rows of the application frames that a render frame took, separated by commas.
  src STRING,
  -- The row of the render frame that took the last transaction of an application frame.
  dst LONG,
  -- 0: the frame, 1: what was expected.
  type LONG,
  -- 'actural' (as trace_streamer spells it) or 'expect'.
  type_desc STRING,
  -- Of a frame 0: on time, 1: late, 2: empty, 3: misaligned. Of what was expected 2 if the
  -- frame is empty, else NULL.
  flag LONG,
  -- The line in a drawing without overlaps, by process and type.
  depth LONG,
  -- 0.
  frame_no LONG
)
AS
WITH
  frame AS MATERIALIZED (
    SELECT * FROM _ohos_ts_frame
  ),
  link AS MATERIALIZED (
    SELECT
      l.render_id,
      group_concat(a.row, ',' ORDER BY a.row) AS src,
      group_concat(iif(a.has_expected, a.row + 1, NULL), ',' ORDER BY a.row) AS expected_src
    FROM _ohos_ts_link AS l
    JOIN frame AS a USING (id)
    GROUP BY
      l.render_id
  ),
  slices AS (
    SELECT
      f.row AS id,
      f.begin_ts AS ts,
      f.vsync_id AS vsync,
      f.upid AS ipid,
      f.utid AS itid,
      f.callstack_id,
      f.work_end_ts - f.begin_ts AS dur,
      coalesce(l.src, '') AS src,
      r.row AS dst,
      0 AS type,
      'actural' AS type_desc,
      f.flag
    FROM frame AS f
    LEFT JOIN frame AS r
      ON r.id = f.render_id
    LEFT JOIN link AS l
      ON l.render_id = f.id
    UNION ALL
    SELECT
      f.row + 1 AS id,
      f.expected_ts AS ts,
      f.vsync_id AS vsync,
      f.upid AS ipid,
      f.utid AS itid,
      f.callstack_id,
      f.expected_dur AS dur,
      coalesce(l.expected_src, '') AS src,
      iif(r.has_expected, r.row + 1, NULL) AS dst,
      1 AS type,
      'expect' AS type_desc,
      iif(f.is_empty, 2, NULL) AS flag
    FROM frame AS f
    LEFT JOIN frame AS r
      ON r.id = f.render_id
    LEFT JOIN link AS l
      ON l.render_id = f.id
    WHERE
      f.has_expected
  )
SELECT
  id,
  id AS rowid,
  ts,
  vsync,
  ipid,
  itid,
  callstack_id,
  dur,
  src,
  dst,
  type,
  type_desc,
  flag,
  -- A line is free again after the end, not at the end.
  iif(
    flag IS 2,
    0,
    internal_layout(ts, dur + 1) OVER (PARTITION BY ipid, type, flag IS 2 ORDER BY ts ROWS UNBOUNDED PRECEDING)
  ) AS depth,
  0 AS frame_no
FROM slices;

-- The application frames that render frames took.
CREATE OR REPLACE PERFETTO VIEW frame_maps(
  -- The row, from 0, in order of the render frames.
  id LONG,
  -- The application frame's row in frame_slice.
  src_row LONG,
  -- The render frame's row in frame_slice, of the same type.
  dst_row LONG
)
AS
WITH
  frame AS MATERIALIZED (
    SELECT * FROM _ohos_ts_frame
  ),
  pair AS (
    SELECT a.row AS src_row, r.row AS dst_row, a.has_expected AND r.has_expected AS has_expected
    FROM _ohos_ts_link AS l
    JOIN frame AS a USING (id)
    JOIN frame AS r
      ON r.id = l.render_id
  ),
  both AS (
    SELECT src_row, dst_row FROM pair
    UNION ALL
    SELECT src_row + 1, dst_row + 1 FROM pair WHERE has_expected
  )
SELECT
  row_number() OVER (ORDER BY dst_row, src_row) - 1 AS id,
  src_row,
  dst_row
FROM both;

-- The work of render frames on the GPU.
CREATE OR REPLACE PERFETTO VIEW gpu_slice(
  -- The row, from 0, in order of the ends.
  id LONG,
  -- The render frame's row in frame_slice.
  frame_row LONG,
  -- How long the GPU worked.
  dur DURATION
)
AS
WITH
  frame AS MATERIALIZED (
    SELECT row, upid, label, gpu_ts, gpu_dur FROM _ohos_ts_frame WHERE gpu_ts IS NOT NULL
  )
SELECT
  row_number() OVER (ORDER BY s.ts + s.dur, s.id) - 1 AS id,
  f.row AS frame_row,
  s.dur
FROM process_track AS t
CROSS JOIN slice AS s
  ON s.track_id = t.id
CROSS JOIN frame AS f
  -- Without the addition, SQLite would make no index for the search.
  ON f.label = cast_int!(s.name) + 0
  AND +f.upid = t.upid
WHERE
  t.name = 'GPU (Frame queued)'
  AND t.type IN ('process_track_event', 'process_merged_track_event')
  AND s.ts BETWEEN +f.gpu_ts AND f.gpu_ts + f.gpu_dur;
