#!/usr/bin/env bash
# @polyglot-sql/sdk 0.12.1 (npm; seen on 2026-11-29) translates SQL between dialects. From Spark to DuckDB it reports
# success for statements that then give other answers, without a warning:
#
# - percentile(x, 0.5), which is exact and interpolates in Spark, becomes QUANTILE(x, 0.5), which is DuckDB's discrete
#   one: it returns one of the values
# - a[0], the first element in Spark, whose subscripts begin at 0, stays a[0], which is NULL in DuckDB, whose
#   subscripts begin at 1
#
# The translator is careful elsewhere: it adds NULLS FIRST to ORDER BY, because the default differs, and turns CAST into
# TRY_CAST. So a good engineer would guess that what it passes through means the same.
#
# What is run: the translation of one statement, and DuckDB 1.5.6 (@duckdb/node-api 1.5.6-r.1) on the result.
# Spark's documentation gives 2.5 and 10. Output seen:
#
#   success: true
#   SELECT QUANTILE(x, 0.5) AS p, ANY_VALUE(a[0]) AS f FROM t
#   in DuckDB: {"p":2,"f":null}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-fund --no-audit @polyglot-sql/sdk@0.12.1 @duckdb/node-api@1.5.6-r.1

cat >run.cjs <<'T'
const { DuckDBInstance } = require('@duckdb/node-api');
const polyglot = require('@polyglot-sql/sdk');

(async () => {
  await polyglot.init();
  const { success, sql } = polyglot.transpile('select percentile(x, 0.5) as p, any_value(a[0]) as f from t', 'spark', 'duckdb');
  console.log('success:', success);
  console.log(sql[0]);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run('create table t as select x, [10, 20] as a from range(1, 5) r(x)');
  const rows = await connection.runAndReadAll(sql[0]);
  console.log('in DuckDB:', JSON.stringify(rows.getRowObjectsJson()[0], (_, v) => (typeof v === 'string' ? Number(v) : v)));
})();
T
node run.cjs >seen
cat seen

cat >stated <<'T'
success: true
SELECT QUANTILE(x, 0.5) AS p, ANY_VALUE(a[0]) AS f FROM t
in DuckDB: {"p":2,"f":null}
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
