// Runs in a report that the page shows. Reports name commands that explain a frame, an interaction or a layer and that
// open them in Perfetto: here, each gets buttons that do so. The page gets the command as a text.

interface Words {
  why: string;
  perfetto: string;
}

const {why, perfetto} = JSON.parse(document.getElementById('words')?.textContent ?? '{}') as Words;

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
  if (verb === 'open' && /^[^']*? --frame /.test(command)) add(why, command.replace(' open ', ' why ').replace(/^([^']*?) --at \S+/, '$1'));
  if (verb === 'why') add(why, command);
  else add(perfetto, command);
}

const look = (): void => document.querySelectorAll('.copy').forEach(addButtons);
look();
new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
// The page takes what is dragged over a report: it looks through the frame then.
for (const kind of ['dragenter', 'dragover', 'drop']) {
  addEventListener(kind, (e) => {
    e.preventDefault();
    parent.postMessage({over: true}, '*');
  });
}
addEventListener('keydown', (e) => {
  if (e.key === 'Escape' && !e.defaultPrevented) parent.postMessage({escape: true}, '*');
});
