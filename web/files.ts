// The file system that a command sees: the page's files, read in slices, and what the command writes, kept as
// Blobs. It has what Go's package syscall calls of node's fs.

import {inputFolder} from './protocol';

/** An error with the code by which Go knows it. */
function failure(code: string): Error {
  return Object.assign(new Error(code), {code});
}

/** What a slice of a file is read at once: few calls, and little memory. */
const sliceSize = 1 << 20;

/** Written bytes beyond this become a Blob, which the browser may keep on disk. */
const pieceSize = 4 << 20;

interface Stat {
  isDirectory(): boolean;
  dev: number;
  ino: number;
  mode: number;
  nlink: number;
  uid: number;
  gid: number;
  rdev: number;
  size: number;
  blksize: number;
  blocks: number;
  atimeMs: number;
  mtimeMs: number;
  ctimeMs: number;
}

const isFolder = 0o040000, isFile = 0o100000, isPipe = 0o010000;

/** Numbers make nodes the same file or not. */
let nodes = 0;

abstract class Node {
  private readonly number = ++nodes;
  abstract readonly mode: number;
  abstract readonly size: number;
  abstract readonly time: number;

  stat(): Stat {
    const time = this.time;
    return {
      isDirectory: () => this instanceof Folder,
      dev: 1, ino: this.number, mode: this.mode, nlink: 1, uid: 0, gid: 0, rdev: 0,
      size: this.size, blksize: 4096, blocks: Math.ceil(this.size / 512), atimeMs: time, mtimeMs: time, ctimeMs: time,
    };
  }

  /** Copies bytes at a position and returns their number; 0 at the end. */
  read(_to: Uint8Array, _at: number): number {
    throw failure('EISDIR');
  }

  append(_bytes: Uint8Array): void {
    throw failure('EBADF');
  }

  write(bytes: Uint8Array, at: number): void {
    if (at !== this.size) throw failure('ESPIPE');
    this.append(bytes);
  }
}

class Folder extends Node {
  readonly mode = isFolder | 0o755;
  readonly size = 0;
  readonly time = 0;
  readonly entries = new Map<string, Node>();
}

/** A file of the page. */
class Given extends Node {
  readonly mode = isFile | 0o444;
  readonly size: number;
  readonly time: number;
  /** Bytes that were read from the browser, each once if they are read in order. */
  fetched = 0;
  private slice = new Uint8Array();
  private start = 0;

  constructor(private readonly file: File, private readonly files: Files) {
    super();
    this.size = file.size;
    this.time = file.lastModified;
  }

  override read(to: Uint8Array, at: number): number {
    const bytes = this.view(at, to.length);
    to.set(bytes);
    return bytes.length;
  }

  /** The bytes from a position on, at most length and perhaps fewer; none at the end. */
  view(at: number, length: number): Uint8Array {
    if (at >= this.size) return new Uint8Array();
    if (at < this.start || at >= this.start + this.slice.length) this.fetch(at);
    return this.slice.subarray(at - this.start, at - this.start + length);
  }

  private fetch(at: number): void {
    this.slice = new Uint8Array(); // not two of them
    let bytes: ArrayBuffer;
    try {
      bytes = new FileReaderSync().readAsArrayBuffer(this.file.slice(at, Math.min(at + sliceSize, this.size)));
    } catch (error) {
      this.files.lost = this.file.name;
      throw failure((error as Error).name === 'NotFoundError' ? 'ENOENT' : 'EIO');
    }
    this.slice = new Uint8Array(bytes);
    this.start = at;
    this.fetched = Math.min(this.size, this.fetched + bytes.byteLength);
    this.files.progress();
  }
}

/** A file, or a stream, that the command writes from its beginning to its end. */
class Written extends Node {
  size = 0;
  time = 0;
  private pieces: BlobPart[] = [];
  private last: Uint8Array<ArrayBuffer>[] = [];
  private pending = 0;

  constructor(readonly mode: number) {
    super();
  }

  override append(bytes: Uint8Array): void {
    this.last.push(bytes as Uint8Array<ArrayBuffer>); // which Go has made for this call
    this.size += bytes.length;
    this.pending += bytes.length;
    if (this.pending >= pieceSize) {
      this.pieces.push(new Blob(this.last));
      this.last = [];
      this.pending = 0;
    }
  }

  blob(): Blob {
    return new Blob([...this.pieces, ...this.last]);
  }
}

