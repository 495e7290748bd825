// Copyright (C) 2026 The Android Open Source Project
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//      http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

/** A slice of the tracks Why or Waited for. */
export interface Piece {
  readonly id: number;
  readonly trackId: number;
  readonly ts: bigint;
  readonly dur: bigint;
  readonly name: string;
  /** What the colour is made of. */
  readonly colour: string;
}

/** A part of the bar: pieces that follow each other. */
export interface Part {
  /** Of most of its time. */
  readonly kind: string;
  /** Of the longest piece. */
  readonly name: string;
  readonly id: number;
  readonly colour: string;
  /** The time of its kind. */
  readonly ns: number;
  /** Of the bar, at most 1. */
  readonly share: number;
}

/**
 * Returns the pieces of one frame, given all pieces of its thread in its time.
 * The pieces of frames that wait for each other overlap, and the engine may put
 * them on either of the tracks that the UI shows as one. The pieces of a frame
 * follow each other without gaps, unless short ones were left out.
 */
export function chain<P extends Piece>(
  pieces: readonly P[],
  starts: readonly bigint[],
): P[] {
  const sorted = [...pieces].sort((a, b) =>
    a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : a.id - b.id,
  );
  let next: P | undefined =
    starts
      .map((start) => sorted.find((p) => p.ts === start))
      .find((p) => p !== undefined) ?? sorted[0];
  const ends = new Set(sorted.map((p) => p.ts + p.dur));
  const list: P[] = [];
  while (next !== undefined) {
    list.push(next);
    const {trackId, ts, dur}: P = next;
    const end: bigint = ts + dur;
    const later: P[] = sorted.filter(
      (p) => p.ts >= end && p.dur > 0n && !list.includes(p),
    );
    const adjacent: P[] = later.filter((p) => p.ts === end);
    next =
      adjacent.find((p) => p.trackId === trackId) ??
      adjacent[0] ??
      later.find((p) => !ends.has(p.ts));
  }
  return list;
}

/**
 * Returns what other threads did during the waits of one frame, the longest
 * first. While its GPU works, the thread may make the next frame, and wait for
 * that.
 */
export function during<P extends Piece>(
  others: readonly P[],
  pieces: readonly Piece[],
): P[] {
  const waits = pieces.filter(
    (p) => !/^(running|busy|working on the GPU)/.test(p.name),
  );
  return others
    .filter((o) =>
      waits.some((w) => w.ts <= o.ts && o.ts + o.dur <= w.ts + w.dur),
    )
    .sort((a, b) => Number(b.dur - a.dur) || a.id - b.id);
}

/** Returns what the thread did or waited for: the name without the place. */
export function kindOf(name: string): string {
  return name.replace(/ · .*$/s, '');
}

interface Open {
  kind: string;
  name: string;
  id: number;
  colour: string;
  longest: number;
  ns: number;
  /** The time of other kinds. */
  others: number;
}

/**
 * Joins pieces of one kind that follow each other, apart from those of
 * different names that are both as wide as `apart`. Parts that are narrower
 * than `least` are joined with the one before: nobody can see or point at them.
 * But no part grows by more than its own width, or `least`, by parts of other
 * kinds. Widths are shares of the bar.
 */
export function parts(
  pieces: readonly Piece[],
  least: number,
  apart: number,
): Part[] {
  const total = pieces.reduce((sum, p) => sum + Number(p.dur), 0);
  const list: Open[] = [];
  for (const {id, dur, name, colour} of pieces) {
    const ns = Number(dur);
    const kind = kindOf(name);
    const last = list.at(-1);
    if (
      last === undefined ||
      last.kind !== kind ||
      (last.name !== name && Math.min(last.longest, ns) >= apart * total)
    ) {
      list.push({kind, name, id, colour, longest: ns, ns, others: 0});
      continue;
    }
    last.ns += ns;
    if (last.longest < ns) {
      last.longest = ns;
      last.name = name;
      last.id = id;
    }
  }
  const joined: Open[] = [];
  for (const part of list) {
    const last = joined.at(-1);
    if (
      last === undefined ||
      part.ns >= least * total ||
      last.others + part.ns > Math.max(last.ns, least * total)
    ) {
      joined.push(part);
    } else if (last.kind === part.kind) {
      last.ns += part.ns;
    } else {
      last.others += part.ns;
    }
  }
  return joined.map(({kind, name, id, colour, ns, others}) => {
    const share = total > 0 ? (ns + others) / total : 0;
    return {kind, name, id, colour, ns, share};
  });
}

/** The time of all pieces of a kind. */
export interface Kind {
  readonly kind: string;
  readonly colour: string;
  readonly ns: number;
}

/** Returns the time by kind, the longest first. */
export function kinds(pieces: readonly Piece[]): Kind[] {
  const sums = new Map<string, Kind>();
  for (const {name, dur, colour} of pieces) {
    const kind = kindOf(name);
    const ns = (sums.get(kind)?.ns ?? 0) + Number(dur);
    sums.set(kind, {kind, colour, ns});
  }
  return [...sums.values()].sort((a, b) => b.ns - a.ns);
}

/**
 * Returns the causes of at least a share of a whole, and the first one. The
 * rest is the sum of the others.
 */
export function largest<C extends {readonly ns: number}>(
  causes: readonly C[],
  whole: number,
  share: number,
): {shown: C[]; count: number; rest: number} {
  const shown = causes.filter((c, i) => i === 0 || c.ns >= share * whole);
  const others = causes.filter((c) => !shown.includes(c));
  const rest = others.reduce((ns, c) => ns + c.ns, 0);
  return {shown, count: others.length, rest};
}

/** Formats nanoseconds. */
export function milliseconds(ns: number): string {
  const ms = ns / 1e6;
  if (ms > 0 && ms < 0.005) return '< 0.01 ms';
  return `${ms.toFixed(ms >= 100 ? 0 : ms >= 0.1 || ms === 0 ? 1 : 2)} ms`;
}

/** Formats a part of a whole. Only nothing is 0 %. */
export function percent(part: number, whole: number): string {
  const share = whole > 0 ? (100 * part) / whole : 0;
  return share > 0 && share < 1 ? '< 1 %' : `${Math.round(share)} %`;
}
