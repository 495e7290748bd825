// What the page and its worker say to each other. The worker runs the command line of ohframe, one after
// another, on files of the page. To cancel, end the worker and start another.

/** Where the page's files are: the working folder of commands, so that "a.ftrace" names an input. */
export const inputFolder = '/in';

/** Where a command writes what the page wants, as in -o /out/report.html. */
export const outputFolder = '/out';

/** A file of the page, under inputFolder. Folders in the path exist. No two inputs have one path. */
export interface Input {
  path: string;
  file: File;
}

export type ToWorker =
  /**
   * Sent first: where the program is. The worker compiles it once, and reads the next command meanwhile. Without
   * it, the program is ohframe.wasm beside the worker's script.
   */
  | {kind: 'load'; program: string | WebAssembly.Module}
  | {
      kind: 'run';
      /** Given back with all that is said about this command. */
      id: number;
      /** Without the program's name: ['report', '-o', '/out/report.html', '--', 'demo.ftrace']. */
      args: string[];
      inputs: Input[];
      /** The files under outputFolder to return. Those that the command did not write are left out. */
      outputs: string[];
    };

export type FromWorker =
  /** The program is compiled; also said without a command. */
  | {kind: 'ready'; ms: number}
  /** At most ten in a second. Bytes of inputs that were read, each once, and of all inputs. */
  | {kind: 'progress'; id: number; read: number; total: number}
  | {
      kind: 'done';
      id: number;
      /** The exit code: 0, 1 after an error, which stderr has with its hints, 2 if a condition fails. */
      code: number;
      stderr: string;
      stdout: Blob;
      outputs: Record<string, Blob>;
      /** Bytes of the program's memory at the end, which never shrinks. */
      memory: number;
      /** From the start of the command, without compiling. */
      ms: number;
    }
  /**
   * The command did not end by itself. The worker is still good for the next.
   *   memory   it ran out of it
   *   trap     any other failure of the program: a fault in it
   *   load     the program cannot be loaded or compiled
   */
  | {kind: 'failed'; id: number; why: 'memory' | 'trap' | 'load'; what: string};
