// The worker: runs the command line of ohframe, compiled for WebAssembly, on files of the page. See protocol.ts.
// Nothing of it makes a request but for the program.

import {Files, resolve} from './files';
import {inputFolder, outputFolder, type FromWorker, type ToWorker} from './protocol';

/** What wasm_exec.js of Go's toolchain defines. */
declare class Go {
  argv: string[];
  env: Record<string, string>;
  exit: (code: number) => void;
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
  _scheduledTimeouts: Map<number, number>;
}

declare function importScripts(...scripts: string[]): void;
declare function postMessage(message: FromWorker): void;

// What Go's syscall package and wasm_exec.js look for. Both ask for it anew in each run.
const scope = globalThis as unknown as {
  fs: unknown; process: unknown; path: unknown;
  ohframe: {args: string[]; read: (fd: number, at: number, length: number) => Uint8Array | null};
  onmessage: (event: MessageEvent<ToWorker>) => void;
};
scope.process = {
  pid: 1, ppid: 0, cwd: () => inputFolder, umask: () => 0o022,
  getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [],
};
scope.path = {resolve};
scope.fs = new Files([], [], () => undefined).node();
importScripts('wasm_exec.js');

let program: Promise<WebAssembly.Module> | undefined;
let queue: Promise<void> = Promise.resolve();

scope.onmessage = ({data}) => {
  if (data.kind === 'load') {
    program = load(data.program);
    program.catch(() => undefined); // the next command says so
    return;
  }
  queue = queue.then(() => run(data)).catch((error: unknown) => postMessage({kind: 'failed', id: data.id, why: 'trap', what: text(error)}));
};

async function load(from: string | WebAssembly.Module): Promise<WebAssembly.Module> {
  const start = performance.now();
  const compiled = typeof from === 'string' ? await compile(from) : from;
  postMessage({kind: 'ready', ms: performance.now() - start});
  return compiled;
}

async function compile(address: string): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  // Compiled while it arrives, if the server says what it is.
  const type = response.headers.get('Content-Type') ?? '';
  return type.startsWith('application/wasm') ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** The time between two messages about progress, in milliseconds. */
const between = 100;

async function run({id, args, inputs, outputs}: ToWorker & {kind: 'run'}): Promise<void> {
  let compiled: WebAssembly.Module;
  try {
    compiled = await (program ??= load('ohframe.wasm'));
  } catch (error) {
    program = undefined; // it may be there the next time
    postMessage({kind: 'failed', id, why: 'load', what: text(error)});
    return;
  }
  const start = performance.now();
  let said = 0;
  const files: Files = new Files(inputs, [inputFolder, outputFolder, '/tmp'], (read) => {
    const now = performance.now();
    if (now - said < between && read < files.total) return;
    said = now;
    postMessage({kind: 'progress', id, read, total: files.total});
  });
  scope.fs = files.node();
  scope.ohframe = {args: ['ohframe', ...args], read: (fd, at, length) => files.view(fd, at, length)};
  const go = new Go();
  let code = -1;
  go.exit = (c) => code = c;
  let memory: WebAssembly.Memory | undefined;
  try {
    const instance = await WebAssembly.instantiate(compiled, go.importObject);
    memory = instance.exports['mem'] as WebAssembly.Memory;
    await go.run(instance);
    stopTimers(go);
  } catch (error) {
    stopTimers(go);
    const {stderr} = files.streams();
    const said = await stderr.text();
    postMessage({kind: 'failed', id, why: isMemory(text(error) + said) ? 'memory' : 'trap', what: [text(error), said].filter(Boolean).join('\n')});
    return;
  }
  const ms = performance.now() - start;
  const {stdout, stderr} = files.streams();
  let said2 = await stderr.text();
  if (/^(fatal error|panic|runtime): /m.test(said2) && code === 2) {
    postMessage({kind: 'failed', id, why: isMemory(said2) ? 'memory' : 'trap', what: said2});
    return;
  }
  if (files.lost !== undefined && code !== 0) {
    said2 += `hint: the browser can no longer read ${files.lost}: it was changed, moved or removed after it was chosen; choose it again\n`;
  }
  const written: Record<string, Blob> = {};
  for (const path of outputs) {
    const blob = files.written(path);
    if (blob) written[path] = blob;
  }
  postMessage({kind: 'done', id, code, stderr: said2, stdout, outputs: written, memory: memory.buffer.byteLength, ms});
}

/** Forgets the timers of a program that has ended, which must not wake it. */
function stopTimers(go: Go): void {
  for (const timer of go._scheduledTimeouts?.values() ?? []) clearTimeout(timer);
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a failure is for lack of memory: of Go's runtime, of an allocation of the browser. */
function isMemory(what: string): boolean {
  return /out of memory|cannot allocate|allocation failed|could not allocate/i.test(what);
}
