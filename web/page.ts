// The page: takes traces, runs commands on them, and shows what the commands write.
//
//   dropped, chosen ─▶ items ─▶ report or diff ─▶ a document in a frame ─▶ why, in another frame
//                                                                       └▶ open, in Perfetto

import {chosen, distinct, dropped, stem, type Item} from './inputs';
import {addressOf, show as showInPerfetto} from './perfetto';
import {Failure, Program, site, type Done} from './program';
import {inputFolder, type Input} from './protocol';
import {preferred, speak, spoken, store, stored, word, type Word} from './words';

declare const bridge: string; // the script of bridge.ts

const byID = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const program = new Program();

/** What is shown: a report on the items, or a comparison of those before with those after. */
interface Subject {
  items: Item[];
  /** Of each item, if they are compared: 0 before, 1 after, undefined neither. */
  sides?: (0 | 1 | undefined)[];
}

/** What commands are about. */
let subject: Subject | undefined;

/** The answer that is on the page, perhaps hidden. */
let shown: {subject: Subject; report: Blob; notes: string[]} | undefined;

// ---- What is visible

const places = ['drop', 'sides', 'busy'] as const;
type Place = typeof places[number] | 'answer';

function go(place: Place): void {
  for (const p of places) byID(p).hidden = p !== place;
  byID('about').hidden = place !== 'drop';
  byID('answer').hidden = byID('tools').hidden = place !== 'answer';
  document.body.classList.toggle('shown', place === 'answer');
  byID('problem').hidden = byID('notes').hidden = true;
}

/** Shows what the program says about what it has read, above the answer. */
function notes(lines: string[]): void {
  byID('notes').replaceChildren(...lines.map(paragraph));
  byID('notes').hidden = lines.length === 0;
}

/** Says something to those who listen to the page. */
function say(text: string): void {
  byID('status').textContent = text;
}

function paragraph(text: string): HTMLElement {
  const p = document.createElement('p');
  p.textContent = text;
  return p;
}

function problem(title: string, ...lines: string[]): void {
  const panel = byID('problem');
  panel.querySelector('h2')!.textContent = title;
  panel.querySelector('div')!.replaceChildren(...lines.filter(Boolean).map(paragraph));
  panel.hidden = false;
  panel.focus();
}

/** Shows the last answer again, or else the start page. */
function back(): void {
  subject = shown?.subject;
  heading();
  go(shown ? 'answer' : 'drop');
  if (shown) notes(shown.notes);
}

/** Goes back, and shows what is wrong. */
function fail(title: string, ...lines: string[]): void {
  back();
  problem(title, ...lines);
}

/** The lines of an error of the program, without its name. */
function linesOf(stderr: string): string[] {
  return stderr.split('\n').map((line) => line.startsWith('hint: --entry ') ? word('archiveHint') : line.replace(/^(ohframe|hint): /, '')).filter(Boolean);
}

function explainFailure(error: unknown): [string, ...string[]] {
  if (!(error instanceof Failure)) return [word('failedTrap'), String(error), word('failedTrapHint')];
  const what = error.message.split('\n').slice(0, 6);
  switch (error.why) {
    case 'memory': return [word('failedMemory'), word('failedMemoryHint')];
    case 'load': return [word('failedLoad'), ...what, word('failedLoadHint')];
    default: return [word('failedTrap'), ...what, word('failedTrapHint')];
  }
}

function heading(): void {
  const title = byID('title'), name = subject && nameOf(subject);
  const home = document.createElement('a');
  home.href = './' + location.search;
  home.textContent = word('home');
  title.replaceChildren(...name ? [name] : [home]);
  title.title = name ?? '';
  document.title = name ? `${name} – ohframe` : 'ohframe';
}

function nameOf({items, sides}: Subject): string {
  const names = (side?: 0 | 1): string => items.filter((_, i) => !sides || sides[i] === side).map((i) => i.name).join(', ');
  return sides ? `${names(0)} → ${names(1)}` : names();
}

