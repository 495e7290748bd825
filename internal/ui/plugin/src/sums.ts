// Lost time by cause, and what facts of slices mean.

// Share is what one cause cost one late frame.
export interface Share {
  readonly frame: number; // the id of its slice
  readonly title: string;
  readonly ns: number;
  readonly advice: string;
  readonly earlier: string; // the start of the earlier frame that was the cause, or ''
}

const maxEarlier = 16; // frames: docs/why.md 5

// rootOf returns a share of a frame with the cause that it comes from. earlier returns the
// frame that a share is due to, and first the largest share of a frame.
export function rootOf<F>(of: F, share: Share, earlier: (of: F, s: Share) => F | undefined, first: (of: F) => Share | undefined): Share {
  let [frame, cause] = [of, share];
  for (let i = 0; i < maxEarlier; i++) {
    const before = earlier(frame, cause);
    const largest = before === undefined ? undefined : first(before);
    if (before === undefined || largest === undefined) break;
    [frame, cause] = [before, largest];
  }
  return {...share, title: cause.title, advice: cause.advice};
}

export interface Cause {
  readonly title: string;
  readonly advice: string;
  readonly ns: number;
  readonly frames: number;
  readonly worst: number; // the id of the frame that lost most
}

// byCause adds up shares, the largest sum first. Causes that cost nothing are left out.
export function byCause(shares: readonly Share[]): Cause[] {
  const sums = new Map<string, {title: string; advice: string; ns: number; frames: number; worst: number; most: number}>();
  for (const {frame, title, ns, advice} of shares) {
    if (ns <= 0) continue;
    let sum = sums.get(title);
    if (sum === undefined) {
      sum = {title, advice, ns: 0, frames: 0, worst: frame, most: ns};
      sums.set(title, sum);
    }
    sum.ns += ns;
    sum.frames++;
    if (ns > sum.most) {
      sum.most = ns;
      sum.worst = frame;
    }
  }
  return [...sums.values()]
    .map(({title, advice, ns, frames, worst}) => ({title, advice, ns, frames, worst}))
    .sort((a, b) => b.ns - a.ns || (a.title < b.title ? -1 : 1));
}

// largest returns the causes of at least a share of a whole, and the first one. The rest is
// the sum of the others.
export function largest<C extends {readonly ns: number}>(causes: readonly C[], whole: number, share: number): {shown: C[]; count: number; rest: number} {
  const shown = causes.filter((c, i) => i === 0 || c.ns >= share * whole);
  const others = causes.filter((c) => !shown.includes(c));
  return {shown, count: others.length, rest: others.reduce((ns, c) => ns + c.ns, 0)};
}

// moveTimes returns the facts of a slice with their times, which end in _ts, moved as the slice was
// since its trace was converted: the fact ts is when it began then.
export function moveTimes(facts: ReadonlyMap<string, string>, ts: bigint): Map<string, string> {
  const written = facts.get('ts');
  const by = written === undefined ? 0n : ts - BigInt(written);
  return new Map([...facts].map(([name, value]) => [name, name.endsWith('_ts') && /^\d+$/.test(value) ? String(BigInt(value) + by) : value]));
}

// quote returns a text as a literal of SQL.
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll('\0', '')}'`;
}
