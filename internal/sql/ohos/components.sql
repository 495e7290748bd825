-- Components of applications (docs/frames.md 17): how often items were built and reused, and which
-- state variables made nodes dirty. They are arguments of the slices of the tracks "Components".
--
-- Unknown values are NULL.

INCLUDE PERFETTO MODULE ohos.slices;

-- The arguments of the slices, each with the number of its entry. A name may be on an entry, as
-- in components[3].built.
CREATE OR REPLACE PERFETTO TABLE _ohos_component_value AS
SELECT
  s.id,
  p.upid,
  p.pid,
  p.name AS process_name,
  a.flat_key,
  cast_int!(substr(a.key, instr(a.key, '[') + 1)) AS number,
  a.int_value,
  a.real_value,
  a.string_value
FROM process_track AS t
JOIN process AS p USING (upid)
JOIN _ohos_machine USING (machine_id)
JOIN slice AS s
  ON s.track_id = t.id
JOIN args AS a
  ON a.arg_set_id = s.arg_set_id
WHERE
  t.name = 'Components'
  AND t.type IN ('process_track_event', 'process_merged_track_event')
  AND (a.flat_key GLOB 'debug.components.*' OR a.flat_key GLOB 'debug.state_variables.*');

-- The components of applications, those with the most time first.
CREATE OR REPLACE PERFETTO TABLE ohos_component(
  -- The slice on the track "Components".
  id JOINID(slice.id),
  -- The application.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Name of the component; NULL if the trace does not have it.
  component STRING,
  -- Items that were built.
  built LONG,
  -- Items that were reused instead.
  reused LONG,
  -- Reused items / all items.
  reused_share DOUBLE,
  -- Build: number of frames, interactions or items.
  build_frames LONG,
  -- Build: half of the times are at most this long.
  build_p50_ns DURATION,
  -- Build: 95 % of them are; NULL for fewer than 20.
  build_p95_ns DURATION,
  -- Build: the longest.
  build_max_ns DURATION,
  -- Reuse: number of frames, interactions or items.
  reuse_frames LONG,
  -- Reuse: half of the times are at most this long.
  reuse_p50_ns DURATION,
  -- Reuse: 95 % of them are; NULL for fewer than 20.
  reuse_p95_ns DURATION,
  -- Reuse: the longest.
  reuse_max_ns DURATION,
  -- Time of all items, without those inside another item of the component.
  total_ns DURATION,
  -- 20 items or more were built, and none was reused.
  is_never_reused BOOL
)
AS
SELECT
  id,
  upid,
  pid,
  process_name,
  _ohos_of!('debug.components.component', string_value) AS component,
  _ohos_of!('debug.components.built', int_value) AS built,
  _ohos_of!('debug.components.reused', int_value) AS reused,
  _ohos_of!('debug.components.reused_share', real_value) AS reused_share,
  _ohos_of!('debug.components.build.frames', int_value) AS build_frames,
  _ohos_of!('debug.components.build.p50_ns', int_value) AS build_p50_ns,
  _ohos_of!('debug.components.build.p95_ns', int_value) AS build_p95_ns,
  _ohos_of!('debug.components.build.max_ns', int_value) AS build_max_ns,
  _ohos_of!('debug.components.reuse.frames', int_value) AS reuse_frames,
  _ohos_of!('debug.components.reuse.p50_ns', int_value) AS reuse_p50_ns,
  _ohos_of!('debug.components.reuse.p95_ns', int_value) AS reuse_p95_ns,
  _ohos_of!('debug.components.reuse.max_ns', int_value) AS reuse_max_ns,
  _ohos_of!('debug.components.total_ns', int_value) AS total_ns,
  coalesce(_ohos_of!('debug.components.never_reused', int_value), FALSE) AS is_never_reused
FROM _ohos_component_value
WHERE
  flat_key GLOB 'debug.components.*'
GROUP BY
  id,
  number
ORDER BY
  total_ns DESC,
  id,
  number;

-- State variables of components, those that made the most nodes dirty first.
CREATE OR REPLACE PERFETTO TABLE ohos_state_variable(
  -- The slice on the track "Components".
  id JOINID(slice.id),
  -- The application.
  upid JOINID(process.id),
  -- Its id in the system.
  pid LONG,
  -- Its name.
  process_name STRING,
  -- Name of the component.
  component STRING,
  -- Name of the state variable.
  variable STRING,
  -- How often it changed.
  changes LONG,
  -- Nodes that this made dirty.
  nodes LONG,
  -- The most nodes of one change.
  most_nodes LONG
)
AS
SELECT
  id,
  upid,
  pid,
  process_name,
  _ohos_of!('debug.state_variables.component', string_value) AS component,
  _ohos_of!('debug.state_variables.variable', string_value) AS variable,
  _ohos_of!('debug.state_variables.changes', int_value) AS changes,
  _ohos_of!('debug.state_variables.nodes', int_value) AS nodes,
  _ohos_of!('debug.state_variables.most_nodes', int_value) AS most_nodes
FROM _ohos_component_value
WHERE
  flat_key GLOB 'debug.state_variables.*'
GROUP BY
  id,
  number
ORDER BY
  nodes DESC,
  id,
  number;
