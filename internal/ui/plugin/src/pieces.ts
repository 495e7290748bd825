// What a late frame's thread did or waited for, as parts of a bar.

// Piece is a slice of the tracks Why or Waited for.
export interface Piece {
  readonly id: number;
  readonly trackId: number;
  readonly ts: bigint;
  readonly dur: bigint;
  readonly name: string;
}

// Part is a part of the bar: pieces that follow each other.
export interface Part {
  readonly kind: string; // of most of its time
  readonly name: string; // of the longest piece
  readonly id: number; // of the longest piece
  readonly ns: number; // of its kind
  readonly share: number; // of the bar, at most 1
}

// chain returns the pieces of one frame, given all pieces of its thread in its time. The
// pieces of frames that wait for each other overlap, and the engine may put them on either
// of the tracks that the UI shows as one. The pieces of a frame follow each other without
// gaps, unless short ones were left out.
export function chain(pieces: readonly Piece[], starts: readonly bigint[]): Piece[] {
  const sorted = [...pieces].sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : a.id - b.id));
  let next = starts
    .map((start) => sorted.find((p) => p.ts === start))
    .find((p) => p !== undefined) ?? sorted[0];
  const ends = new Set(sorted.map((p) => p.ts + p.dur));
  const list: Piece[] = [];
  while (next !== undefined) {
    list.push(next);
    const {trackId, ts, dur} = next;
    const end: bigint = ts + dur;
    const later: Piece[] = sorted.filter((p) => p.ts >= end && p.dur > 0n && !list.includes(p));
    const adjacent: Piece[] = later.filter((p) => p.ts === end);
    next = adjacent.find((p) => p.trackId === trackId) ?? adjacent[0] ?? later.find((p) => !ends.has(p.ts));
  }
  return list;
}

// during returns what other threads did during the waits of one frame, the longest first. While
// its GPU works, the thread may make the next frame, and wait for that.
export function during(others: readonly Piece[], pieces: readonly Piece[]): Piece[] {
  const waits = pieces.filter((p) => !/^(running|busy|working on the GPU)/.test(p.name));
  return others
    .filter((o) => waits.some((w) => w.ts <= o.ts && o.ts + o.dur <= w.ts + w.dur))
    .sort((a, b) => Number(b.dur - a.dur) || a.id - b.id);
}

// kindOf returns what the thread did or waited for: the name without the place.
export function kindOf(name: string): string {
  return name.split(' · ', 1)[0]!;
}

// parts joins pieces of one kind that follow each other, apart from those of different names
// that are both as wide as apart. Parts that are narrower than least are joined with the one
// before: nobody can see or point at them. But no part grows by more than its own width, or
// least, by parts of other kinds. Widths are shares of the bar.
export function parts(pieces: readonly Piece[], least: number, apart: number): Part[] {
  const total = pieces.reduce((sum, p) => sum + Number(p.dur), 0);
  interface Open {
    kind: string;
    name: string;
    id: number;
    longest: number;
    ns: number;
    others: number; // of other kinds
  }
  const list: Open[] = [];
  for (const p of pieces) {
    const ns = Number(p.dur);
    const kind = kindOf(p.name);
    const last = list.at(-1);
    if (last === undefined || last.kind !== kind || (last.name !== p.name && Math.min(last.longest, ns) >= apart * total)) {
      list.push({kind, name: p.name, id: p.id, longest: ns, ns, others: 0});
      continue;
    }
    last.ns += ns;
    if (last.longest < ns) {
      last.longest = ns;
      last.name = p.name;
      last.id = p.id;
    }
  }
  const joined: Open[] = [];
  for (const part of list) {
    const last = joined.at(-1);
    if (last === undefined || part.ns >= least * total || last.others + part.ns > Math.max(last.ns, least * total)) {
      joined.push(part);
    } else if (last.kind === part.kind) {
      last.ns += part.ns;
    } else {
      last.others += part.ns;
    }
  }
  return joined.map(({kind, name, id, ns, others}) => ({kind, name, id, ns, share: total > 0 ? (ns + others) / total : 0}));
}

// Kind is the time of all pieces of a kind.
export interface Kind {
  readonly kind: string;
  readonly ns: number;
}

// kinds returns the time by kind, the longest first.
export function kinds(pieces: readonly Piece[]): Kind[] {
  const sums = new Map<string, number>();
  for (const p of pieces) {
    const kind = kindOf(p.name);
    sums.set(kind, (sums.get(kind) ?? 0) + Number(p.dur));
  }
  return [...sums].map(([kind, ns]) => ({kind, ns})).sort((a, b) => b.ns - a.ns);
}

// colours are those that the UI gives the kinds on the track Why, for the correlation ids in
// exporter/internal/timeline/colours.go. A test of that package compares them.
const colours: ReadonlyMap<string, string> = new Map([
  ['running or waiting', '#32797b'],
  ['busy with an earlier frame', '#91a1ed'],
  ['busy with other work', '#d5abf1'],
  ['waiting for the vsync', '#4fb3c1'],
  ['interrupts', '#7f8d39'],
  ['running', '#438b34'],
  ['running on a slower CPU', '#8d8839'],
  ['collecting garbage', '#da98f0'],
  ['preempted', '#516526'],
  ['waiting for a CPU', '#cfb450'],
  ['stopped by garbage collection', '#e667eb'],
  ["waiting for another process's reply", '#c36be8'],
  ['waiting for the GPU or the display', '#4e67e0'],
  ['waiting for a free buffer', '#3974b2'],
  ['waiting for storage', '#e9a14e'],
  ['waiting for memory', '#f0784b'],
  ['waiting for the network', '#2e9eb7'],
  ['waiting for the render thread', '#934bdf'],
  ['waiting for a thread of the same process', '#a835a8'],
  ['waiting for another process', '#ed6bc8'],
  ['sleeping for a time', '#3e9298'],
  ['waiting in the kernel', '#c1833f'],
  ['waiting for an interrupt', '#20815e'],
  ['sleeping', '#52c2aa'],
  ['working on the GPU', '#4ca4cf'],
  ['a little slower everywhere', '#817f34'],
]);

// colourOf returns the colour of a kind.
export function colourOf(kind: string): string {
  return colours.get(kind) ?? '#616161';
}

// textOn returns the colour of readable text on a colour: black or white, whichever has more
// contrast by the rule of WCAG 2.
export function textOn(colour: string): string {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (luminance + 0.05) ** 2 > 1.05 * 0.05 ? '#000' : '#fff';
}

// milliseconds formats nanoseconds.
export function milliseconds(ns: number): string {
  const ms = ns / 1e6;
  if (ms > 0 && ms < 0.005) return '< 0.01 ms';
  return `${ms.toFixed(ms >= 100 ? 0 : ms >= 0.1 || ms === 0 ? 1 : 2)} ms`;
}

// percent formats a part of a whole. Only nothing is 0 %.
export function percent(part: number, whole: number): string {
  const share = whole > 0 ? (100 * part) / whole : 0;
  return share > 0 && share < 1 ? '< 1 %' : `${Math.round(share)} %`;
}
