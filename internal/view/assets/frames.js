// The frames of a process over time, their histogram and their cumulative distribution. The
// data has the number of the process in the shared data and the marks that its frames can
// have: [{id, name, term, count}].

kinds.frames = (host, {process, marks}) => {
  const f = framesOf(process);
  const statuses = element("div", "", "statuses"), tools = element("div", "", "tools"), bar = element("div", "", "bar");
  statuses.setAttribute("role", "group");
  statuses.setAttribute("aria-label", "Show only frames that are");
  for (const m of marks) {
    if (one("[data-mark=no-deadline]", statuses) && !one(".also", statuses)) statuses.append(element("span", "of these", "also")); // the three before are all frames
    const button = element("button", "", "status " + m.id);
    button.append(element("i", ""), m.name + " ", element("b", m.count));
    button.title = m.term;
    button.disabled = !m.count;
    button.dataset.mark = m.id;
    statuses.append(button);
  }
  for (const [action, text, title] of [
    ["previous", "‹ late", "Go to the previous late frame"], ["next", "late ›", "Go to the next late frame"],
    ["farther", "−", "Show more time"], ["closer", "+", "Show less time"], ["tall", "full height", "Fit the longest frame"],
    ["all", "whole trace", "Show the whole trace"], ["save", "CSV", "Download the late frames as CSV"],
    ["help", "?", "Drag to zoom, double-click to zoom out. Ctrl + wheel zooms, Shift + wheel or Shift + drag moves. Click a frame to keep its details open. " +
      "Arrow keys go from frame to frame. A bar is a frame: its height is its duration, its foot reaches from its start to its end, its pale top is GPU work. Where bars would not fit, stronger colours are more frames."],
  ]) {
    const button = element("button", text);
    button.title = title;
    if (text.length === 1) button.setAttribute("aria-label", text === "?" ? "Help" : title);
    button.dataset.do = action;
    tools.append(button);
  }
  bar.append(statuses, tools);
  const time = element("div", "", "chart time"), help = element("p", "", "hint"), two = element("div", "", "two");
  time.tabIndex = 0;
  time.setAttribute("role", "group");
  time.setAttribute("aria-label", "Frame durations over time. Left and right arrow keys go from frame to frame, plus and minus zoom.");
  help.hidden = true;
  const strip = stripOf(f);
  host.replaceChildren(...strip ? [strip] : [], bar, time, help, two);
  const small = [["histogram", "Histogram", "frames by duration, ms"], ["cumulative", "Cumulative distribution", "share of frames up to a duration, ms"]].map(([name, title, about]) => {
    const figure = element("figure", ""), caption = element("figcaption", title + " "), chart = element("div", "", "chart " + name);
    caption.append(element("small", about));
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", `${title}: ${about}`);
    figure.append(caption, chart);
    two.append(figure);
    return chart;
  });
  const plot = timeChart(host.closest("article"), time, f);
  one("[data-do=help]", tools).onclick = e => {
    help.textContent = e.target.title;
    help.hidden = !help.hidden;
  };
  if (strip) stripBrush(strip, plot, f);
  const plots = [plot, histogramChart(small[0], f), cumulativeChart(small[1], f)];
  return {...plot, charts: plots, remove() {
    plots.forEach(p => p.remove());
    host.replaceChildren();
  }};
};

// stripOf returns the overview of the whole time: the jank rate, if it is known, above the frame
// and refresh rates. Its drawings are 1000 wide and 100 high, and stretched. It is null if nothing
// is to be drawn.
function stripOf(f) {
  const {length, moments} = f.info, [from, to] = f.whole;
  if (!moments.length || to <= from) return null;
  const rate = ([late, judged]) => judged ? late / judged : 0;
  const roundUp = x => [1, 1.5, 2, 3, 5, 7, 10].map(s => s * 10 ** Math.floor(Math.log10(x))).find(s => x <= s * (1 + 1e-9));
  const most = of => moments.reduce((most, m) => Math.max(most, of(m)), 0);
  const jankTop = Math.min(1, roundUp(Math.max(.05, most(rate)))), rateTop = roundUp(Math.max(10, most(m => Math.max(m[2] ?? 0, m[3]))) * 1.05);
  const x = t => Math.min(1000, 1000 * (t - from) / (to - from)).toFixed(1);
  let jank = "";
  const lines = {fps: "", refresh: ""}, before = {};
  moments.forEach((m, k) => {
    const left = x(f.x[0] + k * length), right = x(f.x[0] + (k + 1) * length);
    if (m[0]) jank += `M${left} 100V${(100 - 100 * rate(m) / jankTop).toFixed(1)}H${right}V100Z`;
    for (const [name, value] of [["fps", m[2]], ["refresh", m[3] || null]]) {
      const y = (100 - 100 * value / rateTop).toFixed(1);
      if (value !== null) lines[name] += (before[name] ? `V${y}` : `M${left} ${y}`) + `H${right}`;
      before[name] = value !== null;
    }
  });
  const strip = element("div", "", "strip"), plots = element("div", "", "plots"), labels = element("div", "", "labels"), legend = element("ul", "", "legend"), brush = element("i", "", "brush");
  const drawing = (label, paths) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of Object.entries({viewBox: "0 0 1000 100", preserveAspectRatio: "none", role: "img", "aria-label": label})) svg.setAttribute(name, value);
    for (const [name, d] of paths) {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", name);
      path.setAttribute("d", d);
      svg.append(path);
    }
    return svg;
  };
  brush.hidden = true;
  const jankKnown = moments.some(m => m[1]);
  if (jankKnown) {
    plots.append(drawing("Jank rate over time", [["jank", jank]]));
    labels.append(element("span", (100 * jankTop).toFixed(0) + " %"));
  }
  plots.append(drawing("Frame rate and refresh rate over time", [["refresh", lines.refresh], ["fps", lines.fps]]), brush);
  labels.append(element("span", rateTop.toFixed(0) + " Hz"));
  for (const [name, text] of [...jankKnown ? [["jank", "jank rate"]] : [], ["fps", "FPS while animating"], ["refresh", "refresh rate"]]) {
    const item = element("li", "");
    item.append(element("i", "", name), text);
    legend.append(item);
  }
  legend.append(element("li", `in parts of ${length.toFixed(2)} s`));
  strip.append(labels, plots, legend);
  return strip;
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
