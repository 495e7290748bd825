-- Layers: queues of buffers that the compositor shows, such as that of a video (docs/frames.md
-- 16), and the buffers in them. They are the slices of the tracks "Layers", which have the
-- measures of "ohframe report" and the facts of buffers as arguments.
--
-- Times are trace times. Unknown values are NULL. The objects are views: a trace that is
-- only looked at pays nothing for them.

INCLUDE PERFETTO MODULE ohos.slices;

-- A measure of a layer, by its name in the JSON of "ohframe report".
CREATE OR REPLACE PERFETTO MACRO _ohos_layer(
  name Expr
)
RETURNS Expr
AS extract_arg(s.arg_set_id, 'debug.layer.' || $name);

-- The tracks of layers, and those below: of their buffers in the queue, and of stages.
CREATE OR REPLACE PERFETTO VIEW _ohos_layer_track AS
SELECT t.id, t.machine_id, top.id IS NOT NULL AS is_below
FROM track AS t
JOIN _ohos_machine AS m
  ON m.machine_id = t.machine_id
JOIN track AS parent
  ON parent.id = t.parent_id
LEFT JOIN track AS top
  ON top.id = parent.parent_id
WHERE
  coalesce(top.name, parent.name) GLOB 'Layers*'
  AND coalesce(top.type, parent.type) GLOB 'global*track_event'
  AND top.parent_id IS NULL;

-- The layers of the trace.
CREATE OR REPLACE PERFETTO VIEW ohos_layer(
  -- The slice with the measures, on the track of the layer, or on "Other layers".
  id ID(slice.id),
  -- The first time that is known of a buffer.
  ts TIMESTAMP,
  -- From there to the last one. 0 on "Other layers".
  dur DURATION,
  -- The track.
  track_id JOINID(track.id),
  -- Number, from 1, by the first line.
  layer_id LONG,
  -- Its name.
  name STRING,
  -- The producer. NULL if it is unknown or not in the trace.
  upid JOINID(process.id),
  -- Process id of the producer; NULL if it is unknown.
  pid LONG,
  -- Name of the producer.
  process_name STRING,
  -- What draws the buffers: 'choreographer', 'flutter', 'web', 'nativevsync', or
  -- 'outside_frames' for transactions in place of buffers; NULL if the trace has no frames of
  -- one.
  framework STRING,
  -- Id of the queue; NULL if the trace has none.
  queue_id LONG,
  -- All buffers.
  buffers LONG,
  -- Those that went to the display.
  shown LONG,
  -- Those that a later one replaced.
  dropped LONG,
  -- Those that the trace does not show to the end.
  waiting LONG,
  -- Buffers that were never shown / buffers shown or dropped.
  dropped_rate DOUBLE,
  -- Intervals between presents / their time, without pauses; NULL for fewer than two presents.
  fps DOUBLE,
  -- The layer's own interval between buffers, that of most of the time; NULL if it has none.
  cadence_ms DOUBLE,
  -- Intervals between presents that were compared with the cadence.
  judged LONG,
  -- Those that were longer by more than half a vsync (docs/frames.md 16.5); NULL if none was
  -- judged.
  late LONG,
  -- Those that were longer only because a display has whole vsyncs.
  long LONG,
  -- Those that were shorter by more than half a vsync.
  early LONG,
  -- Early, long and late intervals between presents / intervals.
  uneven_rate DOUBLE,
  -- Late intervals between presents / intervals.
  late_rate DOUBLE,
  -- The longest interval that was compared with the cadence.
  longest_ms DOUBLE,
  -- Median of the times from when a buffer is queued until the compositor takes it.
  queue_p50_ms DOUBLE,
  -- 95th percentile of the times in the queue; NULL for fewer than 20 buffers.
  queue_p95_ms DOUBLE,
  -- Median of the times that the producer waited for a free buffer.
  request_p50_ms DOUBLE,
  -- 95th percentile of the times that the producer waits for a free buffer; NULL for fewer than
  -- 20 buffers.
  request_p95_ms DOUBLE,
  -- Median of the times that the producer's GPU worked on after a buffer was queued.
  gpu_p50_ms DOUBLE,
  -- 95th percentile of the times that the GPU works after a buffer is queued; NULL for fewer
  -- than 20 buffers.
  gpu_p95_ms DOUBLE,
  -- The machine: in a merged trace, each counts its layers from 1.
  machine_id JOINID(machine.id)
)
AS
SELECT
  s.id,
  s.ts,
  s.dur,
  s.track_id,
  _ohos_layer!('id') AS layer_id, _ohos_layer!('name') AS name,
  p.upid,
  _ohos_layer!('pid') AS pid, _ohos_layer!('process') AS process_name, _ohos_layer!('framework') AS framework,
  _ohos_layer!('queue_id') AS queue_id, _ohos_layer!('buffers') AS buffers, _ohos_layer!('shown') AS shown,
  _ohos_layer!('dropped') AS dropped, _ohos_layer!('waiting') AS waiting,
  _ohos_layer!('dropped_rate') AS dropped_rate, _ohos_layer!('fps') AS fps,
  _ohos_layer!('cadence_ms') AS cadence_ms, _ohos_layer!('judged') AS judged, _ohos_layer!('late') AS late,
  _ohos_layer!('long') AS long, _ohos_layer!('early') AS early, _ohos_layer!('uneven_rate') AS uneven_rate,
  _ohos_layer!('late_rate') AS late_rate, _ohos_layer!('longest_ms') AS longest_ms,
  _ohos_layer!('queue_p50_ms') AS queue_p50_ms, _ohos_layer!('queue_p95_ms') AS queue_p95_ms,
  _ohos_layer!('request_p50_ms') AS request_p50_ms, _ohos_layer!('request_p95_ms') AS request_p95_ms,
  _ohos_layer!('gpu_p50_ms') AS gpu_p50_ms, _ohos_layer!('gpu_p95_ms') AS gpu_p95_ms,
  t.machine_id
