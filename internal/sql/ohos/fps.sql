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
  -- The event that counts as shown: 'present', where
  -- less than two presents are known 'commit', else 'render_start'.
  event STRING,
  -- How many frames were shown, at different times.
  frames LONG,
  -- When the first was.
  first_ts TIMESTAMP,
  -- When the last was.
  last_ts TIMESTAMP,
  -- While animating, without idle time, a second. If idle time is not known, none is
  -- left out. NULL if no two frames follow each other without idle time.
  fps DOUBLE,
  -- Idle time included, a second.
  fps_all DOUBLE,
  -- From one frame to the next, most often: 2 is every second refresh.
  cadence_every LONG,
  -- The refresh rate of the display then, a whole number.
  cadence_refresh_hz LONG,
  -- How many of the gaps without idle time are like that, 0 to 1.
  cadence_share DOUBLE
)
AS
SELECT
  kind,
  upid,
  pid,
  process_name,
  _ohos_measure!('fps.event') AS event,
  _ohos_measure!('fps.frames') AS frames,
  _ohos_measure!('fps.first_ns') + moved AS first_ts,
  _ohos_measure!('fps.last_ns') + moved AS last_ts,
  _ohos_measure!('fps.rate_hz') AS fps,
  _ohos_measure!('fps.all_hz') AS fps_all,
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
  -- How many frames fit into the hitch.
  lost_frames LONG
)
AS
SELECT
  s.id,
  s.ts,
  s.dur,
  t.upid,
  extract_arg(s.arg_set_id, 'debug.hitch.until_due_ns') AS until_due_ns,
  extract_arg(s.arg_set_id, 'debug.hitch.hitch_ns') AS hitch_ns,
  extract_arg(s.arg_set_id, 'debug.hitch.lost_frames') AS lost_frames
FROM slice AS s
JOIN process_track AS t
  ON t.id = s.track_id
WHERE
  t.name = 'Hitches'
  AND t.upid IN (
    SELECT upid FROM _ohos_report
  )
ORDER BY
  s.id;

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
  -- How long the process was idle, of that.
  idle_ns DURATION,
  -- How many gaps were hitches.
  hitches LONG,
  -- By how much they were too long, together.
  hitch_ns DURATION,
  -- How many frames fit into that.
  lost_frames LONG,
  -- hitch in milliseconds / (dur - idle) in seconds. NULL if no two frames follow each other
  -- without idle time.
  hitch_ms_per_s DOUBLE
)
AS
SELECT
  kind,
  upid,
  pid,
  process_name,
  _ohos_measure!('hitches.gaps') AS gaps,
  _ohos_measure!('hitches.time_ns') AS dur,
  _ohos_measure!('hitches.idle_ns') AS idle_ns,
  _ohos_measure!('hitches.hitches') AS hitches,
  _ohos_measure!('hitches.hitch_ns') AS hitch_ns,
  _ohos_measure!('hitches.lost_frames') AS lost_frames,
  _ohos_measure!('hitches.hitch_ms_per_s') AS hitch_ms_per_s
FROM _ohos_report
WHERE
  _ohos_measure!('hitches.gaps') IS NOT NULL;
