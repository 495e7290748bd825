-- Views for {{ENGINE}}. They read the files where they are.

{{FILES}}
-- One row for each bucket of each row of traces: n values, for which middle stands, in nanoseconds.
-- Replace duration by overrun or a stage for others.
{{VIEW}} durations AS
  SELECT *, CASE WHEN bucket < 128 THEN bucket ELSE CAST((2 * (64 + bucket % 64) + 1) * pow(2, floor(bucket / 64) - 2) AS BIGINT) END AS middle
  FROM ({{EACH duration_bucket AS bucket, duration_count AS n}});

-- One row for each cause of each row of traces.
{{VIEW}} causes AS
  {{EACH cause AS cause, cause_frames AS frames, cause_lost_ns AS lost_ns}};

-- Rates by process.
{{VIEW}} rates AS
  SELECT kind, process, count(DISTINCT trace) AS traces, sum(frames) AS frames,
    {{RATES OF traces}}
  FROM traces GROUP BY kind, process;

-- Percentiles of durations by process, by nearest rank, between the shortest and the longest.
{{VIEW}} percentiles AS
  WITH bounds AS (SELECT kind, process, min(duration_min_ns) AS low, max(duration_max_ns) AS high FROM traces GROUP BY kind, process),
  buckets AS (SELECT kind, process, bucket, middle, sum(n) AS n FROM durations GROUP BY kind, process, bucket, middle),
  placed AS (
    SELECT kind, process, greatest(low, least(middle, high)) AS duration_ns,
      sum(n) OVER (PARTITION BY kind, process ORDER BY bucket) AS duration_place, sum(n) OVER (PARTITION BY kind, process) AS duration_count
    FROM buckets JOIN bounds USING (kind, process))
  SELECT kind, process,
    {{PERCENTILES OF duration}}
  FROM placed GROUP BY kind, process;

-- Responses of interactions by scene and page, by nearest rank.
{{VIEW}} responses AS
  WITH placed AS (
    SELECT *, count(response_ns) OVER (PARTITION BY kind, process, scene, page) AS response_count,
      row_number() OVER (PARTITION BY kind, process, scene, page ORDER BY response_ns NULLS LAST) AS response_place,
      count(completion_ns) OVER (PARTITION BY kind, process, scene, page) AS completion_count,
      row_number() OVER (PARTITION BY kind, process, scene, page ORDER BY completion_ns NULLS LAST) AS completion_place
    FROM interactions)
  SELECT kind, process, scene, page, count(*) AS interactions,
    {{PERCENTILES OF response}},
    {{PERCENTILES OF completion}},
    {{RATES OF interactions}}
  FROM placed GROUP BY kind, process, scene, page;

-- Frame rate and evenness of layers by name and producer.
{{VIEW}} layer_rates AS
  SELECT process, layer, count(DISTINCT trace) AS traces, sum(l.buffers) AS buffers,
    {{RATES OF layers}}
  FROM layers AS l GROUP BY process, layer;

-- For example:
--   SELECT * FROM rates ORDER BY jank_rate DESC LIMIT 20;
--   SELECT cause, sum(frames) AS frames, sum(lost_ns) / 1e9 AS seconds FROM causes GROUP BY cause ORDER BY seconds DESC LIMIT 10;
--   SELECT date_trunc('day', recorded) AS day, sum(rated_late) / sum(rated) AS jank_rate FROM traces GROUP BY date_trunc('day', recorded) ORDER BY day;
--   SELECT reason, count(*) AS n FROM failures GROUP BY reason;
--   SELECT trace, message FROM failures WHERE reason = 'duplicate';
