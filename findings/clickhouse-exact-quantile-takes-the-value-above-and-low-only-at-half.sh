#!/usr/bin/env bash
# ClickHouse 26.7.3 (chdb 3.4.0 from npm) and DuckDB 1.5.6 (@duckdb/node-api 1.5.6-r.1), seen on 2026-11-29: both
# have an exact quantile that returns one of the values, quantileExact and quantile_disc. When the level times the
# number of values is a whole number, ClickHouse takes the value above and DuckDB the one below. So P95 of 20
# durations is the longest in ClickHouse, and the second longest in DuckDB. quantileExactLow does not change that:
# it takes the lower value at level 0.5 only, and is quantileExact at every other level.
#
# A good engineer would guess that exact quantiles of the same column are equal in two databases, and that "Low" holds for
# all levels. The interpolated ones, quantileExactInclusive and quantile_cont, do agree.
#
# What is run: the quantiles 0.25, 0.5, 0.75 and 0.95 of the numbers 1 to 20. Output seen:
#
#   duckdb quantile_disc: 5,10,15,19
#   clickhouse quantileExact: 6,11,16,20
#   clickhouse quantileExactLow: 6,10,16,20
#   duckdb quantile_cont: 5.75,10.5,15.25,19.05
#   clickhouse quantileExactInclusive: 5.75,10.5,15.25,19.05
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit chdb@3.4.0 @duckdb/node-api@1.5.6-r.1

cat >run.cjs <<'T'
const { DuckDBInstance } = require('@duckdb/node-api');
const { query } = require('chdb');

const levels = [0.25, 0.5, 0.75, 0.95];
const each = (f) => levels.map(f).join(', ');
const clickhouse = (name) => query(`select ${each((l) => `${name}(${l})(number + 1)`)} from numbers(20)`, 'CSV').trim();

(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const duckdb = async (name) => {
    const rows = await connection.runAndReadAll(`select ${each((l) => `${name}(x, ${l})`)} from range(1, 21) t(x)`);
    return rows.getRowsJson()[0].join(',');
  };
  console.log('duckdb quantile_disc:', await duckdb('quantile_disc'));
  console.log('clickhouse quantileExact:', clickhouse('quantileExact'));
  console.log('clickhouse quantileExactLow:', clickhouse('quantileExactLow'));
  console.log('duckdb quantile_cont:', await duckdb('quantile_cont'));
  console.log('clickhouse quantileExactInclusive:', clickhouse('quantileExactInclusive'));
})();
T
node run.cjs >seen
cat seen

cat >stated <<'T'
duckdb quantile_disc: 5,10,15,19
clickhouse quantileExact: 6,11,16,20
clickhouse quantileExactLow: 6,10,16,20
duckdb quantile_cont: 5.75,10.5,15.25,19.05
clickhouse quantileExactInclusive: 5.75,10.5,15.25,19.05
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