function bytes(n: number): string {
  const mb = n / 1e6;
  return mb >= 1000 ? (mb / 1000).toFixed(1) + ' GB' : mb >= 1 ? mb.toFixed(mb < 10 ? 1 : 0) + ' MB' : Math.max(1, Math.round(n / 1e3)) + ' kB';
}

// ---- Commands

const inputsOf = (s: Subject): Input[] => s.items.flatMap((i) => i.inputs);

/** The arguments of a command that name what is shown. */
function argumentsOf({items, sides}: Subject): string[] {
  if (!sides) return ['--', ...items.map((i) => i.name)];
  const of = (side: 0 | 1): string[] => items.filter((_, i) => sides[i] === side).map((i) => i.name.replace(/^-/, './-')); // no flag
  return [...of(0), '--', ...of(1)];
}

/** Runs a command with a progress bar in place of what is shown. Returns undefined if it has failed, was cancelled or replaced. */
async function run(doing: string, s: Subject, args: string[], output: string): Promise<Done | undefined> {
  const bar = byID<HTMLProgressElement>('progress'), amount = byID('amount');
  bar.removeAttribute('value');
  amount.textContent = word('loading');
  byID('doing').textContent = doing;
  say(doing);
  go('busy');
  byID('cancel').focus();
  let told = 0;
  program.cancel(); // what was asked about another trace
  try {
    const done = await program.run(args, inputsOf(s), [output], (read, total) => {
      if (subject !== s) return;
      bar.value = total ? read / total : 0;
      amount.textContent = word('amount', bytes(read), bytes(total));
      const part = read >= total ? 4 : Math.floor(4 * read / total);
      if (part > told) say((told = part) === 4 ? word('working') : word('percent', 25 * part));
      if (part === 4) {
        bar.removeAttribute('value');
        amount.textContent = word('working');
      }
    });
    if (subject !== s) return undefined;
    if (done.outputs[output]) return done;
    fail(word('failed'), ...linesOf(done.stderr), word('failedHint'));
  } catch (error) {
    if (subject !== s) return undefined;
    if (error instanceof Failure && error.why === 'cancelled') {
      back();
      say(word('cancelled'));
      byID(shown ? 'title' : 'files').focus();
    } else fail(...explainFailure(error));
  }
  return undefined;
}

async function answer(s: Subject): Promise<void> {
  const name = nameOf(s);
  subject = s;
  heading();
  const output = '/out/report.html';
  const done = await run(word(s.sides ? 'comparing' : 'reading', name), s, s.sides ? ['diff', '-o', output, ...argumentsOf(s)] : ['report', '-o', output, ...argumentsOf(s)], output);
  if (!done) return;
  const report = done.outputs[output]!;
  shown = {subject: s, report, notes: [...linesOf(done.stderr), ...s.items.flatMap((i) => i.notes ?? []).map((note) => word(...note))]};
  tools();
  back();
  byID('answer').replaceChildren(frame(report, name, s));
  say(word(s.sides ? 'compared' : 'shown', name));
  byID('title').focus();
}

/** The style of a document's parts here: its title is above it already, and its buttons are those of bridge.ts. */
const embedded = 'header { position: absolute; clip-path: inset(50%); } .here { padding: 1px 8px; font-size: 12px; }';

/**
 * A document of the program in a frame of an origin of its own. It has the policy of the page, which lets the scripts of
 * reports run, and no others.
 */
function frame(document_: Blob, title: string, {items}: Subject): HTMLIFrameElement {
  const e = document.createElement('iframe');
  e.title = title;
  e.setAttribute('sandbox', 'allow-scripts allow-downloads');
  e.allow = 'clipboard-write';
  const words = JSON.stringify({why: word('why'), list: word('list'), perfetto: word('perfetto'), traces: items.flatMap((i) => i.traces)});
  const address = URL.createObjectURL(new Blob([document_, `<style>${embedded}</style><script type="application/json" id="words">${words}</script><script>${bridge}</script>`], {type: 'text/html; charset=utf-8'}));
  e.onload = () => URL.revokeObjectURL(address);
  e.src = address;
  return e;
}

