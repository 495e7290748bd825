-- Frames per second, and hitches: frames that were shown too late. They are those of
-- "ohframe report" (docs/frames.md 9).

INCLUDE PERFETTO MODULE ohos.slices;

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
  -- The event that counts as shown: 'present', 'commit' or 'render_start', the best that is
  -- known.
  event STRING,
  -- Frames shown; for an application, render frames that applied its transactions.
  frames LONG,
  -- When the first was shown.
  first_ts TIMESTAMP,
  -- When the last was shown.
  last_ts TIMESTAMP,
  -- Frames shown per second while animating: without idle time; NULL if no two frames follow
  -- each other without any.
  fps DOUBLE,
  -- (frames − 1) / the time from first to last, without the time between traces.
  fps_all DOUBLE,
  -- Refreshes from one frame that was shown to the next, most often: 2 is every second vsync.
  cadence_every LONG,
  -- The display's refresh rate then, a whole number.
  cadence_refresh_hz LONG,
  -- Share of the gaps without idle time that are like that, 0 to 1.
  cadence_share DOUBLE
)
AS
SELECT
  kind,
  upid,
  pid,
  process_name,
  _ohos_measure!('fps.event') AS event, _ohos_measure!('fps.frames') AS frames,
  _ohos_measure!('fps.first_ns') + moved AS first_ts, _ohos_measure!('fps.last_ns') + moved AS last_ts,
  _ohos_measure!('fps.rate_hz') AS fps, _ohos_measure!('fps.all_hz') AS fps_all,
  _ohos_measure!('fps.cadence.every') AS cadence_every,
  _ohos_measure!('fps.cadence.refresh_hz') AS cadence_refresh_hz,
  _ohos_measure!('fps.cadence.share') AS cadence_share
FROM _ohos_report
WHERE
  _ohos_measure!('fps.event') IS NOT NULL;

-- The counters FPS: frames per second of each process over the last second.
CREATE OR REPLACE PERFETTO TABLE ohos_fps_over_time(
  -- When a frame was shown, at least the second one in a second, or a second after the
  -- last one.
  ts TIMESTAMP,
  -- The process.
  upid JOINID(process.id),
  -- Frames per second in the second that ends then.
  fps DOUBLE
)
AS
SELECT c.ts, t.upid, c.value AS fps
FROM process_counter_track AS t
JOIN counter AS c
  ON c.track_id = t.id
WHERE
  t.name = 'FPS'
  AND t.type GLOB '*track_event'
  AND t.upid IN (
    SELECT upid FROM _ohos_report
  )
ORDER BY
  c.ts;

-- The gaps between two consecutive presents that were too long.
CREATE OR REPLACE PERFETTO TABLE ohos_hitch(
  -- The slice on the track "Hitches" of the process.
  id ID(slice.id),
  -- The first present.
  ts TIMESTAMP,
  -- From there to the second.
  dur DURATION,
  -- The process.
  upid JOINID(process.id),
  -- From the vsync after that of the first frame until the second one was due.
  until_due_ns DURATION,
  -- By how much the gap was too long.
  hitch_ns DURATION,
  -- Frames that fit into the hitch.
  lost_frames LONG
)
AS
SELECT
  id,
  ts,
  dur,
  upid,
  extract_arg(arg_set_id, 'debug.hitch.until_due_ns') AS until_due_ns,
  extract_arg(arg_set_id, 'debug.hitch.hitch_ns') AS hitch_ns,
  extract_arg(arg_set_id, 'debug.hitch.lost_frames') AS lost_frames
FROM _ohos_slices!('Hitches')
ORDER BY
  id;

-- The hitches of each process. Processes with an unknown gap are omitted.
CREATE OR REPLACE PERFETTO TABLE ohos_hitches(
  -- 'app' or 'render'.
  kind STRING,
  -- The process.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Times between two successive presents that could be judged.
  gaps LONG,
  -- Their sum.
  dur DURATION,
  -- Part of dur that is idle; a hang while no frame is due counts.
  idle_ns DURATION,
  -- Gaps that were 0.7 refresh periods or more longer than they should have been.
  hitches LONG,
  -- Sum of all hitches.
  hitch_ns DURATION,
  -- Frames that would have fitted in.
  lost_frames LONG,
  -- Hitch_ns in milliseconds / (dur − idle_ns) in seconds; NULL if no two frames follow each
  -- other without idle time.
  hitch_ms_per_s DOUBLE
)
AS
SELECT
  kind,
  upid,
  pid,
  process_name,
  _ohos_measure!('hitches.gaps') AS gaps, _ohos_measure!('hitches.time_ns') AS dur,
  _ohos_measure!('hitches.idle_ns') AS idle_ns, _ohos_measure!('hitches.hitches') AS hitches,
  _ohos_measure!('hitches.hitch_ns') AS hitch_ns, _ohos_measure!('hitches.lost_frames') AS lost_frames,
  _ohos_measure!('hitches.hitch_ms_per_s') AS hitch_ms_per_s
FROM _ohos_report
WHERE
  _ohos_measure!('hitches.gaps') IS NOT NULL;
