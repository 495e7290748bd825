// Runs in a report that the page shows. Reports name commands that explain a frame, an interaction or a layer and that
// open them in Perfetto: here, each gets buttons that do so. The page gets the command as a text.

interface Words {
  why: string;
  list: string;
  perfetto: string;
  /** The names of traces in commands. */
  traces: string[];
}

// What a script of reports calls to go to a part of them.
interface Window {
  visit(link: string): void;
}

const {why, list, perfetto, traces} = JSON.parse(document.getElementById('words')?.textContent ?? '{}') as Words;

/** Adds a button that runs a command. */
function add(to: Element, text: string, command: string): void {
  const button = document.createElement('button');
  button.className = 'here';
  button.textContent = text;
  button.onclick = () => parent.postMessage({command}, '*');
  to.append(button);
}

function addButtons(line: Element): void {
  const command = line.querySelector('code')?.textContent ?? '', verb = /^ohframe (why|open) /.exec(command)?.[1];
  if (!verb || line.querySelector('.here')) return;
  const any = /^ohframe \w+ --(?:interaction N|layer NAME)((?: --\S+ \S+)*) (.+)$/.exec(command);
  if (any) return addForEach(line, command.slice(0, command.lastIndexOf(any[1]! + ' ' + any[2]!)), any[1]!, any[2]!);
  if (verb === 'open' && /^[^']*? --frame /.test(command)) add(line, why, command.replace(' open ', ' why '));
  add(line, verb === 'why' ? why : perfetto, command);
}

/**
 * A report names the command for interaction N or layer NAME once, with the name of the trace without its folder. Here,
 * each interaction and layer beside that line has a button instead, if it is clear which trace is meant.
 */
function addForEach(line: Element, command: string, flags: string, word: string): void {
  const file = word.replace(/'([^']*)'|\\(.)/g, (_, quoted, escaped) => quoted ?? escaped).replace(/^\.\//, '');
  const [trace, another] = traces.filter((name) => name.replace(/^.*\//, '') === file);
  if (trace === undefined || another !== undefined) return;
  const text = command.includes(' why ') ? why : perfetto, rest = `${flags} -- '${trace.replaceAll("'", `'\\''`)}'`;
  for (const e of line.closest('section')?.querySelectorAll('li[id], tbody tr') ?? []) {
    const id = /-(\d+)$/.exec(e.id)?.[1] ?? e.querySelector('td')?.textContent, place = e.querySelector('.head, td.name');
    if (id && place) add(place, text, command.replace(/(N|NAME)$/, id) + rest);
  }
  line.closest('.note')?.remove();
}

/** Where a report says how to list all in a terminal, there is a button that does it. */
function listAll(line: Element): void {
  const text = line.lastChild, more = text?.nodeValue?.replace(/; (ohframe why )?--all (lists all|shows more of them)\s*$/, '');
  if (!text || more === undefined || more === text.nodeValue) return;
  text.nodeValue = more + ' ';
  const button = document.createElement('button');
  button.className = 'here';
  button.textContent = list;
  button.onclick = () => parent.postMessage({all: true}, '*');
  line.append(button);
}

function look(): void {
  document.querySelectorAll('.copy').forEach(addButtons);
  document.querySelectorAll('li.others, p.hint, p.note').forEach(listAll);
}
look();
new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
// The page takes what is dragged over a report: it looks through the frame then.
for (const kind of ['dragenter', 'dragover', 'drop']) {
  addEventListener(kind, (e) => {
    e.preventDefault();
    parent.postMessage({over: true}, '*');
  });
}
// Browsers do not let the frame follow links to its own parts, because its address is one of the page's origin, but let
// it enter what comes of that into the history.
window.visit = (link) => {
  if (decodeURI(location.hash) !== '#' + link) history.pushState(null, '', '#' + link);
  dispatchEvent(new HashChangeEvent('hashchange'));
};
addEventListener('click', (e) => {
  const link = e.target instanceof Element ? e.target.closest('a[href^="#"]')?.getAttribute('href')?.slice(1) : undefined;
  if (!link || e.defaultPrevented) return;
  e.preventDefault();
  window.visit(link);
  document.getElementById(link)?.scrollIntoView();
});
addEventListener('keydown', (e) => {
  if (e.key === 'Escape' && !e.defaultPrevented) parent.postMessage({escape: true}, '*');
});