/** Shows how far a command is whose answer does not replace what is shown. */
function task(text: string): void {
  byID('task').firstElementChild!.textContent = text;
  byID('task').hidden = text === '';
}

/** Runs a command of what is shown, beside it. Its progress is in the text that is passed on. */
async function beside(args: string[], output: string, tell: (text: string) => void, doing: string, inputs = inputsOf(subject!)): Promise<Done> {
  tell(doing);
  const done = await program.run(args, inputs, [output], (read, total) => tell(`${doing}: ${word('amount', bytes(read), bytes(total))}`));
  if (!done.outputs[output]) throw new Failed(done.stderr);
  return done;
}

/** A command that ended with an error. */
class Failed extends Error {}

function explain(error: unknown): [string, ...string[]] | undefined {
  if (error instanceof Failure && error.why === 'cancelled') return undefined;
  return error instanceof Failed ? [word('impossible'), ...linesOf(error.message)] : explainFailure(error);
}

// ---- Why

/** The flags that commands of reports may have. The page adds others itself. */
const flags = new Set(['--process', '--frame', '--interaction', '--layer', '--entry', '--from', '--to', '--clock-offset']);

/** The words of a shell command of a report; undefined if it is none that the page runs. */
function wordsOf(command: string): string[] | undefined {
  const list: string[] = [];
  for (const [, space, quoted, escaped, plain] of command.matchAll(/(\s+)|'([^']*)'|\\(.)|([^\s'\\]+)/g)) {
    if (space !== undefined || list.length === 0) list.push('');
    list[list.length - 1] += quoted ?? escaped ?? plain ?? '';
  }
  const end = list.indexOf('--');
  if (list[0] !== 'ohframe' || list[1] !== 'why' && list[1] !== 'open' || end < 0) return undefined;
  return list.slice(2, end).every((w, i) => i % 2 === 1 || flags.has(w)) ? list.slice(1) : undefined;
}

/** The command that the dialog shows, and another object after each change. */
let explained: string[] | undefined;

async function why(args: string[]): Promise<void> {
  explained = args;
  const s = subject!, dialog = byID<HTMLDialogElement>('why'), place = dialog.querySelector('.frame')!;
  const what = args.slice(1, args.indexOf('--')).flatMap((flag, i, list) => /^--(frame|interaction|layer)$/.test(flag) ? [flag.slice(2), list[i + 1]] : []).join(' ');
  const title = word('whyOf', what || word('whyAll'));
  byID('why-title').textContent = title;
  const text = paragraph('');
  text.setAttribute('role', 'status');
  place.replaceChildren(text);
  if (!dialog.open) dialog.showModal();
  byID('close').focus();
  const output = '/out/why.html';
  try {
    const done = await beside(['why', '-o', output, ...args.slice(1)], output, (t) => text.textContent = t, word('explaining', what || word('whyAll')));
    if (explained === args) place.replaceChildren(frame(done.outputs[output]!, title, s));
  } catch (error) {
    if (explained === args) place.replaceChildren(...explain(error)?.map(paragraph) ?? []);
  }
}

// ---- Perfetto

function perfettoAddress(): string {
  return stored('perfetto') ?? document.querySelector<HTMLMetaElement>('meta[name=perfetto]')!.content;
}

