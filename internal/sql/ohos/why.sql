-- Why frames were late: what their threads did or waited for, compared with frames on
-- time. docs/why.md explains waits, stages and shares, and has their codes.
--
-- The tables need nothing but the tracks of a converted trace. A trace that was
-- converted with --no-causes has no rows.

INCLUDE PERFETTO MODULE ohos.slices;

-- Frames that were late, or shown or picked up late.
CREATE OR REPLACE PERFETTO TABLE _ohos_why_frame AS
WITH
  said AS (
    SELECT *
    FROM ohos_frame_slice
    WHERE
      is_late
      OR extract_arg(arg_set_id, 'debug.shown_late_ms') IS NOT NULL
      OR extract_arg(arg_set_id, 'debug.picked_up_late_ms') IS NOT NULL
  )
SELECT id, kind, upid, tid, ts, vsync_id, machine_id, arg_set_id, is_late
FROM _ohos_joined!(said)
ORDER BY
  id;

-- Where the time of each late frame went: from when it should have begun, or when it began
-- if that was earlier, to the end of its work. The sum of a frame's rows is that time,
-- to the nanosecond.
CREATE OR REPLACE PERFETTO VIEW ohos_frame_wait(
  -- The frame.
  frame_id JOINID(slice.id),
  -- What the thread did or waited for, for example 'run', 'io' or 'cpu.wait'.
  wait STRING,
  -- The part of the work for the frame, for example 'layout'; 'start' is before the
  -- frame began.
  stage STRING,
  -- How long.
  ns DURATION
)
AS
WITH
  part AS (
    SELECT f.id, substr(a.flat_key, length('debug.waits_ns.') + 1) AS name, a.int_value
    FROM _ohos_why_frame AS f
    CROSS JOIN args AS a USING (arg_set_id)
    WHERE
      f.is_late
      AND +a.flat_key GLOB 'debug.waits_ns.*'
  )
SELECT
  id AS frame_id,
  replace(substr(name, instr(name, '/') + 1), ' ', '.') AS wait,
  substr(name, 1, instr(name, '/') - 1) AS stage,
  int_value AS ns
FROM part;

-- The causes of late frames: elements of a list.
CREATE OR REPLACE PERFETTO TABLE _ohos_entry AS
SELECT
  f.id AS frame_id,
  cast_int!(substr(a.key, length('debug.causes[') + 1)) + 1 AS rank,
  f.upid,
  f.vsync_id,
  f.machine_id,
  f.arg_set_id,
  a.string_value AS title,
  substr(a.key, 1, length(a.key) - length('title')) AS prefix
FROM _ohos_why_frame AS f
CROSS JOIN args AS a USING (arg_set_id)
WHERE
  f.is_late
  AND +a.flat_key = 'debug.causes.title'
ORDER BY
  f.id,
  rank;

-- The threads of each id: the first one, as a machine can give it to several.
CREATE OR REPLACE PERFETTO TABLE _ohos_thread AS
SELECT tid, machine_id, min(utid) AS utid
FROM thread
GROUP BY
  tid,
  machine_id
ORDER BY
  tid;

-- A value of a cause.
CREATE OR REPLACE PERFETTO MACRO _ohos_of_cause(
  name Expr
)
RETURNS Expr
AS extract_arg(e.arg_set_id, e.prefix || $name);

-- The causes of each late frame, by their shares of its overrun. The sum of a frame's
-- shares is the overrun, to the nanosecond.
CREATE OR REPLACE PERFETTO VIEW ohos_frame_cause(
  -- The frame.
  frame_id JOINID(slice.id),
  -- Its process.
  upid JOINID(process.id),
  -- Its vsync's number, as in the text.
  vsync_id LONG,
  -- By how much it missed its deadline.
  overrun_ns DURATION,
  -- 1 for the cause with the largest share.
  rank LONG,
  -- The cause in a few words.
  title STRING,
  -- What the thread did or waited for.
  wait STRING,
  -- The part of the work for the frame. 'none' if it applies to all of them.
  stage STRING,
  -- The slice of the frame's thread. NULL outside of all slices, or in several.
  slice STRING,
  -- How long the frame spent in this way.
  value_ns DURATION,
  -- How long frames on time do.
  usual_ns DURATION,
  -- The part of the overrun.
  share_ns DURATION,
  -- The thread that was waited for.
  culprit_utid JOINID(thread.id),
  -- The slice in which that thread was most of the time.
  culprit_slice STRING,
  -- What to do about it.
  advice STRING,
  -- The vsync of the frame that delayed this one, if it began late for that reason.
  knock_on_of LONG,
  -- What is known of the frame: 'cause', 'knock_on', 'mixed', 'place_only',
  -- 'just_missed' or 'unknown'.
  verdict STRING,
  -- How sure that is: 'high', 'medium' or 'low'.
  confidence STRING,
  -- Why the frame was late, in a sentence.
  cause STRING
)
AS
SELECT
  e.frame_id,
  e.upid,
  e.vsync_id,
  _ohos_length!(e.arg_set_id, 'debug.overrun_ms') AS overrun_ns,
  e.rank,
  e.title,
  _ohos_of_cause!('wait') AS wait,
  _ohos_of_cause!('stage') AS stage,
  _ohos_of_cause!('slice') AS slice,
  _ohos_of_cause!('value_ns') AS value_ns,
  _ohos_of_cause!('usual_ns') AS usual_ns,
  _ohos_of_cause!('share_ns') AS share_ns,
  t.utid AS culprit_utid,
  _ohos_of_cause!('culprit_slice') AS culprit_slice,
  _ohos_of_cause!('advice') AS advice,
  extract_arg(e.arg_set_id, 'debug.knock_on_of') AS knock_on_of,
  extract_arg(e.arg_set_id, 'debug.verdict') AS verdict,
  extract_arg(e.arg_set_id, 'debug.confidence') AS confidence,
  extract_arg(e.arg_set_id, 'debug.cause') AS cause
