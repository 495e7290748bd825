-- Components of applications (docs/frames.md 17): how often items were built and reused, and which
-- state variables made nodes dirty. They are arguments of the slices of the tracks "Components".
--
-- Unknown values are NULL.

INCLUDE PERFETTO MODULE ohos.slices;

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
  _ohos_of!('component') AS component, _ohos_of!('built') AS built, _ohos_of!('reused') AS reused,
  _ohos_of!('reused_share') AS reused_share, _ohos_of!('build.frames') AS build_frames,
  _ohos_of!('build.p50_ns') AS build_p50_ns, _ohos_of!('build.p95_ns') AS build_p95_ns,
  _ohos_of!('build.max_ns') AS build_max_ns, _ohos_of!('reuse.frames') AS reuse_frames,
  _ohos_of!('reuse.p50_ns') AS reuse_p50_ns, _ohos_of!('reuse.p95_ns') AS reuse_p95_ns,
  _ohos_of!('reuse.max_ns') AS reuse_max_ns, _ohos_of!('total_ns') AS total_ns,
  coalesce(_ohos_of!('never_reused'), FALSE) AS is_never_reused
FROM _ohos_values!('Components', 'components')
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
  _ohos_of!('component') AS component, _ohos_of!('variable') AS variable, _ohos_of!('changes') AS changes,
  _ohos_of!('nodes') AS nodes, _ohos_of!('most_nodes') AS most_nodes
FROM _ohos_values!('Components', 'state_variables')
GROUP BY
  id,
  number
ORDER BY
  nodes DESC,
  id,
  number;