FROM _ohos_layer_track AS t
CROSS JOIN slice AS s
  ON s.track_id = t.id
LEFT JOIN process AS p
  ON p.pid = _ohos_layer!('pid')
  AND +p.machine_id = t.machine_id
WHERE
  NOT t.is_below
  AND _ohos_layer!('id') IS NOT NULL
ORDER BY
  layer_id;

-- The buffers of all layers.
CREATE OR REPLACE PERFETTO VIEW ohos_buffer(
  -- The slice on the track "Queue" of the layer, or on "Other layers".
  id ID(slice.id),
  -- When the buffer was queued, or the first later time that is known.
  ts TIMESTAMP,
  -- From there to when the compositor took it, or a later one. 0 on "Other layers".
  dur DURATION,
  -- The track.
  track_id JOINID(track.id),
  -- The number of its layer: ohos_layer.layer_id.
  layer_id LONG,
  -- The buffer's id, which is used again.
  sequence LONG,
  -- The thread that queued it, by its id in the system.
  tid LONG,
  -- When the producer asked for a free buffer.
  request_ts TIMESTAMP,
  -- How long it waited for one.
  request_dur DURATION,
  -- When it handed the buffer over.
  queued_ts TIMESTAMP,
  -- When the producer's GPU was done with it.
  ready_ts TIMESTAMP,
  -- When the compositor took it.
  acquired_ts TIMESTAMP,
  -- When the display showed it first.
  present_ts TIMESTAMP,
  -- It was shown before that time.
  is_present_estimated BOOL,
  -- 'shown', 'dropped' or 'waiting'.
  fate STRING,
  -- How interval_ns compares with the layer's cadence: 'even', 'early', 'long' or 'late'. NULL if
  -- they were not compared.
  pace STRING,
  -- The pace is 'late'. NULL if they were not compared.
  is_late BOOL,
  -- Since the present of the buffer before.
  interval_ns DURATION,
  -- When a late buffer should have been taken. NULL if the compositor took it in time.
  deadline_ts TIMESTAMP,
  -- The interval less the cadence. NULL if they were not compared.
  overrun_ns DURATION,
  -- The frame that drew it: ohos_frame.id.
  frame_id JOINID(slice.id),
  -- The render frame that took it: ohos_frame.id.
  render_id JOINID(slice.id),
  -- The machine: in a merged trace, layer_id is the number of several layers.
  machine_id JOINID(machine.id)
)
AS
WITH
  queued AS (
    SELECT s.id, s.ts, s.dur, s.track_id, s.arg_set_id, t.machine_id, _ohos_moved!(s.ts, s.arg_set_id) AS moved
    FROM _ohos_layer_track AS t
    CROSS JOIN slice AS s
      ON s.track_id = t.id
  )