/** Opens a tab for Perfetto, at once: browsers allow it only when the user has just clicked. */
async function openInPerfetto(args: string[]): Promise<void> {
  const s = subject!, ui = addressOf(perfettoAddress());
  byID('problem').hidden = true;
  if (!ui) return problem(word('badAddress', perfettoAddress()), word('uiMeaning'));
  const tab = window.open('');
  if (!tab) return problem(word('popup'), word('popupHint'));
  tab.document.title = 'ohframe';
  say(word('converting', nameOf(s)));
  const tell = (text: string): void => {
    task(text);
    if (!tab.closed) tab.document.body.textContent = `${word('preparing')} ${text}`;
  };
  try {
    const doing = word('converting', nameOf(s)), fileName = s.sides ? both : saveName(s) + '.pftrace', output = '/out/' + fileName;
    let inputs = inputsOf(s), names = args.slice(1);
    if (s.sides) { // first on one timeline
      const merged = (await beside(['diff', '--merge', output, ...argumentsOf(s)], output, tell, doing)).outputs[output]!;
      inputs = [{path: `${inputFolder}/${both}`, file: new File([merged], both)}];
      names = ['--', both];
    }
    const done = await beside(['open', '-q', '-o', output, '--ui', ui.href, ...names], output, tell, doing, inputs);
    const address = (await done.stdout.text()).trim(), buffer = await done.outputs[output]!.arrayBuffer();
    task('');
    if (subject !== s) return tab.close();
    const came = tab.closed ? 'closed' : await showInPerfetto(tab, address, {buffer, title: nameOf(s), fileName});
    if (subject !== s) return;
    if (came === 'open') say(word('handedOver'));
    else if (came === 'closed') problem(word('tabClosed'));
    else problem(word('noAnswer', ui.origin), word('noAnswerHint'));
  } catch (error) {
    task('');
    tab.close();
    const text = explain(error);
    if (text) problem(...text);
  }
}

// ---- Save

/** The archive of two traces on one timeline. */
const both = 'both.tar';

function saveName({items, sides}: Subject): string {
  if (sides || items.length !== 1) return sides ? 'comparison' : 'report';
  return stem(items[0]!.name) || 'trace';
}

function download(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  say(word('saved', name));
}

/** What can be saved: its name in the menu, its file, and the command that writes it. */
function saves(s: Subject): [Word, string, string[]][] {
  const name = saveName(s), all = argumentsOf(s), verb = s.sides ? 'diff' : 'report';
  const list: [Word, string, string[]][] = [['saveReport', name + '.html', []]];
  if (!s.sides) list.unshift(...s.items.flatMap((i) => i.traces).map((trace): [Word, string, string[]] => ['saveTrace', stem(trace) + '.pftrace', ['convert', '-q', '--', trace]]));
  else if (isPair(s)) list.unshift(['saveBoth', both, ['diff', ...all]]);
  list.push(['saveJSON', name + '.json', [verb, ...all]]);
  if (!s.sides) list.push(['saveCSV', name + '.csv', ['report', ...all]], ['saveFrames', name + '.frames.csv', ['frames', ...all]]);
  return list;
}

/** Whether there is one trace, or one on each side. */
function isPair({items, sides}: Subject): boolean {
  const traces = items.map((item, i) => sides?.[i] === undefined && sides ? 0 : item.traces.length);
  return sides ? traces.filter(Boolean).length === 2 && Math.max(...traces) === 1 : items.length === 1 && traces[0] === 1;
}

async function save(file: string, command: string[]): Promise<void> {
  byID('problem').hidden = true;
  if (command.length === 0) return download(shown!.report, file);
  const output = '/out/' + file, flag = file.endsWith('.tar') ? '--merge' : '-o', inputs = inputsOf(subject!);
  say(word('saving', file));
  try {
    const done = await beside([command[0]!, flag, output, ...command.slice(1)], output, task, word('saving', file));
    task('');
    download(done.outputs[output]!, file);
  } catch (error) {
    task('');
    const itself = inputs.find(({path}) => path === `${inputFolder}/${command.at(-1)}`)?.file;
    if (command[0] === 'convert' && itself && error instanceof Failed && /: a Perfetto trace already$/m.test(error.message)) {
      download(itself, itself.name);
      return notes([word('already', itself.name)]);
    }
    const text = explain(error);
    if (text) problem(...text);
  }
}

// ---- The tools above a report

