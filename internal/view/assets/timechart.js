// timeChart draws frames over time. A frame is a thin bar whose height is its duration,
// with a foot from its start to its end. A line from its start to its deadline has the
// height of the time between them. Where frames are too dense for bars, it draws how many
// there are of each duration.
function timeChart(article, host, f) {
  const panel = host.closest(".panel"), c = f.columns, whole = f.whole, hot = element("div", "", "hot");
  const paintOrder = [...data.marks.keys()].sort((a, b) => (data.marks[a] === "empty" ? -1 : a) - (data.marks[b] === "empty" ? -1 : b));
  let view = whole, filter = 0, tall = false, chosen = -1, kept = false;

  const shown = i => !filter || (c.marks[i] & filter) !== 0;
  const end = i => f.x[i] + f.duration[i] / 1e3;

  // top returns the end of the y axis. It cuts off a few very long frames, which
  // would make all others flat. Deadlines are seen.
  function top(longest) {
    const limit = Math.max(3 * f.period, 1.5 * percentile(f.sorted, 95));
    return Math.max(1.3 * f.period, 1.15 * f.usualBudget, 1.1 * (tall || longest < 1.6 * limit ? longest : limit), 1e-3);
  }

  function zoom(min, max) {
    const length = Math.min(Math.max(max - min, 1e-4), whole[1] - whole[0]);
    min = Math.max(whole[0], Math.min((min + max - length) / 2, whole[1] - length));
    view = [min, min + length];
    plot.u.setScale("x", {min: view[0], max: view[1]});
    plot.onzoom?.(view);
  }

  const pan = by => zoom(view[0] + by, view[1] + by);

  // zoomAt changes the length of the view. The time at stays where it is.
  const zoomAt = (at, by) => zoom(at - (at - view[0]) * by, at + (view[1] - at) * by);

  function draw(u) {
    const {min, max} = u.scales.x;
    clipped(u, (ctx, bbox, dpr) => {
      const perSecond = bbox.width / (max - min), perMs = bbox.height / u.scales.y.max;
      const v = {
        ctx, dpr, perSecond, perMs, left: bbox.left, top: bbox.top, width: bbox.width, height: bbox.height, floor: bbox.top + bbox.height,
        first: below(f.x, min - f.longest / 1e3), last: below(f.x, max), x: i => bbox.left + (f.x[i] - min) * perSecond,
      };
      const dense = v.last - v.first > bbox.width / dpr / 2;
      const cut = dense ? drawDensity(v) : drawBars(v);
      drawCut(v, cut);
    });
    panel.style.setProperty("--axis", u.bbox.left / devicePixelRatio + "px");
    place();
  }

  // drawBars returns the frames that are higher than the chart.
  function drawBars(v) {
    const {ctx, dpr, floor} = v, cut = [];
    for (const mark of paintOrder) {
      ctx.fillStyle = css(data.marks[mark]);
      for (let i = v.first; i < v.last; i++) {
        if (f.mark[i] !== mark || !shown(i)) continue;
        const x = v.x(i), full = f.duration[i] / 1e3 * v.perSecond, width = Math.min(Math.max(1.5 * dpr, full - dpr), 7 * dpr);
        const solid = Math.max(dpr, f.duration[i] * v.perMs), height = Math.max(dpr, f.work[i] * v.perMs);
        ctx.fillRect(x, floor - solid, width, solid);
        if (full > width) ctx.fillRect(x, floor - 3 * dpr, full, 3 * dpr);
        if (height > solid) {
          ctx.globalAlpha = .5;
          ctx.fillRect(x, floor - height, width, height - solid);
          ctx.globalAlpha = 1;
        }
        if (height > v.height) cut.push(i);
      }
    }
    ctx.fillStyle = css("deadline");
    ctx.globalAlpha = .7;
    for (let i = v.first; i < v.last; i++)
      if (shown(i) && f.budget[i] > 0) ctx.fillRect(v.x(i), floor - f.budget[i] * v.perMs - .75 * dpr, Math.max(1.5 * dpr, f.budget[i] / 1e3 * v.perSecond), 1.5 * dpr);
    ctx.globalAlpha = 1;
    return cut;
  }

  // drawDensity counts the frames in cells of 2 by 2 pixels. A cell with late frames has
  // their colour, any other that of frames on time. More frames make it more opaque. The
  // pale ground is from the shortest frame of a column to the longest. The deadline is the
  // latest of a column.
  function drawDensity(v) {
    const {ctx, dpr, floor} = v, size = 2 * dpr, columns = Math.ceil(v.width / size), rows = Math.ceil(v.height / size), cut = [];
    const counts = [new Uint32Array(columns * rows), new Uint32Array(columns * rows)], marks = new Int8Array(columns * rows).fill(-1);
    const least = new Float64Array(columns).fill(Infinity), most = new Float64Array(columns), deadlines = new Float64Array(columns);
    for (let i = v.first; i < v.last; i++) {
      const column = Math.floor((v.x(i) - v.left) / size);
      if (column < 0 || column >= columns || !shown(i)) continue;
      const height = f.work[i] * v.perMs, row = Math.min(rows - 1, Math.floor(height / size)), cell = column * rows + row, late = f.late(i);
      if (height > v.height) cut.push(i);
      least[column] = Math.min(least[column], height);
      most[column] = Math.max(most[column], height);
      counts[+late][cell]++;
      if (late) marks[cell] = Math.max(marks[cell], f.mark[i]);
      else if (!counts[1][cell]) marks[cell] = marks[cell] < 0 ? f.mark[i] : Math.min(marks[cell], f.mark[i]);
      if (f.budget[i] > 0) deadlines[column] = Math.max(deadlines[column], f.budget[i] * v.perMs);
    }
    // A single late frame is easy to see, unless there are so many that they would be a wall.
    const faintest = [.4, Math.max(.3, .6 - (v.last - v.first) / columns / 1000)];
    const colours = data.marks.map(css), fullest = Math.max(...counts.map(list => list.reduce((a, b) => Math.max(a, b), 1)));
    ctx.fillStyle = colours[0];
    ctx.globalAlpha = .16;
    for (let k = 0; k < columns; k++)
      if (most[k] >= least[k]) ctx.fillRect(v.left + k * size, floor - most[k], size, Math.max(dpr, most[k] - least[k]));
    marks.forEach((mark, cell) => {
      if (mark < 0) return;
      const late = +(counts[1][cell] > 0), column = Math.floor(cell / rows), row = cell % rows;
      ctx.fillStyle = colours[mark];
      ctx.globalAlpha = faintest[late] + (1 - faintest[late]) * Math.sqrt(counts[late][cell] / fullest);
      ctx.fillRect(v.left + column * size, floor - (row + 1) * size, size, size);
    });
    ctx.fillStyle = css("deadline");
    ctx.globalAlpha = .7;
    for (let k = 0; k < columns; k++)
      if (deadlines[k]) ctx.fillRect(v.left + k * size, floor - deadlines[k] - .75 * dpr, size, 1.5 * dpr);
    ctx.globalAlpha = 1;
    return cut;
  }

  // drawCut labels frames above the top of the chart with their duration, or counts them.
  function drawCut({ctx, dpr, x, top, left, width}, cut) {
    const label = (text, at, colour) => {
      const long = ctx.measureText(text).width + 8 * dpr;
      at = Math.min(at, left + width - long);
      ctx.fillStyle = css("panel");
      ctx.fillRect(at, top, long, 16 * dpr);
      ctx.fillStyle = colour;
      ctx.fillText(text, at + 4 * dpr, top + 3 * dpr);
      return at + long + 4 * dpr;
    };
    if (cut.length > 12) {
      label(`↑ ${cut.length} longer`, left + width, css("soft"));
      return;
    }
    let free = -Infinity;
    for (const i of cut.sort((a, b) => a - b)) if (x(i) >= free) free = label("↑ " + Math.round(f.work[i]), x(i), css(data.marks[f.mark[i]]));
  }

  // at returns the frame at x pixels from the left. Of several it returns the
  // worst.
  function at(u, x) {
    const t = u.posToVal(x, "x"), perSecond = u.over.clientWidth / (view[1] - view[0]);
    const end = below(f.x, t + 8 / perSecond);
    let best = -1, least = [9];
    for (let i = end - 1; i >= 0 && i > end - 5000; i--) {
      if (!shown(i)) continue;
      const from = (f.x[i] - t) * perSecond, to = from + f.duration[i] / 1e3 * perSecond;
      let away = Math.max(0, from, -to);
      if (to - from < 4 && away <= 2) away = 0;
      const rank = [away, f.late(i) ? 0 : 1, -f.work[i]];
      const differs = rank.findIndex((r, k) => r !== least[k]);
      if (differs >= 0 && !(rank[differs] > least[differs])) [best, least] = [i, rank];
    }
    return best;
  }

  // place moves the highlight and the box to the chosen frame.
  function place() {
    hot.hidden = chosen < 0;
    if (chosen < 0) return;
    const u = plot.u, x = u.valToPos(f.x[chosen], "x"), right = u.valToPos(end(chosen), "x");
    hot.style.left = x - 2 + "px";
    hot.style.width = Math.max(1, right - x) + 4 + "px";
    hot.classList.toggle("kept", kept);
    const area = u.over.getBoundingClientRect();
    const y = Math.max(0, u.valToPos(Math.min(f.work[chosen], u.scales.y.max), "y"));
    box.classList.toggle("kept", kept);
    if (right < 0 || x > area.width || area.bottom < 80 || area.top > innerHeight) hideBox();
    else showBox(area.left + Math.min(right, area.width), area.top + y - 20, describeFrame(f, chosen), area.left + Math.max(0, x));
  }

  function choose(i, keep) {
    chosen = i;
    kept = keep;
    if (i < 0) hideBox();
    place();
  }

  // show scrolls and zooms to a frame and keeps its box open.
  function show(i) {
    const room = Math.max(.012 * (f.period || 16), f.work[i] / 500), middle = f.x[i] + f.work[i] / 2e3;
    if (view[1] - view[0] > 8 * room || f.x[i] < view[0] || middle > view[1]) zoom(middle - room, middle + room);
    choose(i, true);
  }

  const plot = chart(host, [f.x, f.work], {
    scales: {x: {time: false, range: () => view}, y: {range: (u, min, max) => [0, top(max ?? f.longest)]}},
    cursor: {y: false, points: {show: false}, drag: {x: true, y: false, dist: 4, setScale: false}, bind: {dblclick: () => () => zoom(...whole)}},
    axes: [axis({size: 30, space: 85, incrs: steps, values: (u, list, a, space, step) => list.map(v => v.toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))))}),
      axis({size: axisWidth, values: (u, list) => list.map(v => v + " ms")})],
    hooks: {
      draw: [draw],
      setSelect: [u => {
        const {left, width} = u.select;
        if (!width) return;
        u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        zoom(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
      }],
      setCursor: [u => {
        if (!kept && u.cursor.left >= 0) choose(at(u, u.cursor.left), false);
        else if (!kept && chosen >= 0) choose(-1, false);
      }],
    },
  });
  plot.u.over.append(hot);

  let pressed = 0;
  plot.u.over.addEventListener("mousedown", e => pressed = e.clientX);
  plot.u.over.addEventListener("click", e => {
    if (Math.abs(e.clientX - pressed) > 4) return;
    host.focus({preventScroll: true});
    const i = at(plot.u, plot.u.cursor.left);
    choose(i, i >= 0 && !(kept && i === chosen));
  });
  // With Shift, dragging moves the view. uPlot must not select.
  host.addEventListener("mousedown", e => {
    if (!e.shiftKey || e.button) return;
    e.stopPropagation();
    e.preventDefault();
    let from = e.clientX;
    const move = e => {
      pan((from - e.clientX) / plot.u.over.clientWidth * (view[1] - view[0]));
      from = e.clientX;
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", () => removeEventListener("mousemove", move), {once: true});
  }, {capture: true, signal: plot.alive});
  // The wheel scrolls the page unless the chart is in use or Ctrl is pressed.
  host.addEventListener("wheel", e => {
    const sideways = e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY), by = e.deltaX || e.deltaY;
    if (!sideways && !e.ctrlKey && !e.metaKey && !panel.contains(document.activeElement)) return;
    e.preventDefault();
    if (sideways) pan(by / plot.u.over.clientWidth * (view[1] - view[0]));
    else zoomAt(plot.u.posToVal(e.clientX - plot.u.over.getBoundingClientRect().left, "x"), Math.exp(Math.max(-1, Math.min(1, by / 400))));
  }, {passive: false, signal: plot.alive});

  const middle = () => chosen >= 0 ? f.x[chosen] : (view[0] + view[1]) / 2;
  function step(by) {
    let i = chosen < 0 ? below(f.x, view[0]) : chosen + by;
    while (i >= 0 && i < f.n && !shown(i)) i += by;
    if (i >= 0 && i < f.n) show(i);
  }
  function late(by) {
    let i = chosen >= 0 ? chosen + by : by > 0 ? 0 : f.n - 1;
    while (i >= 0 && i < f.n && !(f.late(i) && shown(i))) i += by;
    if (i >= 0 && i < f.n) show(i);
  }
  f.toNextLate = () => late(1);
  const keys = {ArrowLeft: () => step(-1), ArrowRight: () => step(1), "+": () => zoomAt(middle(), 1 / 2), "-": () => zoomAt(middle(), 2)};
  panel.addEventListener("keydown", e => {
    if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    keys[e.key]();
  }, {signal: plot.alive});
  const actions = {
    previous: () => late(-1), next: () => late(1), closer: keys["+"], farther: keys["-"],
    all() { choose(-1, false); zoom(...whole); },
    tall(button) {
      tall = !tall;
      button.setAttribute("aria-pressed", tall);
      zoom(...view);
    },
    save: () => saveLate(f),
  };
  one("[data-do=tall]", article).setAttribute("aria-pressed", tall);
  all("[data-do]", article).filter(b => b.dataset.do in actions).forEach(b => b.onclick = () => actions[b.dataset.do](b));
  all("[data-mark]", article).forEach(b => {
    b.setAttribute("aria-pressed", false);
    b.onclick = () => {
      filter ^= bit(b.dataset.mark);
      b.setAttribute("aria-pressed", (filter & bit(b.dataset.mark)) !== 0);
      choose(-1, false);
      plot.u.redraw();
    };
  });
  // showAt shows the frame that starts at a time in nanoseconds.
  plot.showAt = time => {
    const i = below(f.after, Number(time - f.base));
    if (i >= f.n) return;
    host.scrollIntoView({block: "center"});
    host.focus({preventScroll: true});
    show(i);
  };
  plot.zoom = zoom;
  plot.place = place;
  plot.release = () => choose(-1, false);
  return plot;
}
