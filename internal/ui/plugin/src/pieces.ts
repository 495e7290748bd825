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

// during returns what other threads did during the waits of one frame, the longest first.
export function during(others: readonly Piece[], pieces: readonly Piece[]): Piece[] {
  const waits = pieces.filter((p) => !/^(running|busy)/.test(p.name));
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

// colours are those of the kinds, in the hues that the UI gives them on the track Why, as
// internal/exporter/timeline/colours.go chooses them. White text is readable on each of them.
const colours: readonly (readonly [RegExp, string])[] = [
  [/^running on a slower/, '#1b5e20'],
  [/^running or/, '#5f6b7a'],
  [/^running/, '#2e7d32'],
  [/garbage/, '#4f6f1e'],
  [/storage/, '#b8550a'],
  [/memory/, '#9a4a12'],
  [/kernel/, '#8a5a1c'],
  [/vsync/, '#5f7080'],
  [/CPU|preempted/, '#75690a'],
  [/interrupt/, '#5e6b16'],
  [/render thread/, '#8e3f9e'],
  [/GPU/, '#1f6fb2'],
  [/buffer/, '#00695c'],
  [/thread of the same/, '#6f56b8'],
  [/process/, '#5f3c99'],
  [/earlier|other work/, '#6d4c41'],
  [/sleep/, '#546e7a'],
];

// colourOf returns the colour of a kind.
export function colourOf(kind: string): string {
  return colours.find(([pattern]) => pattern.test(kind))?.[1] ?? '#616161';
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
