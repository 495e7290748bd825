-- In which functions the threads of frames ran, by the samples of a profiler. All frames with
-- samples have rows, late or not. A trace without samples has none.
--
-- A sample counts for one function: that of the innermost call in the code of the application,
-- else of the innermost call outside of the kernel, else of the innermost call (docs/record.md).

INCLUDE PERFETTO MODULE ohos.frames;

-- The addresses in stacks, with their functions. All addresses of a function have the id of the
-- first one as function_id.
CREATE OR REPLACE PERFETTO TABLE _ohos_address AS
WITH
  file AS (
    SELECT
      id,
      -- Without the root of a sandbox, which hiperf puts first.
      iif(name GLOB '/proc/[0-9]*/root/*', substr(name, instr(name, '/root/') + 5), name) AS path,
      -- The last element: the path without everything up to the last slash.
      iif(name = '/[unknown]', NULL, nullif(replace(name, rtrim(name, replace(name, '/', '')), ''), '')) AS name,
      name = '/kernel' OR name GLOB '/[[]kernel*' OR name GLOB '/[[]guest.kernel*' OR name GLOB '*.ko' AS is_kernel
    FROM stack_profile_mapping
  ),
  address AS (
    SELECT
      a.id,
      -- Code without names, which is called by file and address, is one function of the file.
      iif(
        f.name IS NULL,
        coalesce(nullif(a.name, ''), '[unknown]'),
        iif(coalesce(a.name, '') IN ('', f.name || printf('+0x%x', a.rel_pc)), '[no symbols]', a.name)
      ) AS function,
      iif(f.is_kernel, 'kernel', f.name) AS module,
      f.path,
      f.is_kernel
    FROM stack_profile_frame AS a
    JOIN file AS f
      ON f.id = a.mapping
  )
SELECT
  id,
  function,
  module,
  min(id) OVER (PARTITION BY function, module) AS function_id,
  -- What was installed, or a source file of ArkTS, whose path is relative: the engine adds the
  -- first slash.
  NOT is_kernel
  AND (
    path GLOB '/data/*'
    OR (
      (path GLOB '*.ets' OR path GLOB '*.ts' OR path GLOB '*.js' OR path GLOB '*.hap' OR path GLOB '*.hsp')
      AND NOT path GLOB '/system/*'
      AND NOT path GLOB '/vendor/*'
      AND NOT path GLOB '/proc/*'
    )
  ) AS is_own,
  NOT is_kernel AS is_user,
  -- An address outside of all files is often not one of code.
  function <> '[unknown]' OR module IS NOT NULL AS is_known
FROM address
ORDER BY
  id;

-- The function that samples of each stack count for, and the innermost one. SQLite makes an
-- index of the calls: it finds those of a call faster than in a sorted table.
CREATE OR REPLACE PERFETTO TABLE _ohos_stack AS
WITH RECURSIVE
  call AS MATERIALIZED (
    SELECT
      c.id,
      c.parent_id,
      a.function_id AS innermost_id,
      iif(a.is_own, a.function_id, NULL) AS own_id,
      iif(a.is_user AND a.is_known, a.function_id, NULL) AS user_id,
      iif(a.is_known, a.function_id, NULL) AS known_id
    FROM stack_profile_callsite AS c
    JOIN _ohos_address AS a
      ON a.id = c.frame_id
  ),
  stack(id, innermost_id, own_id, user_id, known_id) AS (
    SELECT id, innermost_id, own_id, user_id, known_id
    FROM call
    WHERE
      parent_id IS NULL
    UNION ALL
    SELECT
      c.id,
      c.innermost_id,
      coalesce(c.own_id, s.own_id),
      coalesce(c.user_id, s.user_id),
      coalesce(c.known_id, s.known_id)
    FROM stack AS s
    CROSS JOIN call AS c
      ON c.parent_id = s.id
  )
SELECT id, coalesce(own_id, user_id, known_id) AS function_id, innermost_id
FROM stack
ORDER BY
  id;

