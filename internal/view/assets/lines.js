// Lines over a number, such as distributions and trends. The data:
//
//   x, y    {label, unit, log, min, max, names}: an axis; names are labels of 0, 1, 2, …
//   series  [{name, colour, x, y, area, stepped, dots, titles}]: colour is a variable of page.css
//   bands   [{colour, x, low, high, straight}]: areas between two lines, stepped unless they are straight
//   marks   [{x, text}]: vertical lines

const lineColours = ["accent", "cpu", "thread", "gpu", "gc", "storage", "ipc", "interrupt"];

kinds.lines = (host, spec) => {
  const {x, y, series, bands = [], marks = []} = spec;
  host.className = "host chart lines";
  const colourOf = (s, i) => s.colour ?? lineColours[i % lineColours.length];
  if (series.length > 1 || series[0].name) {
    const legend = element("ul", "", "legend");
    series.forEach((s, i) => {
      const item = element("li", ""), key = element("i", "");
      key.style.background = `var(--${colourOf(s, i)})`;
      item.append(key, s.name);
      legend.append(item);
    });
    host.before(legend);
  }
  const edges = bands.flatMap(b => [[b.x, b.low], [b.x, b.high]]);
  const joined = uPlot.join([...series.map(s => [s.x, s.y]), ...edges]);
  // The title of the chart has longer units: labels have no room for them.
  const format = (axis, v) => axis.names?.[v] ?? (Math.abs(v) >= 100 || v === 0 ? v.toFixed(0) : String(Number(v.toPrecision(3)))) + (axis.unit?.length <= 2 ? " " + axis.unit : "");
  const scale = (axis, values) => {
    const known = values.filter(v => v !== null && v !== undefined && (!axis.log || v > 0));
    const low = axis.min ?? (axis.log || axis.names ? Math.min(...known) : Math.min(0, ...known)), high = axis.max ?? Math.max(...known) * (axis.names ? 1 : 1.05);
    return {time: false, distr: axis.log ? 3 : 1, range: () => axis.names && low === high ? [low - 1, high + 1] : low === high ? [low, low + 1] : [low, high]};
  };
  // Log axes have a label for each 1, 2 and 5; names have one each, if there is room.
  const split = (axis, u, i) => {
    const {min, max} = u.scales[i ? "y" : "x"];
    if (axis.names) {
      const every = Math.ceil(axis.names.length * 80 / Math.max(1, u.bbox.width / devicePixelRatio));
      return axis.names.map((_, k) => k).filter(k => k % every === 0);
    }
    const decades = Math.log10(max / min), digits = decades > 3 || i ? [1] : [1, 2, 5], list = [];
    for (let p = Math.floor(Math.log10(min)); p <= Math.ceil(Math.log10(max)); p++)
      for (const d of digits) if (d * 10 ** p >= min * .999 && d * 10 ** p <= max * 1.001) list.push(d * 10 ** p);
    return list;
  };
  const axes = [x, y].map((a, i) => axis({
    ...(a.label ? {label: a.label, labelSize: 18, labelFont: "12px system-ui, sans-serif"} : {}),
    ...(i ? {size: axisWidth} : {size: 30}),
    ...(a.log || a.names ? {splits: u => split(a, u, i), filter: (u, list) => list} : {}),
    values: (u, list) => list.map(v => format(a, v)),
  }));
  const plot = new uPlot({
    width: host.clientWidth, height: host.clientHeight, padding: [12, 24, 0, 0], legend: {show: false},
    scales: {x: scale(x, joined[0]), y: scale(y, joined.slice(1).flat())}, axes,
    cursor: {y: false, drag: {x: false, y: false}},
    series: [{}, ...series.map((s, i) => ({
      stroke: () => css(colourOf(s, i)), width: 2, spanGaps: true, ...(s.stepped ? {paths: uPlot.paths.stepped({align: 1})} : {}),
      ...(s.area ? {fill: () => css(colourOf(s, i)) + "2e"} : {}), points: {show: !!s.dots, size: 7, fill: () => css(colourOf(s, i))},
    })), ...edges.map((_, i) => ({width: 0, spanGaps: true, points: {show: false}, ...(bands[i >> 1].straight ? {} : {paths: uPlot.paths.stepped({align: 1})})}))],
    bands: bands.map((b, i) => ({series: [series.length + 2 * i + 2, series.length + 2 * i + 1], fill: () => css(b.colour) + "33"})),
    hooks: {
      draw: [u => clipped(u, (ctx, bbox, dpr) => {
        ctx.strokeStyle = ctx.fillStyle = css("soft");
        ctx.lineWidth = dpr;
        let free = -Infinity;
        for (const m of [...marks].sort((a, b) => a.x - b.x)) {
          const at = u.valToPos(m.x, "x", true);
          ctx.setLineDash([4 * dpr, 3 * dpr]);
          ctx.beginPath();
          ctx.moveTo(at, bbox.top);
          ctx.lineTo(at, bbox.top + bbox.height);
          ctx.stroke();
          if (at >= free) ctx.fillText(m.text, at + 4 * dpr, bbox.top + 2 * dpr);
          free = Math.max(free, at + ctx.measureText(m.text).width + 8 * dpr);
        }
      })],
      setCursor: [u => {
        const k = u.cursor.idx;
        if (k === null || k === undefined || u.cursor.left < 0) return hideBox();
        const area = u.over.getBoundingClientRect(), rows = [];
        series.forEach((s, i) => {
          let at = k;
          while (s.stepped && at > 0 && (u.data[i + 1][at] ?? null) === null) at--;
          const v = u.data[i + 1][at] ?? null;
          if (v !== null) rows.push([s.name, s.titles?.[s.x.indexOf(u.data[0][at])] ?? format(y, v)]);
        });
        if (rows.length) showBox(area.left + u.cursor.left, area.top + u.cursor.top, {title: format(x, u.data[0][k]), rows});
      }],
    },
  }, joined, host);
  plot.over.addEventListener("mouseleave", hideBox);
  const resize = new ResizeObserver(() => host.clientWidth && plot.setSize({width: host.clientWidth, height: host.clientHeight}));
  resize.observe(host);
  palettes.forEach(p => p.addEventListener("change", () => plot.redraw()));
  return {};
};
