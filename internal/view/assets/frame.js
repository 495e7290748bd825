// Facts of one frame.

function describeFrame(f, i) {
  const c = f.columns, late = (c.duration[i] + c.tail[i] - c.budget[i]) / 1e6, due = c.due?.[i] ?? null;
  const rows = [["Start", `${seconds(f, i)} s${sinceStart(f, i)}`]];
  if (due !== null) rows.push(["Its vsync", due <= 0 ? ms(-due / 1e3) + " before the start" : ms(due / 1e3) + " after the start"]);
  rows.push(["Duration", ms(f.duration[i])]);
  if (c.tail[i] > 0) rows.push(["With GPU work", ms(f.work[i])]);
  if (c.budget[i] !== null) rows.push(["Deadline after", ms(f.budget[i])], late > 0 ? ["Late by", ms(late)] : ["Early by", ms(-late)]);
  if (c.shown[i] !== null) rows.push(["Shown after", ms(c.shown[i] / 1e6)]);
  rows.push(["Thread", c.threads[c.thread[i]]]);
  const render = renderFrame(f, i);
  if (render) rows.push(["Render frame", frameLink(render, String(c.render[i]))]);
  else if (c.render[i]) rows.push(["Render frame", String(c.render[i])]);
  return {
    style: data.marks[f.mark[i]], title: `${c.vsync[i] ? "Vsync " + c.vsync[i] : "Vsync unknown"} · ${data.names[f.mark[i]]}`, rows,
    cause: c.texts[c.cause?.[i]] ?? "",
    lines: c.texts[c.text[i]].split("\n").filter(Boolean), more: [stages(f, i, render), openCommand(f, i), nextLate(f)].filter(Boolean),
  };
}

// sinceStart returns the time from the start of the trace.
function sinceStart(f, i) {
  if (f.info.from === null) return "";
  const after = Number(f.base + BigInt(f.after[i]) - BigInt(f.info.from)) / 1e6;
  return ` (+${after < 1000 ? after.toFixed(1) + " ms" : (after / 1e3).toFixed(3) + " s"})`;
}

const unpacked = [];
const framesOf = id => unpacked[id] ??= unpack(id);

// renderFrame returns the render frame that picked up a frame: its process and its index.
// Several traces in one input may have the same vsync id; the nearest frame is meant.
function renderFrame(f, i) {
  const vsync = f.columns.render[i], id = f.info.service;
  if (!vsync || id < 0 || !data.processes[id]) return null;
  const service = framesOf(id);
  if (!service.byVsync) {
    service.byVsync = new Map();
    service.columns.vsync.forEach((v, k) => service.byVsync.has(v) ? service.byVsync.get(v).push(k) : service.byVsync.set(v, [k]));
  }
  const away = k => Math.abs(service.x[k] - f.x[i]);
  const list = service.byVsync.get(vsync) ?? [];
  return list.length ? {f: service, id, i: list.reduce((a, b) => away(b) < away(a) ? b : a)} : null;
}

function frameLink({f, id, i}, text) {
  const a = element("a", text);
  a.href = `#process-${id}@${f.base + BigInt(f.after[i])}`;
  return a;
}

// stages draws the stages of a frame and of the render frame that picked it up.
function stages(f, i, render) {
  const c = f.columns, list = [], due = c.due?.[i] ?? null, took = c.duration[i] / 1e3;
  const add = (name, interval, by = 0) => interval && interval[1] + by >= interval[0] + by && list.push([data.stages[name] ?? name, interval[0] + by, interval[1] + by]);
  if (due !== null && due <= 0) add("vsync_to_received", [due, 0]);
  const ofRender = (r, k, by) => {
    const d = r.columns, commit = d.commit?.[k], present = d.shown[k];
    add("render_main", [0, d.duration[k] / 1e3], by);
    add("render_draw", d.draw?.[k], by);
    add("render_gpu", d.gpu?.[k], by);
    add("commit", commit, by);
    if (commit && present !== null) add("commit_to_present", [commit[1], present / 1e3], by);
  };
  if (f.info.render) ofRender(f, i, 0);
  else {
    add("ui_work", [0, took]);
    if (render) {
      const by = Number(render.f.base + BigInt(render.f.after[render.i]) - f.base - BigInt(f.after[i])) / 1e3, sent = c.sent?.[i] ?? null;
      if (sent !== null) add("transaction_to_pick_up", [sent, by]);
      ofRender(render.f, render.i, by);
    }
  }
  if (list.length < 2) return null;
  const from = Math.min(...list.map(s => s[1])), to = Math.max(from + 1, ...list.map(s => s[2])), percent = t => (t - from) / (to - from) * 100 + "%";
  const chart = element("div", "", "gantt"), deadline = c.budget[i] === null ? NaN : c.budget[i] / 1e3;
  for (const [name, a, b] of list) {
    const lane = element("span", "", "lane"), bar = element("i", "");
    bar.style.left = percent(a);
    bar.style.width = percent(from + b - a);
    lane.append(bar);
    if (deadline >= from && deadline <= to) lane.append(Object.assign(element("u", ""), {style: `left:${percent(deadline)}`}));
    chart.append(element("span", name), lane, element("b", ((b - a) / 1e3).toFixed(1)));
  }
  return chart;
}

// nextLate returns a button that goes to the next late frame, null if no frame is late.
function nextLate(f) {
  if (!f.columns.marks.some(m => m & lateBit)) return null;
  const button = element("button", "next late ›", "next");
  button.onclick = f.toNextLate;
  return button;
}

// openCommand returns the command that opens the trace at a frame, with a button that
// copies it; null if no command can name the trace. Opener.Frame of package locate makes the same.
function openCommand(f, i) {
  if (!f.info.open) return null;
  const vsync = f.columns.vsync[i], frame = vsync && !f.columns.timed.includes(i) ? vsync : seconds(f, i);
  const line = element("p", "", "copy"), command = f.info.open.join(` --frame ${frame}`), copy = element("button", "Copy");
  copy.title = "Copy the command that opens the trace in Perfetto at this frame";
  line.append(element("code", command), copyOnClick(copy, command));
  return line;
}

// saveLate downloads the late frames of a process as CSV, with times in nanoseconds.
function saveLate(f) {
  const c = f.columns, cell = s => {
    s = String(s ?? "");
    if (/^[=+\-@\t\r]/.test(s) && !/^-?\d+$/.test(s)) s = "'" + s; // a spreadsheet would compute it
    return /[",\n\r]/.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s;
  };
  const lines = [["process", "pid", "thread", "vsync_id", "render_vsync_id", "start_ns", "duration_ns", "gpu_after_ns", "deadline_ns", "overrun_ns", "present_ns", "facts"]];
  for (let i = 0; i < f.n; i++) {
    if (!f.late(i)) continue;
    const start = f.base + BigInt(f.after[i]), at = d => d === null ? "" : start + BigInt(d);
    lines.push([f.info.name, f.info.pid, c.threads[c.thread[i]], c.vsync[i] || "", c.render[i] || "", start, c.duration[i], c.tail[i], at(c.budget[i]),
      c.budget[i] === null ? "" : Math.max(0, c.duration[i] + c.tail[i] - c.budget[i]), at(c.shown[i]), c.texts[c.text[i]].replaceAll("\n", "; ")]);
  }
  const a = element("a", "");
  a.href = URL.createObjectURL(new Blob([lines.map(l => l.map(cell).join(",") + "\n").join("")], {type: "text/csv"}));
  a.download = `late-frames-${f.info.name.replace(/[^\w.-]+/g, "_") || f.info.pid}.csv`;
  a.click();
  URL.revokeObjectURL(a.href);
}
