// timeChart draws each frame as a bar from its start to its end whose height is
// its duration. A line from its start to its deadline has the height of the time
// between them.
function timeChart(article, host, f) {
  const hidden = new Set();
  let tall = false, chosen = -1, kept = false;
  const pad = Math.max(.002, (f.x[f.n - 1] - f.x[0]) * .005);
  const whole = [f.x[0] - pad, f.x[f.n - 1] + f.work[f.n - 1] / 1e3 + pad];
  const hot = element("div", "", "hot");

  // top returns the end of the y axis. It cuts off a few very long frames, which
  // would make all others flat.
  function top(longest) {
    const limit = Math.max(3 * f.period, 1.5 * percentile(f.sorted, 95));
    return Math.max(1.3 * f.period, 1.1 * (tall || longest < 1.6 * limit ? longest : limit));
  }

  function draw(u) {
    const {min, max} = u.scales.x, highest = u.scales.y.max;
    clipped(u, (ctx, bbox, dpr) => {
      const perSecond = bbox.width / (max - min), perMs = bbox.height / highest;
      const floor = bbox.top + bbox.height;
      const left = i => bbox.left + (f.x[i] - min) * perSecond;
      const first = below(f.x, min - f.longest / 1e3), last = below(f.x, max);
      // Only the highest of the frames in one column of pixels is drawn.
      const columns = new Float64Array(Math.ceil(bbox.width) + 1);
      const covered = (x, height) => {
        const c = Math.max(0, Math.round(x - bbox.left));
        if (height <= columns[c]) return true;
        columns[c] = height;
        return false;
      };
      const cut = [];
      f.byStatus.forEach((list, m) => {
        if (hidden.has(m)) return;
        ctx.fillStyle = css(data.statuses[m]);
        columns.fill(0);
        for (let k = below(list, first); k < list.length && list[k] < last; k++) {
          const i = list[k], x = left(i), height = Math.max(dpr, f.work[i] * perMs);
          let width = f.duration[i] / 1e3 * perSecond;
          if (width <= 2 * dpr && covered(x, height)) continue;
          width = Math.max(1.5 * dpr, width - (width > 4 * dpr ? dpr : 0));
          const solid = Math.max(dpr, f.duration[i] * perMs);
          ctx.fillRect(x, floor - solid, width, solid);
          if (height > solid) {
            ctx.globalAlpha = .5;
            ctx.fillRect(x, floor - height, width, height - solid);
            ctx.globalAlpha = 1;
          }
          if (f.work[i] > highest) cut.push(i);
        }
      });
      ctx.fillStyle = css("deadline");
      ctx.globalAlpha = .7;
      columns.fill(0);
      for (let i = first; i < last; i++) {
        const x = left(i), y = f.budget[i] * perMs, width = f.budget[i] / 1e3 * perSecond;
        if (!(y > 0) || hidden.has(f.columns.status[i]) || width <= 2 * dpr && covered(x, y)) continue;
        ctx.fillRect(x, floor - y - .75 * dpr, Math.max(1.5 * dpr, width), 1.5 * dpr);
      }
      ctx.globalAlpha = 1;
      // Frames above the top of the chart are labelled with their duration.
      let free = -Infinity;
      for (const i of cut.length > 12 ? [] : cut.sort((a, b) => a - b)) {
        const x = left(i), label = "↑ " + Math.round(f.work[i]), width = ctx.measureText(label).width + 8 * dpr;
        if (x < free) continue;
        free = x + width + 4 * dpr;
        ctx.fillStyle = css("panel");
        ctx.fillRect(x, bbox.top, width, 16 * dpr);
        ctx.fillStyle = css(data.statuses[f.columns.status[i]]);
        ctx.fillText(label, x + 4 * dpr, bbox.top + 3 * dpr);
      }
    });
    place();
  }

  // at returns the frame at x pixels from the left. Of several it returns the
  // worst.
  function at(u, x) {
    const t = u.posToVal(x, "x"), perSecond = u.over.clientWidth / (u.scales.x.max - u.scales.x.min);
    const end = below(f.x, t + 8 / perSecond);
    let best = -1, least = [9];
    for (let i = end - 1; i >= 0 && i > end - 1000; i--) {
      if (hidden.has(f.columns.status[i])) continue;
      const from = (f.x[i] - t) * perSecond, to = from + f.duration[i] / 1e3 * perSecond;
      let away = Math.max(0, from, -to);
      if (to - from < 4 && away <= 2) away = 0;
      const rank = [away, -f.columns.status[i], -f.work[i]];
      const differs = rank.findIndex((r, k) => r !== least[k]);
      if (differs >= 0 && !(rank[differs] > least[differs])) [best, least] = [i, rank];
    }
    return best;
  }

  function describe(i) {
    const c = f.columns, late = (c.duration[i] + c.tail[i] - c.budget[i]) / 1e6;
    const rows = [["Start", seconds(f, i) + " s"], ["Duration", ms(f.duration[i])]];
    if (c.tail[i] > 0) rows.push(["With GPU work", ms(f.work[i])]);
    if (c.budget[i] !== null) rows.push(["Deadline after", ms(f.budget[i])], late > 0 ? ["Late by", ms(late)] : ["Early by", ms(-late)]);
    if (c.shown[i] !== null) rows.push(["Shown after", ms(c.shown[i] / 1e6)]);
    rows.push(["Thread", c.threads[c.thread[i]]]);
    if (c.render[i]) rows.push(["Render frame", String(c.render[i])]);
    const title = `${c.vsync[i] ? "Vsync " + c.vsync[i] : "Vsync unknown"} · ${data.names[c.status[i]]}`;
    return [data.statuses[c.status[i]], title, rows, c.texts[c.text[i]].split("\n").filter(Boolean)];
  }

  // place moves the highlight and the box to the chosen frame.
  function place() {
    hot.hidden = chosen < 0;
    if (chosen < 0) return;
    const u = plot.u, x = u.valToPos(f.x[chosen], "x"), end = u.valToPos(f.x[chosen] + f.duration[chosen] / 1e3, "x");
    hot.style.left = x - 2 + "px";
    hot.style.width = Math.max(1, end - x) + 4 + "px";
    hot.classList.toggle("kept", kept);
    const area = u.over.getBoundingClientRect();
    const y = Math.max(0, u.valToPos(Math.min(f.work[chosen], u.scales.y.max), "y"));
    box.classList.toggle("kept", kept);
    if (end < 0 || x > area.width || area.bottom < 80 || area.top > innerHeight) hideBox();
    else showBox(area.left + Math.min(end, area.width), area.top + y - 20, ...describe(chosen));
  }

  function choose(i, keep) {
    chosen = i;
    kept = keep;
    if (i < 0) hideBox();
    place();
  }

  // show scrolls and zooms to a frame and keeps its box open.
  function show(i) {
    const room = Math.max(.012 * (f.period || 16), f.work[i] / 500);
    const {min, max} = plot.u.scales.x, middle = f.x[i] + f.work[i] / 2e3;
    if (max - min > 8 * room || f.x[i] < min || middle > max) plot.u.setScale("x", {min: middle - room, max: middle + room});
    choose(i, true);
  }

  const plot = chart(host, [f.x, f.work], {
    scales: {x: {time: false, range: (u, min, max) => min === f.x[0] && max === f.x[f.n - 1] || max - min < 1e-4 ? whole : [min, max]},
      y: {range: (u, min, max) => [0, top(max ?? f.longest)]}},
    cursor: {y: false, points: {show: false}, drag: {x: true, y: false, dist: 4}},
    axes: [axis({size: 30, space: 85, incrs: steps, values: (u, list, a, space, step) => list.map(v => v.toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))))}),
      axis({size: 52, values: (u, list) => list.map(v => v + " ms")})],
    hooks: {draw: [draw], setCursor: [u => {
      if (!kept && u.cursor.left >= 0) choose(at(u, u.cursor.left), false);
      else if (!kept && chosen >= 0) choose(-1, false);
    }]},
  });
  plot.u.over.append(hot);

  let pressed = 0;
  plot.u.over.addEventListener("mousedown", e => pressed = e.clientX);
  plot.u.over.addEventListener("click", e => {
    if (Math.abs(e.clientX - pressed) > 4) return;
    const i = at(plot.u, plot.u.cursor.left);
    choose(i, i >= 0 && !(kept && i === chosen));
  });
  host.onkeydown = e => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[e.key];
    if (!step) return;
    e.preventDefault();
    const i = chosen < 0 ? below(f.x, plot.u.scales.x.min) : chosen + step;
    if (i >= 0 && i < f.n) show(i);
  };
  function late(step) {
    let i = chosen >= 0 ? chosen + step : step > 0 ? 0 : f.n - 1;
    while (i >= 0 && i < f.n && f.columns.status[i] < lateFrom) i += step;
    if (i >= 0 && i < f.n) show(i);
  }
  const actions = {
    previous: () => late(-1), next: () => late(1),
    all() { choose(-1, false); plot.u.setScale("x", {min: whole[0], max: whole[1]}); },
    tall(button) {
      tall = !tall;
      button.setAttribute("aria-pressed", tall);
      plot.u.setScale("x", {...plot.u.scales.x});
    },
  };
  one("[data-do=tall]", article).setAttribute("aria-pressed", tall);
  all("[data-do]", article).forEach(b => b.onclick = () => actions[b.dataset.do](b));
  all("[data-status]", article).forEach(b => {
    b.setAttribute("aria-pressed", true);
    b.onclick = () => {
      const m = data.statuses.indexOf(b.dataset.status), on = hidden.delete(m);
      if (!on) hidden.add(m);
      b.setAttribute("aria-pressed", on);
      choose(-1, false);
      plot.u.redraw();
    };
  });
  all("[data-at]", article).forEach(b => b.onclick = () => {
    const i = below(f.after, Number(BigInt(b.dataset.at.replace(".", "")) - f.base));
    if (i >= f.n) return;
    host.scrollIntoView({block: "center"});
    show(i);
  });
  plot.place = place;
  plot.release = () => choose(-1, false);
  return plot;
}
