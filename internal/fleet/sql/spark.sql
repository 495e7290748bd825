-- Views for Spark SQL, 3.3 or later.

CREATE OR REPLACE TEMPORARY VIEW traces USING parquet OPTIONS (path '{{DIR}}/traces/part-*.parquet');
CREATE OR REPLACE TEMPORARY VIEW interactions USING parquet OPTIONS (path '{{DIR}}/interactions/part-*.parquet');
CREATE OR REPLACE TEMPORARY VIEW layers USING parquet OPTIONS (path '{{DIR}}/layers/part-*.parquet');
CREATE OR REPLACE TEMPORARY VIEW events USING parquet OPTIONS (path '{{DIR}}/events/part-*.parquet');
CREATE OR REPLACE TEMPORARY VIEW failures USING parquet OPTIONS (path '{{DIR}}/failures/part-*.parquet');

-- One row for each bucket of each row of traces, with the value in nanoseconds that stands for the bucket.
CREATE OR REPLACE TEMPORARY VIEW durations AS
  SELECT trace, kind, process, pid, bucket, n,
    CASE WHEN bucket < 128 THEN CAST(bucket AS BIGINT)
    ELSE shiftleft(CAST(64 | (bucket & 63) AS BIGINT), shiftright(bucket, 6) - 1) + shiftleft(CAST(1 AS BIGINT), shiftright(bucket, 6) - 1) DIV 2 END AS middle
  FROM traces LATERAL VIEW inline(arrays_zip(duration_bucket, duration_count)) h AS bucket, n;

-- Percentiles of durations by process, by nearest rank, in milliseconds, between the shortest and the longest. P95 needs 20 frames and P99 100.
CREATE OR REPLACE TEMPORARY VIEW percentiles AS
  WITH bounds AS (SELECT kind, process, min(duration_min_ns) AS low, max(duration_max_ns) AS high FROM traces GROUP BY kind, process),
  buckets AS (SELECT kind, process, bucket, middle, sum(n) AS n FROM durations GROUP BY kind, process, bucket, middle),
  running AS (
    SELECT kind, process, greatest(low, least(middle, high)) AS middle, sum(n) OVER (PARTITION BY kind, process ORDER BY bucket) AS up_to,
      sum(n) OVER (PARTITION BY kind, process) AS total
    FROM buckets JOIN bounds USING (kind, process))
  SELECT kind, process,
    min(CASE WHEN up_to >= (total * 500 + 999) DIV 1000 THEN middle END) / 1e6 AS p50_ms,
    min(CASE WHEN up_to >= (total * 900 + 999) DIV 1000 THEN middle END) / 1e6 AS p90_ms,
    min(CASE WHEN total >= 20 AND up_to >= (total * 950 + 999) DIV 1000 THEN middle END) / 1e6 AS p95_ms,
    min(CASE WHEN total >= 100 AND up_to >= (total * 990 + 999) DIV 1000 THEN middle END) / 1e6 AS p99_ms
  FROM running GROUP BY kind, process;

-- Rates by process.
CREATE OR REPLACE TEMPORARY VIEW rates AS
  SELECT kind, process, count(DISTINCT trace) AS traces, sum(frames) AS frames,
    {{RATES OF processes}}
  FROM traces GROUP BY kind, process;

-- One row for each cause of each row of traces.
CREATE OR REPLACE TEMPORARY VIEW causes AS
  SELECT trace, kind, process, pid, c.cause, c.frames, c.lost_ns
  FROM traces LATERAL VIEW inline(arrays_zip(cause, cause_frames, cause_lost_ns)) c AS cause, frames, lost_ns;

-- Responses of interactions by scene and page, by nearest rank, in milliseconds. P95 needs 20 of them.
CREATE OR REPLACE TEMPORARY VIEW responses AS
  WITH ranked AS (
    SELECT *, row_number() OVER (PARTITION BY kind, process, scene, page ORDER BY response_ns NULLS LAST) AS place,
      count(response_ns) OVER (PARTITION BY kind, process, scene, page) AS total
    FROM interactions)
  SELECT kind, process, scene, page, count(*) AS interactions,
    min(CASE WHEN place >= (total * 500 + 999) DIV 1000 THEN response_ns END) / 1e6 AS p50_ms,
    min(CASE WHEN total >= 20 AND place >= (total * 950 + 999) DIV 1000 THEN response_ns END) / 1e6 AS p95_ms,
    {{RATES OF interactions}}
  FROM ranked GROUP BY kind, process, scene, page;

-- Frame rate and evenness of layers by name and producer.
CREATE OR REPLACE TEMPORARY VIEW layer_rates AS
  SELECT process, layer, count(DISTINCT trace) AS traces, sum(l.buffers) AS buffers,
    {{RATES OF layers}}
  FROM layers AS l GROUP BY process, layer;
