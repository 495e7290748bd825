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

/** What a worker needs. It is loaded once, so that nothing is asked for while a trace is read. */
interface Loaded {
  program: WebAssembly.Module;
  /** The address of the worker's script. */
  script: string;
}

export class Program {
  private worker: Worker | undefined;
  private loaded: Promise<Loaded> | undefined;
  private last = 0;
  private waiting: {id: number; progress: (read: number, total: number) => void; done: (d: Done) => void; failed: (f: Failure) => void} | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  private cancelled = 0;

  /** Loads the program, so that the first command need not wait. */
  load(): Promise<Loaded> {
    return this.loaded ??= Promise.all([compile(), script()]).then(([program, script]) => ({program, script}), (error: unknown) => {
      this.loaded = undefined; // it may be there the next time
      throw new Failure('load', error instanceof Error ? error.message : String(error));
    });
  }

  /** Runs a command after those before it. */
  run(args: string[], inputs: Input[], outputs: string[], progress: (read: number, total: number) => void): Promise<Done> {
    const before = this.cancelled;
    const result = this.queue.then(() => {
      if (this.cancelled !== before) throw new Failure('cancelled', '');
      return this.start(args, inputs, outputs, progress);
    });
    this.queue = result.catch(() => undefined);
    return result;
  }

  /** Ends the command that runs, if there is one, and those that wait for it. */
  cancel(): void {
    this.cancelled++;
    if (this.waiting) this.end(new Failure('cancelled', ''));
  }

  private async start(args: string[], inputs: Input[], outputs: string[], progress: (read: number, total: number) => void): Promise<Done> {
    const id = ++this.last;
    const answer = new Promise<Done>((done, failed) => this.waiting = {id, progress, done, failed});
    const {program, script} = await Promise.race([this.load(), answer as Promise<never>]); // or it is cancelled meanwhile
    if (this.waiting?.id === id) {
      if (!this.worker) {
        this.worker = new Worker(script);
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

async function get(name: string): Promise<Response> {
  const response = await fetch(site + name);
  if (!response.ok) throw new Error(`${site + name}: ${response.status} ${response.statusText}`);
  return response;
}

async function compile(): Promise<WebAssembly.Module> {
  const response = await get('ohframe.wasm');
  // Compiled while it arrives, and kept by the browser, if the server says what it is.
  const type = response.headers.get('Content-Type') ?? '';
  return type.startsWith('application/wasm') ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/**
 * A worker that is made from an address of the site has the policy that came with the script, which is none on most
 * servers. One that is made from a blob has that of the page: it may connect only to the page's own site.
 */
async function script(): Promise<string> {
  const scripts = await Promise.all(['wasm_exec.js', 'worker.js'].map(async (name) => (await get(name)).text()));
  return URL.createObjectURL(new Blob(['importScripts = () => undefined;\n', scripts.join('\n')], {type: 'text/javascript'}));
}
