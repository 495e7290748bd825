// Starts Perfetto's trace processor, compiled to WebAssembly, under node.
//
// Perfetto builds it for a web worker of its user interface: a bundle of
// JavaScript that fetches the .wasm file and then trades RPC bytes over a
// MessagePort. The bundle is run here inside a function whose parameters stand
// in for a worker's globals.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setFlagsFromString} from 'node:v8';
import {compileFunction} from 'node:vm';

// A quick start costs speed: compiled by V8's baseline compiler alone, the
// engine is ready half a second sooner, but loads a trace at two thirds of its
// speed.
export function preferQuickStart() {
  setFlagsFromString('--liftoff-only');
}

// Returns the engine in directory as one synchronous function from request
// bytes to reply bytes. Requests may be cut anywhere; a reply comes with the
// last byte of the request that it answers.
export async function startEngine(directory) {
  const bundle = join(directory, 'engine_bundle.node.js');
  // The package holds the 32-bit engine only, but the bundle asks for the
  // 64-bit one wherever V8 could run it.
  const source = readFileSync(bundle, 'utf8').replace('= hasMemory64Support();', '= false;');

  class FileRequest {
    open(_method, file) { this.file = join(directory, file); }
    send() { this.response = readFileSync(this.file); }
  }
  const worker = {location: {href: 'file:///'}};
  const silence = {log() {}, warn() {}, error() {}};
  const globals = {
    self: worker, WorkerGlobalScope: Object, XMLHttpRequest: FileRequest, console: silence,
  };
  compileFunction(source, Object.keys(globals), {filename: bundle})(...Object.values(globals));

  const replies = [];
  const port = {postMessage: (bytes) => replies.push(bytes)};
  worker.onmessage({data: port});
  // The bundle ends its set-up in a microtask.
  await new Promise(setImmediate);

  return (request) => {
    port.onmessage({data: request});
    return Buffer.concat(replies.splice(0));
  };
}
