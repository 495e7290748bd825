// Runs in a report that the page shows. Reports name commands that explain a frame, an interaction or a layer and that
// open them in Perfetto: here, each gets buttons that do so. The page gets the command as a text.

interface Words {
  why: string;
  list: string;
  perfetto: string;
}

// What a script of reports calls to go to a part of them.
interface Window {
  visit(link: string): void;
}

const {why, list, perfetto} = JSON.parse(document.getElementById('words')?.textContent ?? '{}') as Words;

function addButtons(line: Element): void {
  const command = line.querySelector('code')?.textContent ?? '', verb = /^ohframe (why|open) /.exec(command)?.[1];
  if (!verb || line.querySelector('.here')) return;
  const add = (text: string, of: string): void => {
    const button = document.createElement('button');
    button.className = 'here';
    button.textContent = text;
    button.onclick = () => parent.postMessage({command: of}, '*');
    line.append(button);
  };
  if (verb === 'open' && /^[^']*? --frame /.test(command)) add(why, command.replace(' open ', ' why '));
  if (verb === 'why') add(why, command);
  else add(perfetto, command);
}

/** Where a report says how to list all in a terminal, there is a button that does it. */
function listAll(line: Element): void {
  const text = line.lastChild, more = text?.nodeValue?.replace(/; (ohframe why )?--all lists all\s*$/, '');
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
  document.querySelectorAll('li.others, p.hint').forEach(listAll);
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
