// The page shows one process at a time, and creates charts only for that one.
let plots = [], shownProcess = "";

function showProcess(id) {
  if (id === shownProcess) return;
  shownProcess = id;
  plots.forEach(p => p.remove());
  plots = [];
  hideBox();
  all("article").forEach(a => a.hidden = a.dataset.process !== id);
  all("tr[data-process]").forEach(r => r.classList.toggle("chosen", r.dataset.process === id));
  one("#process").value = id;
  if (!data.processes[id]) return;
  const article = one("#process-" + id), f = framesOf(id), time = timeChart(article, one(".time", article), f);
  stripBrush(one(".strip", article), time, f);
  plots = [time, histogramChart(one(".histogram", article), f), cumulativeChart(one(".cumulative", article), f)];
}

// stripBrush shows on the overview which part of the time the chart shows. Dragging over
// the overview selects another part, a click moves the chart there.
function stripBrush(strip, plot, f) {
  const area = one(".plots", strip), brush = one(".brush", strip), [from, to] = f.whole;
  const percent = t => (t - from) / (to - from) * 100 + "%";
  const timeAt = x => {
    const r = area.getBoundingClientRect();
    return from + Math.max(0, Math.min(1, (x - r.left) / r.width)) * (to - from);
  };
  const mark = (min, max) => {
    brush.hidden = max - min >= (to - from) * .999;
    brush.style.left = percent(min);
    brush.style.width = percent(from + max - min);
  };
  const {length, moments} = f.info;
  area.onmousemove = e => {
    const k = Math.floor((timeAt(e.clientX) - f.x[0]) / length), [late, judged, fps, refresh] = moments[k] ?? [];
    if (late === undefined || e.buttons) return hideBox();
    showBox(e.clientX, e.clientY, {
      title: `${(f.x[0] + k * length).toFixed(2)} s to ${(f.x[0] + (k + 1) * length).toFixed(2)} s`,
      rows: [["Jank rate", judged ? `${(late / judged * 100).toFixed(1)} %, ${late} of ${countFrames(judged)}` : "–"], ["FPS", fps ?? "–"], ["Refresh rate", refresh ? refresh + " Hz" : "–"]],
    });
  };
  area.onmouseleave = hideBox;
  let view = f.whole;
  plot.onzoom = v => mark(...(view = v));
  mark(...view);
  area.onpointerdown = e => {
    if (e.button) return;
    e.preventDefault();
    area.setPointerCapture(e.pointerId);
    const start = e.clientX;
    area.onpointermove = e => mark(...[timeAt(start), timeAt(e.clientX)].sort((a, b) => a - b));
    area.onpointerup = e => {
      area.onpointermove = area.onpointerup = null;
      const a = timeAt(start), b = timeAt(e.clientX), half = (view[1] - view[0]) / 2;
      if (Math.abs(e.clientX - start) > 4) plot.zoom(Math.min(a, b), Math.max(a, b));
      else plot.zoom(a - half, a + half);
    };
  };
}

// A cause shows only the late frames that have a share of it.
all(".cost").forEach(button => button.onclick = () => {
  const section = button.closest(".why"), chosen = button.getAttribute("aria-pressed") !== "true";
  all(".cost", section).forEach(b => b.setAttribute("aria-pressed", b === button && chosen));
  all(".late", section).forEach(f => f.hidden = chosen && !f.dataset.costs.split(" ").includes(button.dataset.cost));
});

// The headings of a table sort it: numbers from the largest, names from A. Unknown values
// come last.
const cellValue = cell => {
  const text = cell?.textContent.trim() ?? "", number = parseFloat(text);
  return cell?.matches(".n, .t") ? isNaN(number) ? null : number : text;
};
all("table.sortable").forEach(table => all("thead th", table).forEach(th => {
  const column = th.cellIndex, button = element("button", "", "sort"), numeric = th.classList.contains("n") || one("tbody tr", table).cells[column].matches(".t");
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

// A link such as report.html#process-2 selects a process, and #process-2@TIME the frame
// that starts at a time in nanoseconds.
function follow() {
  const first = one("#process").dataset.first;
  const [, id = first, time] = /^#process-(\d+)(?:@(\d+))?$/.exec(location.hash) ?? [];
  showProcess(id in data.processes ? id : first);
  if (time) plots[0]?.showAt(BigInt(time));
}
if (data.processes.length) {
  one("#process").onchange = e => location.hash = "process-" + e.target.value;
  all("tr[data-process]").forEach(r => r.onclick = () => location.hash = "process-" + r.dataset.process);
  addEventListener("hashchange", follow);
  addEventListener("scroll", () => plots[0]?.place());
  addEventListener("keydown", e => e.key === "Escape" && plots[0]?.release());
  follow();
}
