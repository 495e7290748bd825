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
import {type Late, type Place, rankOf, step, Walk, worst} from './late';

function late(id: number, ts: number, upid: number, overrun = 1): Late {
  return {
    id,
    ts: BigInt(ts),
    dur: 10n,
    upid,
    overrun,
    process: '',
    vsync: '',
    cause: '',
  };
}

test('the next late frame is of the same process, and wraps', () => {
  const all = [late(3, 30, 2), late(1, 10, 1), late(2, 20, 1), late(4, 30, 1)];
  const from = (place: Place, forward: boolean) => {
    const s = step(all, place, forward);
    return s && [s.frame.id, s.number, s.of, s.wrapped];
  };
  expect(from({id: 1, ts: 10n, upid: 1}, true)).toEqual([2, 2, 3, false]);
  expect(from({id: 4, ts: 30n, upid: 1}, true)).toEqual([1, 1, 3, true]);
  expect(from({id: 1, ts: 10n, upid: 1}, false)).toEqual([4, 3, 3, true]);
  expect(from({ts: 25n}, true)).toEqual([3, 3, 4, false]);
  expect(from({ts: 25n}, false)).toEqual([2, 2, 4, false]);
  // At the same time, by id.
  expect(from({id: 3, ts: 30n}, true)).toEqual([4, 4, 4, false]);
  // One that begins there, too.
  expect(from({ts: 20n}, true)).toEqual([2, 2, 4, false]);
  // From a frame on time.
  expect(from({id: 9, ts: 15n, upid: 1}, true)).toEqual([2, 2, 3, false]);
  expect(from({ts: 0n, upid: 7}, true)).toBeUndefined();
});

test('the worst frames', () => {
  const all = [late(1, 10, 1, 5), late(2, 20, 1, 9), late(3, 5, 1, 5)];
  expect(worst(all, 2).map((f) => f.id)).toEqual([2, 3]);
  expect(all.map((f) => rankOf(all, f))).toEqual([3, 1, 2]);
});

test('steps do not wait for the selection', () => {
  const all = [1, 2, 3, 4].map((id) => late(id, 10 * id, 1));
  const selected = (eventId: number) => ({kind: 'track_event', eventId});
  const walk = new Walk<{kind: string; eventId?: number}>();
  let selection: {kind: string; eventId?: number} = {kind: 'empty'};
  const press = () => {
    const from = walk.frame(selection) ?? {ts: 0n};
    const next = step(all, from, true);
    if (next !== undefined) walk.take(next, selection);
    return next?.frame.id;
  };
  expect(walk.frame(selection)).toBeUndefined();
  expect([press(), press(), press()]).toEqual([1, 2, 3]);
  selection = selected(1); // The selection follows.
  expect(walk.frame(selection)?.id).toBe(3);
  expect(press()).toBe(4);
  selection = selected(4);
  expect(walk.frame(selection)?.id).toBe(4);
  selection = selected(2); // By the user.
  expect(walk.frame(selection)).toBeUndefined();
  expect(press()).toBe(1);
  expect(press()).toBe(2);
});
