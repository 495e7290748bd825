-- What the user did, such as a fling or the launch of an application, and how it was shown
-- (docs/frames.md 15): the slices of the tracks "Interactions", which have the measures of
-- "ohframe report" as arguments.
--
-- Times are trace times. Unknown values are NULL. The objects are views: a trace that is
-- only looked at pays nothing for them.

INCLUDE PERFETTO MODULE ohos.slices;

-- A value of an interaction, by its path in the JSON of "ohframe report".
CREATE OR REPLACE PERFETTO MACRO _ohos_interaction(
  path Expr
)
RETURNS Expr
AS extract_arg(s.arg_set_id, 'debug.interaction.' || $path);

-- A value that is only written if it is true.
CREATE OR REPLACE PERFETTO MACRO _ohos_interaction_is(
  path Expr
)
RETURNS Expr
AS coalesce(extract_arg(s.arg_set_id, 'debug.interaction.' || $path), FALSE);

-- The interactions of the trace.
CREATE OR REPLACE PERFETTO VIEW ohos_interaction(
  -- The slice on the track "Interactions" of the process.
  id ID(slice.id),
  -- The input, or the begin without one.
  ts TIMESTAMP,
  -- From there to when the last frame was shown. If that is unknown, to the end, or to the
  -- begin of the last stage.
  dur DURATION,
  -- The track.
  track_id JOINID(track.id),
  -- Number, from 1, by begin.
  interaction LONG,
  -- Scene or 'launch'.
  kind STRING,
  -- Name of the scene; of a launch 'cold', 'warm' or 'hot'.
  scene STRING,
  -- The process of the application. NULL if it is not in the trace.
  upid JOINID(process.id),
  -- Process id of the application; NULL if the trace has no line of it.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Page of the application, as render_service names it.
  page STRING,
  -- What response and completion count from: 'first_move', 'last_up' or 'last_down'; NULL
  -- without an input.
  input STRING,
  -- When the input was.
  input_ts TIMESTAMP,
  -- When the scene's slice, or the first stage of a launch, began.
  begin_ts TIMESTAMP,
  -- When the scene's slice ended, or the first frame of a launch was shown.
  end_ts TIMESTAMP,
  -- When its first frame was shown.
  first_shown_ts TIMESTAMP,
  -- When its last frame was shown.
  last_shown_ts TIMESTAMP,
  -- Time from the input, or from the begin without one, to the first frame shown.
  response_ms DOUBLE,
  -- Time from the input, or from the begin without one, to the last frame shown.
  completion_ms DOUBLE,
  -- A present time is an estimate.
  is_estimated BOOL,
  -- An edge of the trace cuts it.
  is_truncated BOOL,
  -- The device reports that another one interrupted it.
  is_interrupted BOOL,
  -- It has no end, and the device ended it after 10 s.
  is_timed_out BOOL,
  -- 'application' or 'render': whose frames the following fields are about.
  counted STRING,
  -- Frames by present time; NULL if none was shown.
  frames LONG,
  -- Frames that ended after their deadline.
  late LONG,
  -- Late frames / judged frames.
  jank_rate DOUBLE,
  -- Frames that would have fitted in hitches.
  missed_vsyncs LONG,
  -- The most missed vsyncs in a row.
  longest_missed_run LONG,
  -- Frames shown per second, without the slow end of a fling.
  fps DOUBLE,
  -- Cadence: refreshes from one frame that was shown to the next, most often: 2 is every second
  -- vsync.
  cadence_every LONG,
  -- Cadence: the display's refresh rate then, a whole number.
  cadence_refresh_hz LONG,
  -- Cadence: share of the gaps without idle time that are like that, 0 to 1.
  cadence_share DOUBLE,
  -- Time by which frames were shown late, per second.
  hitch_ms_per_s DOUBLE,
  -- Median of the durations of its frames.
  p50_ms DOUBLE,
  -- 95th percentile of the durations of its frames; NULL for fewer than 20.
  p95_ms DOUBLE,
  -- 'S', 'A', 'B' or 'below': the response against the published limits; NULL where none
  -- applies, and if the trace cuts the interaction.
  grade STRING,
  -- Vsync id of the frame with the largest overrun; NULL if none is late.
  worst_frame LONG,
  -- Device: its response, to the millisecond.
  device_response_ms DOUBLE,
  -- Device: its completion, to the millisecond.
  device_completion_ms DOUBLE,
  -- Device: its hitch ratio.
  device_hitch_ms_per_s DOUBLE,
  -- Device: its longest frame.
  device_max_frame_ms DOUBLE,
  -- Device: frames / its duration.
  device_fps DOUBLE,
  -- Why values are unknown or estimates, separated by blanks: the words of the report.
  reasons STRING
)
AS
SELECT
  s.id,
  s.ts,
  s.dur,
  s.track_id,
  _ohos_interaction!('id') AS interaction, _ohos_interaction!('kind') AS kind,
  _ohos_interaction!('scene') AS scene,
  s.upid,
  _ohos_interaction!('pid') AS pid, _ohos_interaction!('process') AS process_name,
  _ohos_interaction!('page') AS page, _ohos_interaction!('input') AS input,
  _ohos_interaction!('input_ns') + s.moved AS input_ts, _ohos_interaction!('begin_ns') + s.moved AS begin_ts,
  _ohos_interaction!('end_ns') + s.moved AS end_ts,
  _ohos_interaction!('first_shown_ns') + s.moved AS first_shown_ts,
  _ohos_interaction!('last_shown_ns') + s.moved AS last_shown_ts,
  _ohos_interaction!('response_ms') AS response_ms, _ohos_interaction!('completion_ms') AS completion_ms,
  _ohos_interaction_is!('estimated') AS is_estimated, _ohos_interaction_is!('truncated') AS is_truncated,
  _ohos_interaction_is!('interrupted') AS is_interrupted, _ohos_interaction_is!('timed_out') AS is_timed_out,
  _ohos_interaction!('counted') AS counted, _ohos_interaction!('frames') AS frames,
  _ohos_interaction!('late') AS late, _ohos_interaction!('jank_rate') AS jank_rate,
  _ohos_interaction!('missed_vsyncs') AS missed_vsyncs,
  _ohos_interaction!('longest_missed_run') AS longest_missed_run, _ohos_interaction!('fps') AS fps,
  _ohos_interaction!('cadence.every') AS cadence_every,
  _ohos_interaction!('cadence.refresh_hz') AS cadence_refresh_hz,
  _ohos_interaction!('cadence.share') AS cadence_share, _ohos_interaction!('hitch_ms_per_s') AS hitch_ms_per_s,
  _ohos_interaction!('p50_ms') AS p50_ms, _ohos_interaction!('p95_ms') AS p95_ms,
  _ohos_interaction!('grade') AS grade, _ohos_interaction!('worst_frame') AS worst_frame,
  _ohos_interaction!('device.response_ms') AS device_response_ms,
  _ohos_interaction!('device.completion_ms') AS device_completion_ms,
  _ohos_interaction!('device.hitch_ms_per_s') AS device_hitch_ms_per_s,
  _ohos_interaction!('device.max_frame_ms') AS device_max_frame_ms,
  _ohos_interaction!('device.fps') AS device_fps,
  (
    SELECT group_concat(string_value, ' ' ORDER BY a.id)
    FROM args AS a
    WHERE
      a.arg_set_id = s.arg_set_id
      AND a.flat_key = 'debug.interaction.reasons'
  ) AS reasons