SELECT
  s.id,
  s.ts,
  s.dur,
  s.track_id,
  extract_arg(s.arg_set_id, 'debug.layer_id') AS layer_id,
  extract_arg(s.arg_set_id, 'debug.sequence') AS sequence,
  extract_arg(s.arg_set_id, 'debug.tid') AS tid,
  extract_arg(s.arg_set_id, 'debug.request_ts') + s.moved AS request_ts,
  _ohos_length!(s.arg_set_id, 'debug.request_ms') AS request_dur,
  extract_arg(s.arg_set_id, 'debug.queued_ts') + s.moved AS queued_ts,
  extract_arg(s.arg_set_id, 'debug.ready_ts') + s.moved AS ready_ts,
  extract_arg(s.arg_set_id, 'debug.acquired_ts') + s.moved AS acquired_ts,
  extract_arg(s.arg_set_id, 'debug.present_ts') + s.moved AS present_ts,
  iif(
    extract_arg(s.arg_set_id, 'debug.present_ts') IS NULL,
    NULL,
    extract_arg(s.arg_set_id, 'debug.present_estimated') IS NOT NULL
  ) AS is_present_estimated,
  extract_arg(s.arg_set_id, 'debug.fate') AS fate,
  extract_arg(s.arg_set_id, 'debug.pace') AS pace,
  extract_arg(s.arg_set_id, 'debug.pace') = 'late' AS is_late,
  _ohos_length!(s.arg_set_id, 'debug.interval_ms') AS interval_ns,
  extract_arg(s.arg_set_id, 'debug.deadline_ts') + s.moved AS deadline_ts,
  _ohos_length!(s.arg_set_id, 'debug.overrun_ms') AS overrun_ns,
  -- A frame is found by its start, and then by its number and its thread: layers of the frame
  -- timeline are called process#thread.
  (
    SELECT f.id
    FROM actual_frame_timeline_slice AS f
    JOIN process AS p USING (upid)
    WHERE
      f.ts = extract_arg(s.arg_set_id, 'debug.frame_ts') + s.moved
      AND +p.machine_id = s.machine_id
      AND f.layer_name GLOB '*#' || extract_arg(s.arg_set_id, 'debug.frame_tid')
      AND cast_int!(f.name) = extract_arg(s.arg_set_id, 'debug.frame_token')
  ) AS frame_id,
  (
    SELECT f.id
    FROM actual_frame_timeline_slice AS f
    JOIN process AS p USING (upid)
    WHERE
      f.ts = extract_arg(s.arg_set_id, 'debug.render_ts') + s.moved
      AND +p.machine_id = s.machine_id
      AND f.surface_frame_token IS NULL
      AND cast_int!(f.name) = extract_arg(s.arg_set_id, 'debug.render_token')
  ) AS render_id,
  s.machine_id
FROM queued AS s
WHERE
  extract_arg(s.arg_set_id, 'debug.layer_id') IS NOT NULL
ORDER BY
  layer_id,
  s.ts,
  s.id;
