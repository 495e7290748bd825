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

/** A late frame. */
export interface Late {
  /** The slice on a track Frames. */
  readonly id: number;
  readonly ts: bigint;
  readonly dur: bigint;
  readonly upid: number;
  /** Its process, as the UI labels it. */
  readonly process: string;
  readonly vsync: string;
  /** In nanoseconds. */
  readonly overrun: number;
  readonly cause: string;
}

/** Where to look from: a slice of a process, or a time. */
export interface Place {
  readonly id?: number;
  readonly ts: bigint;
  readonly upid?: number;
}

export interface Step {
  readonly frame: Late;
  /** From 1, in time order. */
  readonly number: number;
  readonly of: number;
  readonly wrapped: boolean;
}

/**
 * Returns the next late frame after a place, or the previous one before it. It
 * is of the process of the place, if that has one. It wraps at the ends.
 * Without late frames it returns undefined.
 */
export function step(
  frames: readonly Late[],
  place: Place,
  forward: boolean,
): Step | undefined {
  const own = frames
    .filter((f) => place.upid === undefined || f.upid === place.upid)
    .sort(order);
  const at = {id: place.id ?? (forward ? -1 : Infinity), ts: place.ts};
  let index = forward
    ? own.findIndex((f) => order(f, at) > 0)
    : own.findLastIndex((f) => order(f, at) < 0);
  const wrapped = index < 0;
  if (wrapped) index = forward ? 0 : own.length - 1;
  const frame = own.at(index);
  if (frame === undefined) return undefined;
  return {frame, number: index + 1, of: own.length, wrapped};
}

interface Instant {
  readonly ts: bigint;
  readonly id: number;
}

function order(a: Instant, b: Instant): number {
  return a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : a.id - b.id;
}

/** Returns the frames that missed their deadlines by most. */
export function worst(frames: readonly Late[], n: number): Late[] {
  return [...frames].sort(byOverrun).slice(0, n);
}

/** Returns the place of a frame among all, from 1, which is the worst. */
export function rankOf(frames: readonly Late[], frame: Late): number {
  return 1 + frames.filter((f) => byOverrun(f, frame) < 0).length;
}

function byOverrun(a: Late, b: Late): number {
  return b.overrun - a.overrun || order(a, b);
}

/**
 * Where steps from late frame to late frame have come. A step does not wait
 * until the frame of the one before is selected.
 */
export class Walk<S extends {readonly kind: string}> {
  private at?: Step;
  private from?: S;
  private readonly asked = new Set<number>();

  /** The step that was taken last. */
  get last(): Step | undefined {
    return this.at;
  }

  /** Takes a step while something is selected. */
  take(next: Step, selected: S): void {
    if (this.frame(selected) === undefined) this.asked.clear();
    this.at = next;
    this.from = selected;
    this.asked.add(next.frame.id);
  }

  /**
   * Returns the frame of the last step, unless the user has selected
   * something else since.
   */
  frame(selected: S & {readonly eventId?: number}): Late | undefined {
    if (this.at === undefined) return undefined;
    const {id} = this.at.frame;
    if (selected.eventId === id) {
      this.asked.clear();
      this.asked.add(id);
      this.from = undefined;
      return this.at.frame;
    }
    const asked = this.asked.has(selected.eventId ?? -1);
    return asked || selected === this.from ? this.at.frame : undefined;
  }
}
