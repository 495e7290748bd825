// The worker that runs the program, and what it answers.

import type {FromWorker, Input, ToWorker} from './protocol';

export type Done = FromWorker & {kind: 'done'};

/** A command that did not end by itself. */
export class Failure extends Error {
  constructor(readonly why: 'memory' | 'trap' | 'load' | 'cancelled', what: string) {
    super(what);
  }
}

/** The folder of the site, with a slash at its end. */
export const site = new URL('./', location.href).href;

// A worker that is made from an address has the policy that came with the script, which is none on most servers. One
// that is made from a blob has that of the page: it may connect only to the page's own site.
const source = URL.createObjectURL(new Blob([
  `const load = importScripts; importScripts = (...names) => load(...names.map((name) => new URL(name, ${JSON.stringify(site)}).href)); importScripts('worker.js');`,
], {type: 'text/javascript'}));

export class Program {
  private worker: Worker | undefined;
  private compiled: Promise<WebAssembly.Module> | undefined;
  private last = 0;
  private waiting: {id: number; progress: (read: number, total: number) => void; done: (d: Done) => void; failed: (f: Failure) => void} | undefined;
  private queue: Promise<unknown> = Promise.resolve();

  /** Loads the program, so that the first command need not wait. */
  load(): Promise<WebAssembly.Module> {
    return this.compiled ??= compile().catch((error: unknown) => {
      this.compiled = undefined; // it may be there the next time
      throw new Failure('load', error instanceof Error ? error.message : String(error));
    });
  }

  /** Runs a command after those before it. */
  run(args: string[], inputs: Input[], outputs: string[], progress: (read: number, total: number) => void): Promise<Done> {
    const result = this.queue.then(() => this.start(args, inputs, outputs, progress));
    this.queue = result.catch(() => undefined);
    return result;
  }

  /** Ends the command that runs, if there is one. */
  cancel(): void {
    if (this.waiting) this.end(new Failure('cancelled', ''));
  }

  private async start(args: string[], inputs: Input[], outputs: string[], progress: (read: number, total: number) => void): Promise<Done> {
    const id = ++this.last;
    const answer = new Promise<Done>((done, failed) => this.waiting = {id, progress, done, failed});
    answer.catch(() => undefined); // if it is cancelled meanwhile
    const program = await this.load();
    if (this.waiting?.id === id) {
      if (!this.worker) {
        this.worker = new Worker(source);
        this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.heard(event.data);
        this.worker.onerror = (event) => this.end(new Failure('load', event.message ?? 'worker.js'));
        this.say({kind: 'load', program});
      }
      this.say({kind: 'run', id, args, inputs, outputs});
    }
    return answer;
  }

  private say(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private heard(message: FromWorker): void {
    const waiting = this.waiting;
    if (!waiting || message.kind === 'ready' || message.id !== waiting.id) return;
    if (message.kind === 'progress') return waiting.progress(message.read, message.total);
    this.waiting = undefined;
    if (message.kind === 'done') waiting.done(message);
    else waiting.failed(new Failure(message.why, message.what));
  }

  /** Ends the worker; the next command starts another. */
  private end(why: Failure): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.waiting?.failed(why);
    this.waiting = undefined;
  }
}

async function compile(): Promise<WebAssembly.Module> {
  const address = site + 'ohframe.wasm', response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  // Compiled while it arrives, and kept by the browser, if the server says what it is.
  const type = response.headers.get('Content-Type') ?? '';
  return type.startsWith('application/wasm') ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}