function tools(): void {
  const s = shown!.subject, compared = !!s.sides, menu = byID<HTMLDetailsElement>('save');
  byID('perfetto').textContent = word('perfetto');
  byID('perfetto').hidden = !isPair(s);
  byID('compare').hidden = s.items.length !== 1;
  byID('swap').hidden = !compared;
  byID('arrange').hidden = s.items.length < 2;
  menu.querySelector('div')!.replaceChildren(...saves(s).map(([text, file, command]) => {
    const button = document.createElement('button'), small = document.createElement('small');
    small.textContent = file;
    button.append(word(text), small);
    button.onclick = () => {
      menu.open = false;
      void save(file, command);
    };
    return button;
  }));
}

// ---- Which traces are compared

function arrange(list: Item[], before?: (0 | 1 | undefined)[]): void {
  const sides = before ?? list.map((_, i) => i < list.length / 2 ? 0 as const : 1 as const);
  subject = undefined;
  heading();
  byID('sides').querySelector('tbody')!.replaceChildren(...list.map((item, row) => {
    const tr = document.createElement('tr'), name = tr.insertCell(), size = tr.insertCell();
    name.textContent = item.name;
    size.textContent = bytes(item.size);
    size.className = 'n';
    for (const side of [0, 1] as const) {
      const radio = document.createElement('input');
      radio.type = 'radio';
      radio.name = 'side' + row;
      radio.checked = sides[row] === side;
      radio.setAttribute('aria-label', `${item.name}: ${word(side ? 'new' : 'base')}`);
      radio.onclick = () => { // of the side that it is on: it is on none
        sides[row] = sides[row] === side ? undefined : side;
        radio.checked = sides[row] === side;
        enable();
      };
      tr.insertCell().append(radio);
    }
    return tr;
  }));
  const enable = (): void => {
    byID<HTMLButtonElement>('diff').disabled = !sides.includes(0) || !sides.includes(1);
  };
  enable();
  byID('diff').onclick = () => void answer({items: list, sides});
  byID('all').onclick = () => void answer({items: list});
  byID('back').hidden = !shown;
  go('sides');
  byID('sides').querySelector('input')?.focus();
  say(word('sides'));
}

function take(list: Item[]): void {
  program.cancel(); // what is about other traces
  const different = distinct(list);
  switch (different.length) {
    case 0: return fail(word('noFiles'), word('noFilesHint'));
    case 1: return void answer({items: different});
    case 2: return void answer({items: different, sides: [0, 1]});
    default: return arrange(different);
  }
}

// ---- What the user does

function restart(): void {
  shown = undefined;
  byID('answer').replaceChildren();
  back();
  say('');
  byID('files').focus();
}

/** Lets the user choose files, and passes them on. */
function choose(input: HTMLInputElement, next: (list: Item[]) => void): void {
  input.value = '';
  input.onchange = () => next(chosen(input.files ?? []));
  input.click();
}

async function sample(): Promise<void> {
  try {
    const response = await fetch(site + 'demo.ftrace');
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    take(chosen([new File([await response.blob()], 'demo.ftrace')]));
  } catch (error) {
    fail(word('noSample'), error instanceof Error ? error.message : '', word('failedLoadHint'));
  }
}

function language(l: ReturnType<typeof spoken>): void {
  speak(l);
  byID('language').textContent = word('language');
  byID('language').lang = l === 'zh' ? 'en' : 'zh';
  heading();
  if (shown) tools();
}

/** The name of something that the page needs and the browser lacks. */
function missing(): string {
  if (typeof WebAssembly !== 'object' || !WebAssembly.compileStreaming) return 'WebAssembly';
  if (typeof Worker !== 'function') return 'Worker';
  return typeof HTMLDialogElement === 'function' ? '' : 'dialog';
}

