// What was dropped or chosen, as arguments of commands.

import {inputFolder, type Input} from './protocol';
import type {Word} from './words';

/** A file or folder, which is an argument of a command, with its files. */
export interface Item {
  /** As in the command: demo.ftrace. */
  name: string;
  inputs: Input[];
  size: number;
  /** The names of its traces, each an argument of a command that takes one: itself, or files of a folder. */
  traces: string[];
  /** What the user should know about files beside it. */
  notes?: [Word, ...string[]][];
}

/** A file, or the files in a folder by their paths in it. */
interface Entry {
  name: string;
  files: {path: string; file: File}[];
  folder: boolean;
}

/** Files that commands find beside a trace, and that are none themselves. */
const beside = /(\.perf\.data|^perf\.data|\.meta\.json|\.events|(^|\.)event\.json)$/i;

/** Returns the items of a drop. It must be called at once: the browser forgets what was dropped. */
export async function dropped(data: DataTransfer): Promise<Item[]> {
  const entries = [...data.items].filter((i) => i.kind === 'file').map((i) => ({entry: i.webkitGetAsEntry?.() ?? null, file: i.getAsFile()}));
  return items(await Promise.all(entries.map(async ({entry, file}): Promise<Entry[]> => {
    if (entry?.isDirectory) return [{name: entry.name, folder: true, files: await walk(entry as FileSystemDirectoryEntry, '')}];
    return file ? [{name: file.name, folder: false, files: [{path: '', file}]}] : [];
  })).then((list) => list.flat()));
}

/** Returns the items of a dialog: files, or those of a folder. */
export function chosen(files: FileList | File[]): Item[] {
  const entries: Entry[] = [];
  for (const file of files) {
    const [top = '', ...rest] = file.webkitRelativePath.split('/');
    if (rest.length === 0) {
      entries.push({name: file.name, folder: false, files: [{path: '', file}]});
      continue;
    }
    let folder = entries.find((e) => e.folder && e.name === top);
    if (!folder) entries.push(folder = {name: top, folder: true, files: []});
    folder.files.push({path: rest.join('/'), file});
  }
  return items(entries);
}

async function walk(folder: FileSystemDirectoryEntry, path: string): Promise<{path: string; file: File}[]> {
  const reader = folder.createReader(), found: {path: string; file: File}[] = [];
  for (;;) { // it returns some entries at a time
    const entries = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (entries.length === 0) return found;
    for (const e of entries) {
      if (e.isDirectory) found.push(...await walk(e as FileSystemDirectoryEntry, path + e.name + '/'));
      else found.push({path: path + e.name, file: await new Promise<File>((done, failed) => (e as FileSystemFileEntry).file(done, failed))});
    }
  }
}

function items(entries: Entry[]): Item[] {
  const list: Item[] = [], single = entries.filter((e) => !e.folder);
  const traces = single.some((e) => !beside.test(e.name)) ? single.filter((e) => !beside.test(e.name)) : single;
  const others = single.filter((e) => !traces.includes(e)).flatMap((e) => e.files.map(({file}) => ({path: `${inputFolder}/${file.name}`, file})));
  for (const e of entries) {
    if (e.files.length === 0 || !e.folder && !traces.includes(e)) continue;
    const root = `${inputFolder}/${e.name}`;
    list.push({name: e.name, inputs: e.files.map(({path, file}) => ({path: path ? `${root}/${path}` : root, file})), size: e.files.reduce((sum, f) => sum + f.file.size, 0),
      traces: e.folder ? e.files.filter(({path}) => !beside.test(path.replace(/^.*\//, ''))).map(({path}) => `${e.name}/${path}`).sort() : [e.name]});
  }
  if (list[0]) Object.assign(list[0], {notes: samples(others, traces.map((e) => e.name))}).inputs.push(...others); // all inputs of a command are in one folder
  return list;
}

/**
 * Gives samples of hiperf the name by which commands find them, if there is one trace that they can belong to. Says what
 * has become of those with other names.
 */
function samples(others: Input[], traces: string[]): [Word, ...string[]][] {
  const wanted = traces.map((name) => stem(name) + '.perf.data'), list = others.filter(({path}) => /perf\.data$/i.test(path));
  const stray = list.filter(({file}) => !wanted.includes(file.name));
  if (traces.length !== 1 || list.length !== 1) return stray.map(({file}) => ['notRead', file.name, traces[0]!, wanted[0]!]);
  return stray.map((input) => {
    input.path = `${inputFolder}/${wanted[0]}`;
    return ['readAs', input.file.name, traces[0]!];
  });
}

const extensions = /\.(pftrace|ftrace|systrace|hitrace|trace|txt|text|log|html|sys|htrace)$/i;

/** The name of a trace without its folder and extensions, as inputs.Stem in Go. */
export function stem(path: string): string {
  const name = path.replace(/^.*\//, ''), packed = name.replace(/\.(gz|zst|zlib|zip|bz2|xz|tar|tgz)$/i, '');
  return packed === name || extensions.test(packed) ? packed.replace(/(.)\.[^.]*$/, '$1') : packed;
}

/** Returns items with different names: the second demo.ftrace is in the folder 2. */
export function distinct(list: Item[]): Item[] {
  const taken = new Set<string>();
  return list.map((item) => {
    let folder = '';
    for (let i = 2; taken.has(folder + item.name) || list.some(({name}) => name + '/' === folder); i++) folder = i + '/';
    taken.add(folder + item.name);
    if (!folder) return item;
    return {...item, name: folder + item.name, traces: item.traces.map((name) => folder + name), inputs: item.inputs.map(({path, file}) => ({path: `${inputFolder}/${folder}${path.slice(inputFolder.length + 1)}`, file}))};
  });
}