FROM _ohos_entry AS e
LEFT JOIN _ohos_thread AS t
  ON t.tid = _ohos_of_cause!('culprit_tid')
  AND +t.machine_id IS e.machine_id;

-- Render frames that the display showed late (docs/why.md 7).
CREATE OR REPLACE PERFETTO VIEW ohos_frame_shown_late(
  -- The frame.
  frame_id JOINID(slice.id),
  -- Its process.
  upid JOINID(process.id),
  -- Its vsync's number, as in the text.
  vsync_id LONG,
  -- By how much it was shown later than frames usually are.
  late_ns DURATION,
  -- Why, in a sentence.
  cause STRING
)
AS
SELECT
  id AS frame_id,
  upid,
  vsync_id,
  _ohos_length!(arg_set_id, 'debug.shown_late_ms') AS late_ns,
  extract_arg(arg_set_id, 'debug.shown_late_cause') AS cause
FROM _ohos_why_frame
WHERE
  extract_arg(arg_set_id, 'debug.shown_late_ms') IS NOT NULL;

-- Application frames that were on time and that render_service picked up late
-- (docs/why.md 8).
CREATE OR REPLACE PERFETTO VIEW ohos_frame_picked_up_late(
  -- The frame.
  frame_id JOINID(slice.id),
  -- Its process.
  upid JOINID(process.id),
  -- Its vsync's number, as in the text.
  vsync_id LONG,
  -- By how much it was picked up later than planned.
  late_ns DURATION,
  -- 'render_busy', 'no_vsync', 'deferred', 'unmarshalling', 'no_commands', 'sent_late'
  -- or 'unknown'.
  reason STRING,
  -- The reason in a sentence.
  cause STRING
)
AS
SELECT
  id AS frame_id,
  upid,
  vsync_id,
  _ohos_length!(arg_set_id, 'debug.picked_up_late_ms') AS late_ns,
  extract_arg(arg_set_id, 'debug.picked_up_late_reason') AS reason,
  extract_arg(arg_set_id, 'debug.picked_up_late_cause') AS cause
FROM _ohos_why_frame
WHERE
  extract_arg(arg_set_id, 'debug.picked_up_late_ms') IS NOT NULL;

-- What late frames cost, by cause: a wait, a slice, and the threads that were waited for.
-- Time that frames lost because an earlier frame was late counts for the cause of that one.
CREATE OR REPLACE PERFETTO TABLE ohos_cause(
  -- 'app' or 'render'.
  kind STRING,
  -- The process of the frames.
  upid JOINID(process.id),
  -- The cause in a few words.
  title STRING,
  -- What the threads did or waited for.
  wait STRING,
  -- The part of the work for the frames in which the most time was lost.
  stage STRING,
  -- The slice of the frames' threads.
  slice STRING,
  -- The threads that were waited for: process:thread. 'app:OS_FFRT*' are those of a pool.
  culprit STRING,
  -- The number of late frames that have a share of it.
  frames LONG,
  -- The sum of the shares of their overruns.
  lost_ns DURATION,
  -- The part of it that frames lost by themselves.
  direct_ns DURATION,
  -- The part that frames lost because an earlier one was late.
  knock_on_ns DURATION,
  -- Lost time, as a part of that of all causes of the process.
  lost_share DOUBLE,
  -- What to do about it.
  advice STRING
)
AS
SELECT
  extract_arg(arg_set_id, 'debug.report.kind') AS kind,
  upid,
  _ohos_of!('cause') AS title,
  _ohos_of!('wait') AS wait,
  _ohos_of!('stage') AS stage,
  _ohos_of!('slice') AS slice,
  _ohos_of!('culprit') AS culprit,
  _ohos_of!('frames') AS frames,
  _ohos_of!('lost_ns') AS lost_ns,
  _ohos_of!('direct_ns') AS direct_ns,
  _ohos_of!('knock_on_ns') AS knock_on_ns,
  _ohos_of!('share') AS lost_share,
  _ohos_of!('advice') AS advice
FROM _ohos_values!('Report', 'ranking')
GROUP BY
  id,
  number
ORDER BY
  lost_ns DESC;