/** A temporary file, which is read and written anywhere. */
class Scratch extends Node {
  readonly mode = isFile | 0o600;
  size = 0;
  time = 0;
  private readonly pieces: Uint8Array[] = []; // of pieceSize each

  override read(to: Uint8Array, at: number): number {
    const bytes = to.subarray(0, Math.max(0, this.size - at));
    this.walk(bytes, at, (piece, part) => part.set(piece));
    return bytes.length;
  }

  override append(bytes: Uint8Array): void {
    this.write(bytes, this.size);
  }

  override write(bytes: Uint8Array, at: number): void {
    this.size = Math.max(this.size, at + bytes.length);
    while (this.pieces.length * pieceSize < this.size) this.pieces.push(new Uint8Array(pieceSize));
    this.walk(bytes, at, (piece, part) => piece.set(part));
  }

  /** Calls copy with each part of the bytes and what the file has there. */
  private walk(bytes: Uint8Array, at: number, copy: (piece: Uint8Array, part: Uint8Array) => void): void {
    for (let done = 0; done < bytes.length;) {
      const from = (at + done) % pieceSize, n = Math.min(bytes.length - done, pieceSize - from);
      copy(this.pieces[Math.floor((at + done) / pieceSize)]!.subarray(from, from + n), bytes.subarray(done, done + n));
      done += n;
    }
  }
}

interface Open {
  node: Node;
  at: number;
}

type Callback = (error: Error | null, value?: unknown) => void;

export class Files {
  /** The name of a file of the page that could not be read. */
  lost: string | undefined;
  readonly total: number;
  private readonly root = new Folder();
  private readonly given: Given[] = [];
  private readonly stdout = new Written(isPipe | 0o600);
  private readonly stderr = new Written(isPipe | 0o600);
  private readonly open = new Map<number, Open>([
    [0, {node: new Written(isPipe | 0o400), at: 0}],
    [1, {node: this.stdout, at: 0}],
    [2, {node: this.stderr, at: 0}],
  ]);

  constructor(inputs: {path: string; file: File}[], folders: string[], private readonly report: (read: number) => void) {
    for (const folder of folders) this.makeFolder(folder);
    for (const {path, file} of inputs) {
      const [folder, name] = split(path);
      const given = new Given(file, this);
      this.makeFolder(folder).entries.set(name, given);
      this.given.push(given);
    }
    this.total = this.given.reduce((sum, file) => sum + file.size, 0);
  }

  progress(): void {
    this.report(this.given.reduce((sum, file) => sum + file.fetched, 0));
  }

  /** What was written to standard output and to standard error. */
  streams(): {stdout: Blob; stderr: Blob} {
    return {stdout: this.stdout.blob(), stderr: this.stderr.blob()};
  }

  /** What was written to a path; undefined if there is no such file. */
  written(path: string): Blob | undefined {
    const node = this.find(path);
    return node instanceof Written ? node.blob() : undefined;
  }

  /** Bytes of an open file of the page, without copying them; null if it has none there, or if reading fails. */
  view(fd: number, at: number, length: number): Uint8Array | null {
    const node = this.open.get(fd)?.node;
    if (!(node instanceof Given)) return null;
    try {
      const bytes = node.view(at, length);
      return bytes.length > 0 ? bytes : null;
    } catch {
      return null;
    }
  }

  private makeFolder(path: string): Folder {
    let folder = this.root;
    for (const name of path.split('/').filter(Boolean)) {
      let next = folder.entries.get(name);
      if (!next) folder.entries.set(name, next = new Folder());
      if (!(next instanceof Folder)) throw failure('ENOTDIR');
      folder = next;
    }
    return folder;
  }

  private find(path: string): Node | undefined {
    let node: Node | undefined = this.root;
    for (const name of resolve(path).split('/').filter(Boolean)) {
      if (!(node instanceof Folder)) throw failure('ENOTDIR');
      node = node.entries.get(name);
      if (!node) return undefined;
    }
    return node;
  }

  private get(path: string): Node {
    const node = this.find(path);
    if (!node) throw failure('ENOENT');
    return node;
  }

  /** The folder of a path, which must exist, and its last name. */
  private place(path: string): [Folder, string] {
    const [folder, name] = split(resolve(path));
    const node = this.get(folder);
    if (!(node instanceof Folder)) throw failure('ENOTDIR');
    return [node, name];
  }

  private opened(fd: number): Open {
    const open = this.open.get(fd);
    if (!open) throw failure('EBADF');
    return open;
  }

