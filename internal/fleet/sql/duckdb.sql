-- Views and macros for DuckDB. The views keep the files: nothing is copied.

CREATE OR REPLACE VIEW traces AS SELECT * FROM read_parquet('{{DIR}}/traces/part-*.parquet');
CREATE OR REPLACE VIEW interactions AS SELECT * FROM read_parquet('{{DIR}}/interactions/part-*.parquet');
CREATE OR REPLACE VIEW layers AS SELECT * FROM read_parquet('{{DIR}}/layers/part-*.parquet');
CREATE OR REPLACE VIEW events AS SELECT * FROM read_parquet('{{DIR}}/events/part-*.parquet');
CREATE OR REPLACE VIEW failures AS SELECT * FROM read_parquet('{{DIR}}/failures/part-*.parquet');

-- The value in nanoseconds that stands for all values of a bucket.
CREATE OR REPLACE MACRO bucket_middle(b) AS
  CASE WHEN b < 128 THEN b::BIGINT
  ELSE ((64 | (b & 63))::BIGINT << ((b >> 6) - 1)) + ((1::BIGINT << ((b >> 6) - 1)) // 2) END;

-- An aggregate: the percentile of p thousandths, by nearest rank, of n values in each bucket.
-- Add up the buckets of large datasets first, as the view durations is used below.
CREATE OR REPLACE MACRO percentile(bucket, n, p) AS bucket_middle(list_reduce(
  list_prepend(
    {'b': -1::BIGINT, 'n': 0::HUGEINT, 'rank': (sum(n) * p + 999) // 1000},
    list({'b': bucket::BIGINT, 'n': n::HUGEINT, 'rank': 0::HUGEINT} ORDER BY bucket)),
  lambda a, x: CASE WHEN a.n >= a.rank THEN a ELSE {'b': x.b, 'n': a.n + x.n, 'rank': a.rank} END).b);

-- One row for each bucket of each row of traces. Replace duration by overrun or a stage for others.
CREATE OR REPLACE VIEW durations AS
  SELECT trace, kind, process, pid, unnest(duration_bucket) AS bucket, unnest(duration_count) AS n FROM traces;

-- One row for each cause of each row of traces.
CREATE OR REPLACE VIEW causes AS
  SELECT trace, kind, process, pid, unnest(cause) AS cause, unnest(cause_frames) AS frames, unnest(cause_lost_ns) AS lost_ns FROM traces;

-- Rates by process.
CREATE OR REPLACE VIEW rates AS
  SELECT kind, process, count(DISTINCT trace) AS traces, sum(frames) AS frames,
    {{RATES OF processes}}
  FROM traces GROUP BY kind, process;

-- Percentiles of durations by process, in milliseconds, between the shortest and the longest. P95 needs 20 frames and P99 100.
CREATE OR REPLACE VIEW percentiles AS
  WITH bounds AS (SELECT kind, process, min(duration_min_ns) AS low, max(duration_max_ns) AS high FROM traces GROUP BY kind, process),
  estimates AS (
    SELECT kind, process, percentile(bucket, n, 500) AS p50, percentile(bucket, n, 900) AS p90,
      CASE WHEN sum(n) >= 20 THEN percentile(bucket, n, 950) END AS p95,
      CASE WHEN sum(n) >= 100 THEN percentile(bucket, n, 990) END AS p99
    FROM (SELECT kind, process, bucket, sum(n)::BIGINT AS n FROM durations GROUP BY kind, process, bucket)
    GROUP BY kind, process)
  SELECT kind, process, greatest(low, least(p50, high)) / 1e6 AS p50_ms, greatest(low, least(p90, high)) / 1e6 AS p90_ms,
    CASE WHEN p95 IS NOT NULL THEN greatest(low, least(p95, high)) / 1e6 END AS p95_ms,
    CASE WHEN p99 IS NOT NULL THEN greatest(low, least(p99, high)) / 1e6 END AS p99_ms
  FROM estimates JOIN bounds USING (kind, process);

-- Responses of interactions by scene and page, in milliseconds. P95 needs 20 of them.
CREATE OR REPLACE VIEW responses AS
  SELECT kind, process, scene, page, count(*) AS interactions, quantile_disc(response_ns, 0.5) / 1e6 AS p50_ms,
    CASE WHEN count(response_ns) >= 20 THEN quantile_disc(response_ns, 0.95) / 1e6 END AS p95_ms,
    {{RATES OF interactions}}
  FROM interactions GROUP BY kind, process, scene, page;

-- Frame rate and evenness of layers by name and producer.
CREATE OR REPLACE VIEW layer_rates AS
  SELECT process, layer, count(DISTINCT trace) AS traces, sum(l.buffers) AS buffers,
    {{RATES OF layers}}
  FROM layers AS l GROUP BY process, layer;

-- For example:
--   SELECT * FROM rates ORDER BY jank_rate DESC LIMIT 20;
--   SELECT * FROM percentiles;
--   SELECT cause, sum(lost_ns) / 1e9 AS seconds FROM causes GROUP BY cause ORDER BY seconds DESC LIMIT 10;
--   SELECT recorded::DATE AS day, sum(rated_late) / sum(rated) AS jank_rate FROM traces GROUP BY day ORDER BY day;
--   SELECT reason, count(*) FROM failures GROUP BY reason;
--   SELECT trace, message FROM failures WHERE reason = 'duplicate';
