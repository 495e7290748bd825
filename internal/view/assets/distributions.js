// reach returns the longest duration on the axis of the distributions, in ms.
// Outliers lie beyond it.
function reach(f) {
  const longest = f.sorted[f.n - 1] * 1.02;
  return Math.max(Math.min(longest, Math.max(2.5 * f.period, 1.15 * percentile(f.sorted, 99))), 1.2 * f.period, .1);
}

// periodLines draws a line for each refresh period, if there is room. The labels
// are at the given height, from 0 at the top to 1.
function periodLines(u, f, height) {
  clipped(u, (ctx, bbox, dpr) => {
    ctx.strokeStyle = ctx.fillStyle = css("soft");
    ctx.lineWidth = dpr;
    let free = -Infinity;
    for (const period of [...f.periods].sort((a, b) => a - b)) {
      const x = u.valToPos(period, "x", true), label = Math.round(1000 / period) + " Hz";
      if (x < free) continue;
      free = x + ctx.measureText(label).width + 8 * dpr;
      ctx.setLineDash([4 * dpr, 3 * dpr]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.fillText(label, x + 4 * dpr, bbox.top + height * bbox.height + 2 * dpr);
    }
  });
}

function histogramChart(host, f) {
  const end = reach(f);
  const step = steps.find(s => s >= .05 && end / s <= 60);
  const n = Math.ceil(end / step), digits = step < .1 ? 2 : step < 1 ? 1 : 0;
  const bins = Array.from({length: n}, () => new Array(data.marks.length).fill(0));
  // Whole nanoseconds put a duration on an edge exactly into the upper bin.
  f.columns.duration.forEach((d, i) => bins[Math.min(n - 1, Math.floor(d / Math.round(step * 1e6)))][f.mark[i]]++);
  const more = f.sorted[f.n - 1] >= n * step, last = ((n - 1) * step).toFixed(digits);
  const totals = bins.map(b => b.reduce((a, c) => a + c));
  return chart(host, [bins.map((_, i) => (i + .5) * step), totals], {
    scales: {x: {time: false, range: () => [0, n * step]}, y: {range: (u, min, max) => [0, Math.max(1, max * 1.1)]}},
    cursor: {x: false, y: false, points: {show: false}, drag: {x: false, y: false}},
    axes: [axis({size: 30, grid: {show: false}}), axis({size: 56, incrs: steps.filter(s => s >= 1)})],
    hooks: {
      draw: [u => {
        clipped(u, (ctx, bbox, dpr) => bins.forEach((bin, i) => {
          const left = u.valToPos(i * step, "x", true), width = u.valToPos((i + 1) * step, "x", true) - left - dpr;
          let sum = 0;
          bin.forEach((count, m) => {
            if (!count) return;
            const low = u.valToPos(sum, "y", true), high = u.valToPos(sum += count, "y", true);
            ctx.fillStyle = css(data.marks[m]);
            ctx.fillRect(left, high, Math.max(dpr, width), Math.max(dpr, low - high));
          });
        }));
        periodLines(u, f, 0);
        if (more) clipped(u, (ctx, bbox, dpr) => {
          ctx.textAlign = "right";
          ctx.fillStyle = css("soft");
          const height = Math.max(2 * dpr, bbox.top + bbox.height - u.valToPos(totals[n - 1], "y", true));
          ctx.fillText(`${last} or more`, bbox.left + bbox.width, bbox.top + bbox.height - height - 14 * dpr);
        });
      }],
      setCursor: [u => {
        if (u.cursor.left < 0) return;
        const i = Math.min(n - 1, Math.floor(u.posToVal(u.cursor.left, "x") / step)), area = u.over.getBoundingClientRect();
        if (i < 0) return;
        const from = (i * step).toFixed(digits), to = ((i + 1) * step).toFixed(digits);
        showBox(area.left + u.cursor.left, area.top + u.cursor.top, {
          title: more && i === n - 1 ? `${last} ms or more` : `${from} to ${to} ms`,
          rows: [["Total", `${countFrames(totals[i])}, ${(totals[i] / f.n * 100).toFixed(1)} %`], ...bins[i].map((c, m) => [data.names[m], c]).filter(r => r[1])],
        });
      }],
    },
  });
}

function cumulativeChart(host, f) {
  const end = reach(f), share = x => below(f.sorted, x + 1e-9) / f.n * 100;
  const xs = [0], ys = [share(0)], points = Math.min(f.n, 1000);
  for (let k = 1; k <= points; k++) {
    const i = Math.ceil(k * f.n / points) - 1;
    xs.push(f.sorted[i]);
    ys.push((i + 1) / f.n * 100);
  }
  return chart(host, [xs, ys], {
    line: {paths: uPlot.paths.stepped({align: 1}), stroke: () => css("accent"), fill: () => css("accent") + "22", width: 2},
    scales: {x: {time: false, range: () => [0, end]}, y: {range: () => [0, 112]}},
    cursor: {y: false, points: {show: false}, drag: {x: false, y: false}},
    axes: [axis({size: 30}), axis({size: 54, splits: () => [0, 25, 50, 75, 100], values: (u, list) => list.map(v => v + " %")})],
    hooks: {
      draw: [u => {
        periodLines(u, f, .8);
        clipped(u, (ctx, bbox, dpr) => {
          const labels = []; // their left and top
          const size = [28 * dpr, 12 * dpr];
          for (const p of f.info.percentiles) {
            const x = u.valToPos(percentile(f.sorted, p), "x", true), y = u.valToPos(p, "y", true);
            ctx.fillStyle = css("accent");
            ctx.beginPath();
            ctx.arc(x, y, 3.5 * dpr, 0, 7);
            ctx.fill();
            ctx.fillStyle = css("text");
            // The line rises: it is neither below and to the right, nor above and to the left.
            const free = at => at[0] + size[0] < bbox.left + bbox.width && !labels.some(l => l.every((v, i) => Math.abs(v - at[i]) < size[i]));
            const at = [[x + 6 * dpr, y + 4 * dpr], [x - 26 * dpr, y - 15 * dpr]].find(free);
            if (!at) continue;
            labels.push(at);
            ctx.fillText("P" + p, ...at);
          }
        });
      }],
      setCursor: [u => {
        if (u.cursor.left < 0) return;
        const x = u.posToVal(u.cursor.left, "x"), area = u.over.getBoundingClientRect();
        showBox(area.left + u.cursor.left, area.top + u.cursor.top, {title: share(x).toFixed(1) + " % of frames", rows: [["took less than", ms(x)]]});
      }],
    },
  });
}