FROM _ohos_slices!('Interactions') AS s
WHERE
  _ohos_interaction!('id') IS NOT NULL
ORDER BY
  interaction;

-- The stages of launches.
CREATE OR REPLACE PERFETTO VIEW ohos_launch_stage(
  -- The slice within that of the launch.
  id ID(slice.id),
  -- When it began.
  ts TIMESTAMP,
  -- Its duration, up to the next stage; NULL if its end is unknown.
  dur DURATION,
  -- The track.
  track_id JOINID(track.id),
  -- The slice of the launch: ohos_interaction.id.
  interaction_id JOINID(slice.id),
  -- The launch's number in the report.
  interaction LONG,
  -- The process of the application. NULL if it is not in the trace.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- Name of the stage.
  name STRING
)
AS
SELECT
  stage.id,
  extract_arg(stage.arg_set_id, 'debug.launch_stage.begin_ns') + stage.moved AS ts,
  extract_arg(stage.arg_set_id, 'debug.launch_stage.dur_ns') AS dur,
  stage.track_id,
  stage.parent_id AS interaction_id,
  _ohos_interaction!('id') AS interaction,
  stage.upid,
  _ohos_interaction!('process') AS process_name,
  extract_arg(stage.arg_set_id, 'debug.launch_stage.name') AS name
FROM _ohos_slices!('Interactions') AS stage
JOIN slice AS s
  ON s.id = stage.parent_id
WHERE
  extract_arg(stage.arg_set_id, 'debug.launch_stage.name') IS NOT NULL
ORDER BY
  interaction,
  stage.id;
