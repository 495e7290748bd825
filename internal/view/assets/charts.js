// What the charts share.

const data = JSON.parse(document.getElementById("data").textContent);
const bit = name => 1 << data.marks.indexOf(name);
const lateBit = data && bit("late-app");
const css = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name);
const countFrames = n => n + (n === 1 ? " frame" : " frames");
const ms = x => x.toFixed(1) + " ms";

// The box beside the pointer. Its content is always set as text, never as HTML.
const box = document.getElementById("facts");

// showBox shows facts: a title with the style of a mark, a cause, rows of a name and a text or
// an element, lines of text, and further elements. It is on the right of x or, without room, on
// the left of left.
function showBox(x, y, {style, title, cause = "", rows = [], lines = [], more = []}, left = x) {
  const heading = element("p", "", "name");
  if (style) heading.append(element("i", "", style));
  heading.append(title);
  const list = document.createElement("dl");
  for (const [name, value] of rows) {
    const dd = document.createElement("dd");
    dd.append(value);
    list.append(element("dt", name), dd);
  }
  box.replaceChildren(heading, ...cause ? [element("p", cause, "cause")] : [], list, ...more);
  if (lines.length) {
    const ul = document.createElement("ul");
    ul.append(...lines.map(l => element("li", l)));
    box.append(ul);
  }
  box.hidden = false;
  const at = x + 16 + box.offsetWidth < innerWidth ? x + 16 : Math.max(4, left - 16 - box.offsetWidth);
  const top = Math.max(4, Math.min(y + 12, innerHeight - box.offsetHeight - 8));
  box.style.transform = `translate(${Math.round(at)}px, ${Math.round(top)}px)`;
}

function hideBox() {
  box.hidden = true;
  box.classList.remove("kept");
}

// unpack converts the columns of a process to what charts draw: times in seconds
// of trace time and durations in milliseconds. Unknown values are NaN.
function unpack(id) {
  const c = data.processes[id], periods = data.periods[id];
  const n = c.start.length, base = Number(c.base) / 1e9;
  const f = {n, info: data.info[id], columns: c, base: BigInt(c.base), after: new Float64Array(n), x: new Float64Array(n), duration: c.duration.map(d => d / 1e6)};
  let at = 0;
  c.start.forEach((d, i) => {
    f.after[i] = at += d;
    f.x[i] = base + at / 1e9;
  });
  f.whole = c.whole.map(t => base + t / 1e9);
  f.work = f.duration.map((d, i) => d + c.tail[i] / 1e6);
  f.budget = c.budget.map(b => b === null ? NaN : b / 1e6);
  f.mark = c.marks.map(m => 31 - Math.clz32(m)); // the last mark decides the colour
  f.late = i => (c.marks[i] & lateBit) !== 0;
  f.sorted = Float64Array.from(f.duration).sort();
  f.usualBudget = percentile(Float64Array.from(f.budget.filter(b => b > 0)).sort(), 50) ?? 0;
  f.longest = f.work.reduce((a, b) => Math.max(a, b), 0);
  f.periods = periods;
  f.period = Math.max(0, ...periods);
  return f;
}

// percentile returns a percentile by nearest rank, as in the tables.
const percentile = (sorted, p) => sorted[Math.ceil(p * sorted.length / 100) - 1];

// below returns the number of values of a sorted list that are less than x.
function below(list, x) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

function seconds(f, i) {
  const at = String(f.base + BigInt(f.after[i])).padStart(10, "0");
  return at.slice(0, -9) + "." + at.slice(-9);
}

// steps are the possible steps of an axis, from 1e-6 up to beyond 2^64 ns in seconds.
const steps = Array.from({length: 63}, (_, i) => [1, 2, 5][i % 3] * 10 ** (Math.floor(i / 3) - 6));

function axis(more) {
  const stroke = () => css("line");
  return {stroke: () => css("soft"), font: "12px system-ui, sans-serif", grid: {stroke, width: 1}, ticks: {stroke, width: 1, size: 4}, gap: 4, ...more};
}

// axisWidth returns the width of a y axis with the given labels.
const axisWidth = (u, labels) => Math.max(58, ...(labels ?? []).map(l => 14 + 7 * String(l).length));

// Charts are drawn anew when the colours change.
const palettes = [matchMedia("(prefers-color-scheme: dark)"), matchMedia("print")];

// chart creates a uPlot that draws only axes and the optional line.
function chart(host, lists, options) {
  const u = new uPlot({
    width: host.clientWidth, height: host.clientHeight, padding: [12, 30, 0, 0], legend: {show: false}, ...options,
    series: [{}, {paths: () => null, points: {show: false}, ...options.line}],
  }, lists, host);
  u.over.addEventListener("mouseleave", () => box.classList.contains("kept") || hideBox());
  const resize = new ResizeObserver(() => host.clientWidth && u.setSize({width: host.clientWidth, height: host.clientHeight}));
  resize.observe(host);
  const life = new AbortController(); // of listeners
  palettes.forEach(p => p.addEventListener("change", () => u.redraw(), {signal: life.signal}));
  return {u, alive: life.signal, remove() {
    resize.disconnect();
    life.abort();
    u.destroy();
  }};
}

// clipped calls draw with drawing limited to the chart's area.
function clipped(u, draw) {
  const {ctx, bbox} = u;
  ctx.save();
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx, bbox, devicePixelRatio);
  ctx.restore();
}