  private openPath(path: string, flags: number): number {
    const [folder, name] = this.place(path);
    let node = name === '' ? folder : folder.entries.get(name);
    if (node && flags & constants.O_CREAT && flags & constants.O_EXCL) throw failure('EEXIST');
    if (flags & (constants.O_WRONLY | constants.O_RDWR)) {
      if (node instanceof Folder) throw failure('EISDIR');
      if (node instanceof Given) throw failure('EROFS');
      if (!node && !(flags & constants.O_CREAT)) throw failure('ENOENT');
      if (!node || flags & constants.O_TRUNC) {
        folder.entries.set(name, node = flags & constants.O_RDWR ? new Scratch() : new Written(isFile | 0o600));
      }
    }
    if (!node) throw failure('ENOENT');
    let fd = 3;
    while (this.open.has(fd)) fd++;
    this.open.set(fd, {node, at: 0});
    return fd;
  }

  private move(from: string, to: string): void {
    const [source, name] = this.place(from), [target, other] = this.place(to);
    const node = source.entries.get(name);
    if (!node) throw failure('ENOENT');
    if (target.entries.get(other) instanceof Given) throw failure('EROFS');
    source.entries.delete(name);
    target.entries.set(other, node);
  }

  /** node's fs, as far as Go calls it. What throws here calls back with the error. */
  node(): Record<string, unknown> {
    const call = <T extends unknown[]>(work: (...args: T) => unknown) => (...args: [...T, Callback]) => {
      const back = args.pop() as Callback;
      let value;
      try {
        value = work(...args as unknown as T);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
        back(error);
        return;
      }
      back(null, value);
    };
    const refused = call(() => {
      throw failure('ENOSYS');
    });
    return {
      constants,
      open: call((path: string, flags: number) => this.openPath(path, flags)),
      close: call((fd: number) => {
        this.opened(fd);
        this.open.delete(fd);
      }),
      read: call((fd: number, to: Uint8Array, offset: number, length: number, at: number | null) => {
        const open = this.opened(fd);
        if (open.node instanceof Written) return 0; // standard input is empty
        const n = open.node.read(to.subarray(offset, offset + length), at ?? open.at);
        if (at === null) open.at += n;
        return n;
      }),
      write: call((fd: number, bytes: Uint8Array, offset: number, length: number, at: number | null) => {
        const open = this.opened(fd), part = bytes.subarray(offset, offset + length);
        if (!(open.node instanceof Scratch)) open.node.write(part, at ?? open.node.size);
        else {
          open.node.write(part, at ?? open.at);
          if (at === null) open.at += length;
        }
        return length;
      }),
      // Of the runtime: what it prints when the program fails.
      writeSync: (fd: number, bytes: Uint8Array) => {
        this.opened(fd).node.append(bytes.slice());
        return bytes.length;
      },
      stat: call((path: string) => this.get(path).stat()),
      lstat: call((path: string) => this.get(path).stat()),
      fstat: call((fd: number) => this.opened(fd).node.stat()),
      readdir: call((path: string) => {
        const node = this.get(path);
        if (!(node instanceof Folder)) throw failure('ENOTDIR');
        return [...node.entries.keys()].sort();
      }),
      mkdir: call((path: string) => {
        const [folder, name] = this.place(path);
        if (folder.entries.has(name)) throw failure('EEXIST');
        folder.entries.set(name, new Folder());
      }),
      rename: call((from: string, to: string) => this.move(from, to)),
      unlink: call((path: string) => {
        const [folder, name] = this.place(path);
        if (!folder.entries.delete(name)) throw failure('ENOENT');
      }),
      fsync: call(() => undefined),
      chmod: call(() => undefined),
      fchmod: call(() => undefined),
      rmdir: refused, chown: refused, fchown: refused, lchown: refused, ftruncate: refused, truncate: refused,
      link: refused, symlink: refused, readlink: refused, utimes: refused,
    };
  }
}

const constants = {O_WRONLY: 1, O_RDWR: 2, O_CREAT: 0o100, O_EXCL: 0o200, O_TRUNC: 0o1000, O_APPEND: 0o2000, O_DIRECTORY: 0o200000};

/** Makes a path absolute, without "." and "..". */
export function resolve(path: string): string {
  const names: string[] = [];
  for (const name of (path.startsWith('/') ? path : inputFolder + '/' + path).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return '/' + names.join('/');
}

function split(path: string): [folder: string, name: string] {
  const slash = path.lastIndexOf('/');
  return [path.slice(0, slash) || '/', path.slice(slash + 1)];
}
