-- Functions and views for ClickHouse, and clickhouse-local with files below its folder user_files.

CREATE OR REPLACE VIEW traces AS SELECT * FROM file('{{DIR}}/traces/part-*.parquet', 'Parquet');
CREATE OR REPLACE VIEW interactions AS SELECT * FROM file('{{DIR}}/interactions/part-*.parquet', 'Parquet');
CREATE OR REPLACE VIEW layers AS SELECT * FROM file('{{DIR}}/layers/part-*.parquet', 'Parquet');
CREATE OR REPLACE VIEW events AS SELECT * FROM file('{{DIR}}/events/part-*.parquet', 'Parquet');
CREATE OR REPLACE VIEW failures AS SELECT * FROM file('{{DIR}}/failures/part-*.parquet', 'Parquet');

-- The value in nanoseconds that stands for all values of a bucket. ClickHouse may compute
-- both branches of an if, and negative shifts are errors: so the shift is 0 for small b.
CREATE OR REPLACE FUNCTION bucket_middle AS (b) ->
  if(b < 128, toInt64(b),
    bitShiftLeft(toInt64(bitOr(64, bitAnd(b, 63))), greatest(bitShiftRight(b, 6), 1) - 1) + intDiv(bitShiftLeft(toInt64(1), greatest(bitShiftRight(b, 6), 1) - 1), 2));

-- The percentile of p thousandths, by nearest rank, of a histogram: sumMap(duration_bucket, duration_count).
CREATE OR REPLACE FUNCTION percentile AS (h, p) ->
  bucket_middle(tupleElement(h, 1)[arrayFirstIndex(c -> c >= intDiv(arraySum(tupleElement(h, 2)) * p + 999, 1000), arrayCumSum(tupleElement(h, 2)))]);

-- Rates by process.
CREATE OR REPLACE VIEW rates AS
  SELECT kind, process, uniqExact(trace) AS traces, sum(frames) AS frames,
    {{RATES OF processes}}
  FROM traces GROUP BY kind, process;

-- Percentiles of durations by process, in milliseconds, between the shortest and the longest. P95 needs 20 frames and P99 100.
CREATE OR REPLACE VIEW percentiles AS
  SELECT kind, process, greatest(low, least(percentile(h, 500), high)) / 1e6 AS p50_ms, greatest(low, least(percentile(h, 900), high)) / 1e6 AS p90_ms,
    if(arraySum(tupleElement(h, 2)) >= 20, greatest(low, least(percentile(h, 950), high)) / 1e6, NULL) AS p95_ms,
    if(arraySum(tupleElement(h, 2)) >= 100, greatest(low, least(percentile(h, 990), high)) / 1e6, NULL) AS p99_ms
  FROM (
    SELECT kind, process, sumMap(duration_bucket, duration_count) AS h, assumeNotNull(min(duration_min_ns)) AS low, max(duration_max_ns) AS high
    FROM traces WHERE notEmpty(duration_bucket) GROUP BY kind, process);

-- What late frames lost, by cause.
CREATE OR REPLACE VIEW causes AS
  SELECT trace, kind, process, pid, cause, cause_frames AS frames, cause_lost_ns AS lost_ns
  FROM traces ARRAY JOIN cause, cause_frames, cause_lost_ns;

-- Responses of interactions by scene and page, in milliseconds. P95 needs 20 of them.
CREATE OR REPLACE VIEW responses AS
  SELECT kind, process, scene, page, count() AS interactions, quantileExactLow(0.5)(response_ns) / 1e6 AS p50_ms,
    if(count(response_ns) >= 20, quantileExactLow(0.95)(response_ns) / 1e6, NULL) AS p95_ms,
    {{RATES OF interactions}}
  FROM interactions GROUP BY kind, process, scene, page;

-- Frame rate and evenness of layers by name and producer.
CREATE OR REPLACE VIEW layer_rates AS
  SELECT process, layer, uniqExact(trace) AS traces, sum(l.buffers) AS buffers,
    {{RATES OF layers}}
  FROM layers AS l GROUP BY process, layer;
