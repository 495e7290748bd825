-- Refresh rates of displays that had several (docs/frames.md 8.6 and 8.7), with the votes of
-- render_service's frame rate manager. They are the slices of the tracks "Refresh rate".
--
-- Times are trace times. Unknown values are NULL. The objects are views: a trace that is
-- only looked at pays nothing for them.

INCLUDE PERFETTO MODULE ohos.slices;

-- A field of a refresh rate, by its name in the JSON of "ohframe report".
CREATE OR REPLACE PERFETTO MACRO _ohos_rate(
  name Expr
)
RETURNS Expr
AS extract_arg(s.arg_set_id, 'debug.refresh_rate.' || $name);

-- The refresh rates of displays that had several, in order of time.
CREATE OR REPLACE PERFETTO VIEW ohos_refresh_rate(
  -- The slice on the track "Refresh rate".
  id ID(slice.id),
  -- The first vsync with the rate.
  ts TIMESTAMP,
  -- From there to the first vsync with another, or to the last one.
  dur DURATION,
  -- The track.
  track_id JOINID(track.id),
  -- The render service.
  upid JOINID(process.id),
  -- Process id of the render service.
  pid LONG,
  -- Refreshes per second.
  rate_hz DOUBLE,
  -- The display had a higher rate before.
  is_lowered BOOL,
  -- Highest rate that the display had in the trace up to then.
  highest_hz DOUBLE,
  -- The rate until then; NULL if the trace has none.
  before_hz DOUBLE,
  -- The voter that decided the rate, such as 'VOTER_IDLE'; NULL if that is unknown.
  voter STRING,
  -- When that was; NULL if it is unknown.
  decided_ts TIMESTAMP,
  -- Time from the last touch until then; NULL if a finger is on the screen, or if that is
  -- unknown.
  since_touch_ms DOUBLE,
  -- The trace shows which votes counted; otherwise there may have been more than those
  -- overruled.
  is_counted BOOL,
  -- Buffers that layers dropped because the display shows fewer pictures per second.
  dropped_buffers LONG
)
AS
SELECT
  s.id,
  s.ts,
  s.dur,
  s.track_id,
  s.upid,
  _ohos_rate!('pid') AS pid, _ohos_rate!('rate_hz') AS rate_hz,
  coalesce(_ohos_rate!('lowered'), FALSE) AS is_lowered, _ohos_rate!('highest_hz') AS highest_hz,
  _ohos_rate!('before_hz') AS before_hz, _ohos_rate!('voter') AS voter,
  _ohos_rate!('decided_ns') - _ohos_rate!('start_ns') + s.ts AS decided_ts,
  _ohos_rate!('since_touch_ms') AS since_touch_ms, coalesce(_ohos_rate!('counted'), FALSE) AS is_counted,
  _ohos_rate!('dropped_buffers') AS dropped_buffers
FROM _ohos_slices!('Refresh rate') AS s
WHERE
  _ohos_rate!('rate_hz') IS NOT NULL
ORDER BY
  s.ts,
  s.id;

-- The votes for other rates that a decision overruled.
CREATE OR REPLACE PERFETTO VIEW ohos_refresh_vote(
  -- The rate that was decided: ohos_refresh_rate.id.
  rate_id JOINID(slice.id),
  -- The voter.
  voter STRING,
  -- Process id for which the vote is; 0 for none.
  pid LONG,
  -- The lowest rate that it is for.
  min_hz LONG,
  -- The highest rate that it is for.
  max_hz LONG
)
AS
SELECT
  id AS rate_id,
  _ohos_of!('voter') AS voter, _ohos_of!('pid') AS pid,
  _ohos_of!('min_hz') AS min_hz,
  _ohos_of!('max_hz') AS max_hz
FROM _ohos_values!('Refresh rate', 'refresh_rate.overruled')
GROUP BY
  id,
  number;
