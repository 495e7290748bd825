-- Who asks for vsyncs and draws nothing, and callbacks at a rate of their own (docs/frames.md 19), of
-- processes of which `ohframe report` says so. They are arguments of the slices of the tracks "Vsyncs".
--
-- Unknown values are NULL.

INCLUDE PERFETTO MODULE ohos.slices;

-- The connections on which processes ask for vsyncs, those with the most unused ones first.
CREATE OR REPLACE PERFETTO TABLE ohos_requester(
  -- The slice on the track "Vsyncs".
  id JOINID(slice.id),
  -- The process.
  upid JOINID(process.id),
  -- Name of the connection, 'rs' for render_service.
  name STRING,
  -- Process id; NULL if it is unknown.
  pid LONG,
  -- Name of the process; empty if it is unknown.
  process_name STRING,
  -- Requests; NULL if the trace shows none, or not whose they are.
  asked LONG,
  -- Vsyncs that render_service sent; NULL as before.
  sent LONG,
  -- Vsyncs that were received.
  received LONG,
  -- Vsyncs that are known to have led to a new picture or not, and those that did not.
  judged LONG,
  -- Vsyncs that are known to have led to a new picture or not, and those that did not.
  unused LONG,
  -- Vsyncs after which something was drawn, perhaps for another connection or by another
  -- process.
  perhaps_drawn LONG,
  -- Unused / (judged + perhaps_drawn), the lowest share that it can be; NULL if judged is below
  -- 10, or below half of received.
  unused_share DOUBLE,
  -- How long the threads that received the unused ones ran in them; NULL if it is unknown.
  unused_cpu_ns DURATION,
  -- The same in milliseconds per second of trace; NULL if it, or unused_share, is unknown.
  unused_cpu_ms_per_s DOUBLE,
  -- Of unused: those for which nothing was sent, and those whose picture render_service or
  -- Flutter found unchanged.
  nothing_sent LONG,
  -- Of unused: those for which nothing was sent, and those whose picture render_service or
  -- Flutter found unchanged.
  nothing_shown LONG,
  -- How long the threads that received the unused ones handled them; NULL if it is unknown.
  unused_ms DOUBLE,
  -- Display_sync: its id.
  display_sync_id LONG,
  -- Display_sync: who asks: 'callback', 'animator' or 'xcomponent'; NULL if the trace has no
  -- type.
  display_sync_type STRING,
  -- Display_sync: the unused vsyncs that serve it.
  display_sync_unused LONG
)
AS
SELECT
  id,
  upid,
  _ohos_of!('name') AS name, _ohos_of!('pid') AS pid, _ohos_of!('process') AS process_name,
  _ohos_of!('asked') AS asked, _ohos_of!('sent') AS sent, _ohos_of!('received') AS received,
  _ohos_of!('judged') AS judged, _ohos_of!('unused') AS unused, _ohos_of!('perhaps_drawn') AS perhaps_drawn,
  _ohos_of!('unused_share') AS unused_share, _ohos_of!('unused_cpu_ns') AS unused_cpu_ns,
  _ohos_of!('unused_cpu_ms_per_s') AS unused_cpu_ms_per_s, _ohos_of!('nothing_sent') AS nothing_sent,
  _ohos_of!('nothing_shown') AS nothing_shown, _ohos_of!('unused_ms') AS unused_ms,
  _ohos_of!('display_sync.id') AS display_sync_id, _ohos_of!('display_sync.type') AS display_sync_type,
  _ohos_of!('display_sync.unused') AS display_sync_unused
FROM _ohos_values!('Vsyncs', 'requesters')
GROUP BY
  id,
  number
ORDER BY
  unused DESC,
  id,
  number;

-- Display syncs of applications, each at one rate, those with the most time first.
CREATE OR REPLACE PERFETTO TABLE ohos_callback(
  -- The slice on the track "Vsyncs".
  id JOINID(slice.id),
  -- The application.
  upid JOINID(process.id),
  -- Process id of the application.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Id of the display sync.
  display_sync LONG,
  -- Whose callback it is: 'callback', 'animator' or 'xcomponent'; NULL if the trace has no type.
  type STRING,
  -- How often it is to be called a second; NULL if the trace does not say.
  rate_hz LONG,
  -- Of so many vsyncs a second; NULL if the trace does not say.
  vsync_rate_hz LONG,
  -- In every so many frames: 2 is every second one; NULL if the trace does not say.
  every LONG,
  -- Frames that serve it.
  frames LONG,
  -- Those in which it was called.
  calls LONG,
  -- Took: number of frames, interactions or items.
  took_frames LONG,
  -- Took: half of the times are at most this long.
  took_p50_ns DURATION,
  -- Took: 95 % of them are; NULL for fewer than 20.
  took_p95_ns DURATION,
  -- Took: the longest.
  took_max_ns DURATION,
  -- Of all calls.
  total_ns DURATION,
  -- How long the threads ran in the calls; NULL if it is unknown.
  cpu_ms DOUBLE
)
AS
SELECT
  id,
  upid,
  _ohos_of!('pid') AS pid, _ohos_of!('process') AS process_name, _ohos_of!('id') AS display_sync,
  _ohos_of!('type') AS type, _ohos_of!('rate_hz') AS rate_hz, _ohos_of!('vsync_rate_hz') AS vsync_rate_hz,
  _ohos_of!('every') AS every, _ohos_of!('frames') AS frames, _ohos_of!('calls') AS calls,
  _ohos_of!('took.frames') AS took_frames, _ohos_of!('took.p50_ns') AS took_p50_ns,
  _ohos_of!('took.p95_ns') AS took_p95_ns, _ohos_of!('took.max_ns') AS took_max_ns,
  _ohos_of!('total_ns') AS total_ns, _ohos_of!('cpu_ms') AS cpu_ms
FROM _ohos_values!('Vsyncs', 'callbacks')
GROUP BY
  id,
  number
ORDER BY
  total_ns DESC,
  id,
  number;
