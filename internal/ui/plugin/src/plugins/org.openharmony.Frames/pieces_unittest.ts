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

import {expect, test} from 'vitest';
import {
  chain,
  during,
  kindOf,
  kinds,
  largest,
  milliseconds,
  parts,
  percent,
  type Piece,
} from './pieces';

function piece(
  id: number,
  ts: number,
  dur: number,
  name: string,
  trackId = 1,
): Piece {
  const colour = kindOf(name);
  return {id, trackId, ts: BigInt(ts), dur: BigInt(dur), name, colour};
}

function ids(list: readonly Piece[]): number[] {
  return list.map((p) => p.id);
}

test('a chain follows one frame where two overlap', () => {
  // Frame A is 0–100, frame B 40–160, late because A was. The engine swaps
  // the tracks at 50.
  const all = [
    piece(1, 0, 30, 'running · a', 1),
    piece(2, 30, 20, 'waiting for storage · a', 1),
    piece(3, 40, 60, 'busy with an earlier frame · 1', 2),
    piece(4, 50, 50, 'running · a', 1),
    piece(5, 100, 60, 'running · b', 1),
  ];
  expect(ids(chain(all, [40n]))).toEqual([3, 5]);
  const first = all.filter((p) => p.ts + p.dur <= 100n);
  expect(ids(chain(first, [0n]))).toEqual([1, 2, 4]);
  // Where two end at once, the track decides.
  const swapped = [
    piece(1, 0, 10, 'x', 1),
    piece(2, 0, 10, 'x', 2),
    piece(3, 10, 5, 'x', 2),
    piece(4, 10, 5, 'x', 1),
  ];
  expect(ids(chain(swapped, [0n]))).toEqual([1, 4]);
});

test('a chain goes on after pieces that were left out', () => {
  const list = [
    piece(1, 0, 10, 'a'),
    piece(2, 12, 10, 'b'),
    piece(3, 22, 10, 'c'),
  ];
  expect(chain(list, [0n])).toEqual(list);
  expect(chain([], [0n])).toEqual([]);
  expect(chain(list, [])).toEqual(list); // Of an unknown start.
});

test('pieces of no duration end a chain', () => {
  const list = [piece(1, 0, 0, 'a'), piece(2, 0, 0, 'b')];
  expect(chain(list, [0n])).toHaveLength(1);
});

test('others were waited for during a wait of the frame', () => {
  const pieces = [
    piece(1, 0, 10, 'running · a'),
    piece(2, 10, 20, 'waiting for a lock'),
    piece(3, 30, 20, 'busy with an earlier frame · 7'),
    piece(9, 50, 20, 'working on the GPU · drawing'),
  ];
  const others = [
    piece(4, 10, 5, 'x'),
    piece(5, 15, 15, 'y'),
    piece(6, 2, 3, 'while it ran'),
    piece(7, 25, 10, 'longer than the wait'),
    piece(8, 32, 3, 'of the earlier frame'),
    piece(10, 55, 5, 'of the next frame'),
  ];
  expect(ids(during(others, pieces))).toEqual([5, 4]);
});

test('parts add up to the whole', () => {
  const list = [
    piece(1, 0, 10, 'waiting for the vsync · start'),
    piece(2, 10, 300, 'running · a'),
    piece(3, 310, 40, 'running · b'),
    piece(4, 350, 1, 'waiting for a CPU · a'),
    piece(5, 351, 649, 'waiting for storage · a · x'),
  ];
  const got = parts(list, 0.004, 0.05);
  expect(got.map((p) => [p.kind, p.id, p.ns])).toEqual([
    ['waiting for the vsync', 1, 10],
    ['running', 2, 340],
    ['waiting for storage', 5, 649],
  ]);
  expect(got.map((p) => Math.round(1000 * p.share))).toEqual([10, 341, 649]);
  expect(kinds(list).map((k) => [k.kind, k.ns])).toEqual([
    ['waiting for storage', 649],
    ['running', 340],
    ['waiting for the vsync', 10],
    ['waiting for a CPU', 1],
  ]);
  expect(parts([], 0.004, 0.05)).toEqual([]);
  expect(parts([piece(1, 0, 0, 'a')], 0.004, 0.05).at(0)?.share).toBe(0);
});

test('a part has the colour of its kind', () => {
  const list = [piece(1, 0, 10, 'running · a'), piece(2, 10, 90, 'sleeping')];
  const colours = ['running', 'sleeping'];
  expect(parts(list, 0.004, 0.05).map((p) => p.colour)).toEqual(colours);
  expect(kinds(list).map((k) => k.colour)).toEqual(colours.toReversed());
});

test('wide pieces of one kind in two places are two parts', () => {
  const list = [
    piece(1, 0, 40, 'running · a'),
    piece(2, 40, 5, 'running · b'),
    piece(3, 45, 55, 'running · c'),
  ];
  const got = parts(list, 0.004, 0.06);
  expect(got.map((p) => [p.name, p.ns])).toEqual([
    ['running · a', 45],
    ['running · c', 55],
  ]);
});

test('many short pieces do not vanish in a wait', () => {
  const list = [piece(0, 0, 100, 'waiting for storage')];
  for (let i = 0; i < 100; i++) {
    const name = i % 2 === 0 ? 'waiting for a CPU' : 'running · a';
    list.push(piece(i + 1, 100 + 2 * i, 2, name));
  }
  const got = parts(list, 0.01, 0.05);
  const sum = got.reduce((total, p) => total + p.share, 0);
  expect(sum).toBeCloseTo(1);
  expect(got.at(0)?.share).toBeLessThanOrEqual(2 / 3 + 1e-9);
});

test('causes that cost little are counted', () => {
  const of = (...list: number[]) => {
    const causes = list.map((ns) => ({ns}));
    const {shown, count, rest} = largest(causes, 1000, 0.01);
    return [shown.map((c) => c.ns), count, rest];
  };
  expect(of(900, 10, 9, 5, 0)).toEqual([[900, 10], 3, 14]);
  expect(of(3, 2)).toEqual([[3], 1, 2]); // The first is always shown.
  expect(of()).toEqual([[], 0, 0]);
});

test('percent', () => {
  const got = [0, 1, 9, 10, 15, 754, 1000].map((n) => percent(n, 1000));
  const want = ['0 %', '< 1 %', '< 1 %', '1 %', '2 %', '75 %', '100 %'];
  expect(got).toEqual(want);
  expect(percent(0, 0)).toBe('0 %');
});

test('milliseconds', () => {
  expect(milliseconds(4_999)).toBe('< 0.01 ms');
  const all = [0, 5_000, 40_000, 100_000, 35_368_786, 250_400_000];
  expect(all.map(milliseconds)).toEqual([
    '0.0 ms',
    '0.01 ms',
    '0.04 ms',
    '0.1 ms',
    '35.4 ms',
    '250 ms',
  ]);
});