-- The samples of threads with frames while they ran, sorted so that frames find theirs. Samples
-- of switches are of functions that waited. Of several events, the one with the most samples
-- of the machine counts, so that no time counts twice.
CREATE OR REPLACE PERFETTO TABLE _ohos_sample AS
WITH
  counted AS (
    SELECT h.machine_id, s.perf_session_id, count() AS n
    FROM perf_sample AS s
    JOIN thread AS h USING (utid)
    WHERE
      s.perf_session_id NOT IN (
        SELECT perf_session_id
        FROM perf_counter_track
        WHERE
          is_timebase
          AND name GLOB '*sched_switch*'
      )
    GROUP BY
      h.machine_id,
      s.perf_session_id
  ),
  session AS MATERIALIZED (
    SELECT
      machine_id,
      perf_session_id,
      row_number() OVER (PARTITION BY machine_id ORDER BY n DESC, perf_session_id) AS place
    FROM counted
  ),
  working AS MATERIALIZED (
    SELECT DISTINCT f.utid, s.perf_session_id
    FROM _ohos_frame AS f
    JOIN session AS s
      ON s.machine_id = f.machine_id
      AND s.place = 1
  )
SELECT s.ts, s.utid, k.function_id, k.innermost_id
FROM perf_sample AS s
JOIN working AS w USING (utid, perf_session_id)
LEFT JOIN _ohos_stack AS k
  ON k.id = s.callsite_id
ORDER BY
  s.ts;

-- How long the threads with samples ran in each of their frames.
CREATE OR REPLACE PERFETTO VIEW _ohos_frame_running AS
WITH
  sampled AS MATERIALIZED (
    SELECT DISTINCT utid
    FROM _ohos_sample
  ),
  -- A frame begins at one moment and ends at another. A thread runs from a moment on.
  moment AS (
    SELECT utid, ts, 0 AS dur, id AS frame_id, -1 AS sign
    FROM _ohos_frame
    WHERE
      utid IN sampled
    UNION ALL
    SELECT utid, ts + dur, 0, id, 1
    FROM _ohos_frame
    WHERE
      utid IN sampled
    UNION ALL
    SELECT utid, ts, dur, NULL, NULL
    FROM sched
    WHERE
      utid IN sampled
      AND dur > 0
  ),
  ran AS (
    SELECT
      frame_id,
      sign,
      -- How long the thread ran before: without what is left of the last time.
      sum(dur) OVER thread - max(0, max(ts + dur) OVER thread - ts) AS ns
    FROM moment
    WINDOW thread AS (PARTITION BY utid ORDER BY ts ROWS UNBOUNDED PRECEDING)
  )
SELECT frame_id, sum(sign * ns) AS ns
FROM ran
WHERE
  frame_id IS NOT NULL
GROUP BY
  frame_id;

-- The functions in which the thread of a frame ran while it worked on the frame.
CREATE OR REPLACE PERFETTO VIEW ohos_frame_function(
  -- The frame.
  frame_id JOINID(slice.id),
  -- 'app' or 'render'.
  kind STRING,
  -- Its process.
  upid JOINID(process.id),
  -- Its thread.
  utid JOINID(thread.id),
  -- The name of the process.
  process_name STRING,
  -- Its vsync's number, as in the text.
  vsync_id LONG,
  -- Whether the frame was late. NULL if that is unknown, as in ohos_frame.
  is_late BOOL,
  -- The function. If its name is unknown: the module and the address in it, or '[unknown]'.
  function STRING,
  -- The file with its code, without folders, or 'kernel'. NULL if it is unknown.
  module STRING,
  -- The innermost function of most of the samples: that function, or one that it called.
  innermost STRING,
  -- The file with its code. NULL if it is unknown.
  innermost_module STRING,
  -- The number of samples of the frame in the function.
  samples LONG,
  -- The number of samples of the frame in all functions.
  frame_samples LONG,
  -- How long the thread ran in the function: how long it ran in the frame, divided as the
  -- samples are. NULL if the trace does not say when the thread ran.
  time_ns DURATION
)
AS
WITH
  counted AS (
    SELECT f.id, s.function_id, s.innermost_id, count() AS samples
    FROM _ohos_frame AS f
    CROSS JOIN _ohos_sample AS s
      ON s.ts >= f.ts
      AND s.ts < f.ts + f.dur
      AND +s.utid = f.utid
    GROUP BY
      f.id,
      s.function_id,
      s.innermost_id
  ),
  function AS (
    SELECT
      id,
      function_id,
      -- SQLite has the id of the row with the maximum.
      max((samples << 32) - coalesce(innermost_id, 0)),
      innermost_id,
      sum(samples) AS samples
    FROM counted
    GROUP BY
      id,
      function_id
  )
