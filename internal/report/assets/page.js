// The page shows one process at a time, and creates charts only for that one.
let plots = [];

function showProcess(id) {
  plots.forEach(p => p.remove());
  plots = [];
  hideBox();
  all("article").forEach(a => a.hidden = a.dataset.process !== id);
  all("tr[data-process]").forEach(r => r.classList.toggle("chosen", r.dataset.process === id));
  one("#process").value = id;
  const columns = data.processes[id];
  if (!columns) return;
  const article = one("#process-" + id), f = unpack(columns, data.periods[id]);
  plots = [
    timeChart(article, one(".time", article), f),
    histogramChart(one(".histogram", article), f),
    cumulativeChart(one(".cumulative", article), f),
  ];
}

// A cause shows only the late frames that have a share of it.
all(".cost").forEach(button => button.onclick = () => {
  const section = button.closest(".why"), chosen = button.getAttribute("aria-pressed") !== "true";
  all(".cost", section).forEach(b => b.setAttribute("aria-pressed", b === button && chosen));
  all(".late", section).forEach(f => f.hidden = chosen && !f.dataset.costs.split(" ").includes(button.dataset.cost));
});

// A link such as report.html#process-2 selects a process.
const asked = () => {
  const id = Number(location.hash.replace("#process-", ""));
  return String(id in data.processes ? id : 0);
};
if (data.processes.length) {
  one("#process").onchange = e => location.hash = "process-" + e.target.value;
  all("tr[data-process]").forEach(r => r.onclick = () => location.hash = "process-" + r.dataset.process);
  addEventListener("hashchange", () => showProcess(asked()));
  addEventListener("scroll", () => plots[0]?.place());
  addEventListener("keydown", e => e.key === "Escape" && plots[0]?.release());
  showProcess(asked());
}
