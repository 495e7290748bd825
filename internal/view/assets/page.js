// The page shows one of the sections that can be picked at a time, and creates charts only
// for what is shown.
const picked = all("article[data-pick]");
let plots = [], shown = null;

function draw(within) {
  return all("[data-chart]", within).filter(c => within !== document || !c.closest("[data-pick]")).map(c => kinds[c.dataset.chart](one(".host", c), JSON.parse(one("script", c).textContent)));
}

function pick(article) {
  if (article === shown) return;
  shown = article;
  plots.forEach(p => p.remove?.());
  if (typeof hideBox !== "undefined") hideBox();
  picked.forEach(a => a.hidden = a !== article);
  all("tr[data-link]").forEach(r => r.classList.toggle("chosen", r.dataset.link === article.id));
  one("#pick").value = article.id;
  plots = draw(article);
}

// A cause shows only the late frames that have a share of it.
all("button.cost").forEach(button => button.onclick = () => {
  const section = button.closest(".panel"), chosen = button.getAttribute("aria-pressed") !== "true", within = button.closest("article") ?? document;
  all("button.cost", section).forEach(b => b.setAttribute("aria-pressed", b === button && chosen));
  all(".case", within).forEach(c => c.hidden = chosen && !c.dataset.tags.split(" ").includes(button.dataset.tag));
});

all(".copy").forEach(line => one("button", line) && copyOnClick(one("button", line), one("code", line).textContent));
all("tr[data-link]").forEach(r => r.onclick = e => e.target.closest("a, button") || visit(r.dataset.link));
all("[data-at]").forEach(b => b.onclick = e => {
  e.preventDefault();
  const link = b.closest("article")?.id;
  if (link) visit(`${link}@${b.dataset.at}`);
  plots.find(p => p.showAt)?.showAt(BigInt(b.dataset.at));
});

// The headings of a table sort it: numbers from the largest, names from A. Unknown values
// come last.
const cellValue = cell => {
  const text = cell?.textContent.trim() ?? "", number = parseFloat(text) * (text.endsWith(" s") ? 1000 : 1); // times may be in ms and s
  return cell?.matches(".n") ? isNaN(number) ? null : number : text;
};
all("table.sortable").forEach(table => all("thead th", table).forEach(th => {
  const column = th.cellIndex, button = element("button", "", "sort"), numeric = th.classList.contains("n");
  button.append(...th.childNodes);
  th.append(button);
  button.onclick = () => {
    const up = th.ariaSort === null ? !numeric : th.ariaSort === "descending", body = one("tbody", table);
    all("thead th", table).forEach(other => other.ariaSort = null);
    th.ariaSort = up ? "ascending" : "descending";
    const rows = [...body.rows].map(row => [cellValue(row.cells[column]), row]);
    rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null) : (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1));
    body.append(...rows.map(r => r[1]));
  };
}));

// visit does what a link does. web/bridge.ts has another for the frame of the page, which cannot follow links.
function visit(link) {
  location.hash = link;
}

// A link such as report.html#process-2 picks a section, and #process-2@TIME the frame that
// starts at a time in nanoseconds.
function follow() {
  const [, id, time] = /^#([^@]+)(?:@(\d+))?$/.exec(decodeURI(location.hash)) ?? [];
  const target = id && document.getElementById(id), wanted = target?.closest("article[data-pick]");
  pick(wanted ?? (target && shown) ?? document.getElementById(one("#pick").dataset.first) ?? picked[0]);
  if (wanted && target !== wanted) target.scrollIntoView();
  if (time) plots.find(p => p.showAt)?.showAt(BigInt(time));
}
draw(document);
if (picked.length) {
  one("#pick").onchange = e => visit(e.target.value);
  addEventListener("hashchange", follow);
  addEventListener("scroll", () => plots[0]?.place?.());
  addEventListener("keydown", e => e.key === "Escape" && plots[0]?.release?.());
  follow();
}