function start(): void {
  document.documentElement.classList.add('js');
  byID('needs').hidden = true;
  language(preferred());
  go('drop');
  const lacks = missing();
  if (lacks) return fail(word('oldBrowser', lacks), word('oldBrowserHint'));

  byID('files').onclick = () => choose(byID('chosen'), take);
  byID('folder').onclick = () => choose(byID('chosen-folder'), take);
  byID('sample').onclick = () => void sample();
  byID('cancel').onclick = byID('stop').onclick = () => program.cancel();
  byID('back').onclick = back;
  byID('again').onclick = byID('dropped').onclick = restart;
  byID('perfetto').onclick = () => void openInPerfetto(['open', ...argumentsOf(subject!)]);
  byID('compare').onclick = () => {
    const before = subject!.items;
    choose(byID('chosen'), (list) => list.length && take([...before, ...list]));
  };
  byID('swap').onclick = () => {
    const {items, sides} = subject!;
    void answer({items, sides: sides!.map((side) => side === undefined ? side : side === 0 ? 1 : 0)});
  };
  byID('arrange').onclick = () => arrange(subject!.items, subject!.sides);
  byID('language').onclick = () => {
    const l = spoken() === 'zh' ? 'en' : 'zh';
    store('language', l);
    language(l);
  };
  byID('about').ontoggle = async () => {
    const version = await program.run(['version'], [], [], () => undefined).catch(() => undefined);
    byID('version').textContent = await version?.stdout.text() ?? '';
  };
  const ui = byID<HTMLInputElement>('ui');
  ui.value = perfettoAddress();
  ui.onchange = () => {
    ui.setCustomValidity(addressOf(ui.value) ? '' : word('badAddress', ui.value));
    if (ui.reportValidity()) store('perfetto', ui.value.trim());
  };
  const dialog = byID<HTMLDialogElement>('why');
  byID('close').onclick = () => dialog.close();
  dialog.onclose = () => {
    if (dialog.open) return; // again
    explained = undefined;
    dialog.querySelector('.frame')!.replaceChildren();
    byID('answer').querySelector('iframe')?.focus();
  };
  addEventListener('message', ({source, data}) => {
    const frame = [...document.querySelectorAll('iframe')].find((f) => f.contentWindow === source);
    if (!frame || typeof data !== 'object' || data === null) return;
    if (data.escape) return dialog.close();
    if (data.over) return document.body.classList.add('over');
    if (data.all && subject) return void why(dialog.contains(frame) && explained ? [explained[0]!, '--all', ...explained.slice(1)] : ['why', '--all', ...argumentsOf(subject)]);
    const args = typeof data.command === 'string' && subject ? wordsOf(data.command) : undefined;
    if (args) void (args[0] === 'why' ? why(args) : openInPerfetto(args));
  });

  addEventListener('dragover', (e) => {
    e.preventDefault();
    document.body.classList.add('over');
  });
  addEventListener('dragleave', (e) => e.relatedTarget || document.body.classList.remove('over'));
  addEventListener('drop', (e) => {
    e.preventDefault();
    document.body.classList.remove('over');
    if (e.dataTransfer) dropped(e.dataTransfer).then(take, () => fail(word('unreadable'), word('unreadableHint')));
  });
  const menu = byID<HTMLDetailsElement>('save');
  addEventListener('click', (e) => menu.contains(e.target as Node) || (menu.open = false));
  addEventListener('blur', () => menu.open = false); // the report has the focus
  addEventListener('keydown', (e) => {
    if (e.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary')!.focus();
  });
  addEventListener('beforeunload', (e) => byID('busy').hidden || e.preventDefault());

  program.load().catch((error: unknown) => fail(...explainFailure(error)));
  void keep();
}

/** Keeps the site for when there is no connection, where the browser allows it. */
async function keep(): Promise<void> {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (!workers) return;
  let replaced = false;
  workers.addEventListener('controllerchange', () => replaced && location.reload()); // not after the first version
  try {
    const registration = await workers.register('sw.js');
    const offer = (): void => {
      const waiting = registration.waiting;
      if (!waiting || !workers.controller) return;
      byID('reload').onclick = () => {
        replaced = true;
        waiting.postMessage('replace');
      };
      byID('update').hidden = false;
    };
    registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', offer));
    offer();
  } catch {
    // The page works, but not without a connection.
  }
}

start();
