// Runs statements and queries in a database, and prints the rows of each query as JSON.
//
//	node query.mjs FOLDER duckdb|clickhouse STATEMENTS QUERY…
//
// FOLDER is where "make databases" has installed the packages. No package has Spark: its
// statements are parsed with its grammar, or translated for DuckDB.
//
//	node query.mjs FOLDER spark-grammar STATEMENTS
//	node query.mjs FOLDER spark-translation "" STATEMENT…
//
// Of Parquet files it prints all rows with all columns, in a list for each file. Integers are text,
// bytes are hexadecimal, and times are microseconds.
//
//	node query.mjs FOLDER duckdb-files|hyparquet FILES
//
// FILES is a list in JSON.

import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, engine, statements, ...queries] = process.argv.slice(2);
const require = createRequire(pathToFileURL(folder + '/'));

async function duckdb(statements, queries) {
  const { DuckDBInstance } = require('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(statements);
  const rows = [];
  for (const query of queries) rows.push((await connection.runAndReadAll(query)).getRowObjectsJson());
  return rows;
}

// text returns integers as text, in lists and rows, too.
function text(value) {
  if (typeof value === 'bigint' || Number.isInteger(value)) return String(value);
  if (Array.isArray(value)) return value.map(text);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex').toUpperCase();
  if (value === null || typeof value !== 'object') return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, text(v)]));
}

async function duckdbFiles(files) {
  const { DuckDBInstance } = require('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const tables = [];
  for (const file of JSON.parse(files)) {
    const from = `read_parquet('${file.replaceAll("'", "''")}')`;
    const columns = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${from}`)).getRowObjectsJson();
    const read = { TIMESTAMP: 'epoch_us', BLOB: 'hex' };
    const select = columns.map(({ column_name: name, column_type: type }) => `${read[type.split(' ')[0]] ?? ''}("${name}") AS "${name}"`);
    tables.push(text((await connection.runAndReadAll(`SELECT ${select} FROM ${from}`)).getRowObjectsJson()));
  }
  return tables;
}

async function hyparquet(files) {
  const load = (name) => import(pathToFileURL(`${folder}/node_modules/${name}`).href);
  const { parquetReadObjects, asyncBufferFromFile } = await load('hyparquet/src/node.js');
  const { compressors } = await load('hyparquet-compressors/src/index.js');
  const parsers = { timestampFromMicroseconds: (us) => us };
  const tables = [];
  for (const file of JSON.parse(files)) tables.push(text(await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors, parsers, utf8: false })));
  return tables;
}

// Both branches of an if are computed, as ClickHouse may do.
const settings = "output_format_json_quote_64bit_integers = 1, short_circuit_function_evaluation = 'disable'";

function clickhouse(statements, queries) {
  const { Session } = require('chdb');
  const session = new Session();
  try {
    session.query(statements);
    return queries.map((query) => JSON.parse(session.query(`${query} SETTINGS ${settings}`, 'JSON')).data);
  } finally {
    session.cleanup();
  }
}

async function grammar(statements) {
  // The parser's modules import each other without the ends of their names.
  register('data:text/javascript,' + encodeURIComponent(`
    export async function resolve(name, context, next) {
      for (const end of ['', '.js', '/index.js']) {
        try { return await next(name + end, context); } catch (e) { if (end === '/index.js') throw e; }
      }
    }`));
  const { SparkSQL } = await import(pathToFileURL(folder + '/node_modules/dt-sql-parser/dist/parser/spark/index.js').href);
  return new SparkSQL().validate(statements);
}

async function translation(_, statements) {
  let polyglot; // takes seconds to load
  const views = [];
  for (const statement of statements) {
    const s = statement.replace(/^--.*$/gm, '');
    const file = /^\s*CREATE OR REPLACE TEMPORARY VIEW (\w+) \(([^)]*)\)\s+USING parquet OPTIONS \(path ('[^']*')\)$/.exec(s);
    if (file) {
      const columns = file[2].replaceAll(/`(\w+)` (?:ARRAY<(\w+)>|(\w+))/g, (_, name, list, type) => `CAST("${name}" AS ${list ? list + '[]' : type}) AS "${name}"`);
      views.push(`CREATE VIEW ${file[1]} AS SELECT ${columns} FROM read_parquet(${file[3]})`);
      continue;
    }
    if (!polyglot) await (polyglot = require('@polyglot-sql/sdk')).init();
    const { success, sql, error } = s.trim() === '' ? { success: true, sql: [] } : polyglot.transpile(s, 'spark', 'duckdb');
    if (!success) throw new Error(`${error}: ${s}`);
    // Of empty lists the translation makes a row of nulls, as Snowflake does; Spark makes none.
    views.push(sql.join('').replace(/\[\{('\$\d': NULL(, )?)+\}\]/g, '[]'));
  }
  return views;
}

const engines = { duckdb, clickhouse, 'duckdb-files': duckdbFiles, hyparquet, 'spark-grammar': grammar, 'spark-translation': translation };
console.log(JSON.stringify(await engines[engine](statements, queries)));