SELECT
  f.id AS frame_id,
  f.kind,
  f.upid,
  f.utid,
  f.process_name,
  f.vsync_id,
  f.is_late,
  coalesce(a.function, '[unknown]') AS function,
  a.module,
  coalesce(i.function, '[unknown]') AS innermost,
  i.module AS innermost_module,
  n.samples,
  sum(n.samples) OVER frame AS frame_samples,
  -- A thread with samples ran: if it has no such time, that is unknown.
  nullif(r.ns, 0) * n.samples / sum(n.samples) OVER frame AS time_ns
FROM function AS n
JOIN ohos_frame AS f USING (id)
JOIN _ohos_frame_running AS r
  ON r.frame_id = f.id
LEFT JOIN _ohos_address AS a
  ON a.id = n.function_id
LEFT JOIN _ohos_address AS i
  ON i.id = n.innermost_id
WINDOW frame AS (PARTITION BY n.id)
ORDER BY
  f.id,
  n.samples DESC,
  a.id;

-- The functions of late frames, compared with frames on time of the same process. Only frames
-- with samples count.
CREATE OR REPLACE PERFETTO VIEW ohos_function_excess(
  -- 'app' or 'render'.
  kind STRING,
  -- The process of the frames.
  upid JOINID(process.id),
  -- Its name.
  process_name STRING,
  -- The function, as in ohos_frame_function.
  function STRING,
  -- The file with its code. NULL if it is unknown.
  module STRING,
  -- How much longer a late frame was in the function than a frame on time. NULL if no frame
  -- was on time.
  excess_ns DURATION,
  -- The mean time of late frames in the function.
  late_ns DURATION,
  -- The mean time of frames on time. NULL if there are none.
  usual_ns DURATION,
  -- The number of samples of late frames in the function.
  late_samples LONG,
  -- The number of late frames with samples.
  late_frames LONG,
  -- The number of frames on time with samples.
  on_time_frames LONG
)
AS
WITH
  judged AS MATERIALIZED (
    SELECT *
    FROM ohos_frame_function
    WHERE
      is_late IS NOT NULL
  ),
  total AS (
    SELECT
      kind,
      upid,
      count(DISTINCT iif(is_late, frame_id, NULL)) AS late_frames,
      count(DISTINCT iif(is_late, NULL, frame_id)) AS on_time_frames
    FROM judged
    GROUP BY
      kind,
      upid
  ),
  sums AS (
    SELECT
      kind,
      upid,
      process_name,
      function,
      module,
      sum(iif(is_late, time_ns, 0)) AS late_ns,
      sum(iif(is_late, 0, time_ns)) AS on_time_ns,
      sum(iif(is_late, samples, 0)) AS late_samples
    FROM judged
    GROUP BY
      kind,
      upid,
      function,
      module
  )
SELECT
  kind,
  upid,
  process_name,
  function,
  module,
  late_ns / late_frames - on_time_ns / on_time_frames AS excess_ns,
  late_ns / late_frames AS late_ns,
  on_time_ns / on_time_frames AS usual_ns,
  late_samples,
  late_frames,
  on_time_frames
FROM sums
JOIN total USING (kind, upid)
WHERE
  late_samples > 0
ORDER BY
  excess_ns DESC;
