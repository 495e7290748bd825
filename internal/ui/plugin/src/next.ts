// Which late frame comes after or before a place.

// Late is a late frame.
export interface Late {
  readonly id: number; // of its slice on a track Frames
  readonly ts: bigint;
  readonly dur: bigint;
  readonly upid: number;
  readonly process: string;
  readonly pid: number;
  readonly vsync: string;
  readonly overrun: number; // in nanoseconds
  readonly cause: string;
}

// Place is where to look from: a slice of a process, or a time.
export interface Place {
  readonly id?: number;
  readonly ts: bigint;
  readonly upid?: number;
}

export interface Step {
  readonly frame: Late;
  readonly number: number; // from 1, in time order
  readonly of: number;
  readonly wrapped: boolean;
}

// step returns the next late frame after a place, or the previous one before it. It is of
// the process of the place, if that has one. It wraps at the ends. Without late frames it
// returns undefined.
export function step(frames: readonly Late[], place: Place, forward: boolean): Step | undefined {
  const own = frames.filter((f) => place.upid === undefined || f.upid === place.upid);
  own.sort(order);
  const at = {id: place.id ?? (forward ? -1 : Infinity), ts: place.ts};
  let index = forward ? own.findIndex((f) => order(f, at) > 0) : own.findLastIndex((f) => order(f, at) < 0);
  const wrapped = index < 0;
  if (wrapped) index = forward ? 0 : own.length - 1;
  const frame = own[index];
  return frame && {frame, number: index + 1, of: own.length, wrapped};
}

function order(a: {ts: bigint; id: number}, b: {ts: bigint; id: number}): number {
  return a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : a.id - b.id;
}

// worst returns the frames that missed their deadlines by most.
export function worst(frames: readonly Late[], n: number): Late[] {
  return [...frames].sort(byOverrun).slice(0, n);
}

// rankOf returns the place of a frame among all, from 1, which is the worst.
export function rankOf(frames: readonly Late[], frame: Late): number {
  return 1 + frames.filter((f) => byOverrun(f, frame) < 0).length;
}

function byOverrun(a: Late, b: Late): number {
  return b.overrun - a.overrun || order(a, b);
}

// Walk shows late frames one after another. A frame that is asked for while another one is
// being shown is shown after it; if there are several, only the last.
export class Walk {
  // target is the frame that was asked for last, until it is shown.
  target?: Late;
  private walking = false;

  constructor(private readonly show: (frame: Late) => Promise<void>) {}

  async to(frame: Late): Promise<void> {
    this.target = frame;
    if (this.walking) return;
    this.walking = true;
    try {
      for (let shown: Late | undefined; shown !== this.target; ) {
        shown = this.target;
        await this.show(shown);
      }
    } finally {
      this.walking = false;
      this.target = undefined;
    }
  }
}
