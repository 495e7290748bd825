// Runs the worker in node, for tests and measurements: what a browser's worker has, made of node's own. A file of
// the page is read in slices here, too.
//
//   node node.mjs FOLDER            FOLDER has worker.js, wasm_exec.js and ohframe.wasm; reads commands as lines
//                                   of JSON: {args, inputs: {path: FILE}, outputs: {path: FILE}}, and answers each.
//                                   A FILE@N cannot be read from byte N on
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import vm from 'node:vm';

class DiskFile {
  constructor(given, start = 0, end = undefined) {
    const [file, lost] = given.split('@');
    const stat = fs.statSync(file);
    Object.assign(this, {given, file, start, end: end ?? stat.size, name: path.basename(file), lastModified: Math.floor(stat.mtimeMs)});
    this.size = this.end - this.start;
    this.lost = this.end > Number(lost);
  }
  slice(start, end) {
    return new DiskFile(this.given, this.start + start, this.start + end);
  }
}

class FileReaderSync {
  readAsArrayBuffer(file) {
    if (file.lost) throw new DOMException('it was changed', 'NotReadableError');
    const bytes = new Uint8Array(file.size), fd = fs.openSync(file.file);
    try {
      fs.readSync(fd, bytes, 0, file.size, file.start);
    } finally {
      fs.closeSync(fd);
    }
    return bytes.buffer;
  }
}

// Timers that would wake the program, which must not be left when it has ended.
const timers = new Set(), {setTimeout: set, clearTimeout: unset} = globalThis;
globalThis.setTimeout = (work, ms) => {
  const timer = set(() => {
    timers.delete(timer);
    work();
  }, ms);
  timers.add(timer);
  return timer;
};
globalThis.clearTimeout = (timer) => {
  timers.delete(timer);
  unset(timer);
};

/** Starts the worker. The function that it returns runs a command. */
export function start(folder) {
  const waiting = new Map();
  globalThis.FileReaderSync = FileReaderSync;
  globalThis.importScripts = (script) => vm.runInThisContext(fs.readFileSync(path.join(folder, script), 'utf8'), script);
  globalThis.postMessage = (message) => waiting.get(message.id)?.(message);
  delete globalThis.process; // the worker's own
  vm.runInThisContext(fs.readFileSync(path.join(folder, 'worker.js'), 'utf8'), 'worker.js');
  globalThis.onmessage({data: {kind: 'load', program: new WebAssembly.Module(fs.readFileSync(path.join(folder, 'ohframe.wasm')))}});
  let last = 0;
  return (args, inputs, outputs) => new Promise((resolve) => {
    const id = ++last, progress = [];
    waiting.set(id, (message) => {
      if (message.kind === 'progress') progress.push(message);
      else resolve({...message, progress});
    });
    const files = Object.entries(inputs).map(([path, file]) => ({path, file: new DiskFile(file)}));
    globalThis.onmessage({data: {kind: 'run', id, args, inputs: files, outputs}});
  });
}

const {argv, stdin, stdout} = process, cpuUsage = process.cpuUsage.bind(process);
if (argv[1] === import.meta.filename) {
  const run = start(argv[2]);
  // cpu is the processor time in milliseconds, with that of the engine's other threads.
  for await (const line of readline.createInterface({input: stdin})) {
    const {args, inputs, outputs} = JSON.parse(line);
    const before = cpuUsage();
    const answer = await run(args, inputs, Object.keys(outputs ?? {}));
    for (const [path, blob] of Object.entries(answer.outputs ?? {})) fs.writeFileSync(outputs[path], new Uint8Array(await blob.arrayBuffer()));
    const {user, system} = cpuUsage(before);
    const text = answer.stdout ? await answer.stdout.text() : '';
    stdout.write(JSON.stringify({...answer, cpu: (user + system) / 1000, timers: timers.size, stdout: text, outputs: Object.keys(answer.outputs ?? {})}) + '\n');
  }
}
