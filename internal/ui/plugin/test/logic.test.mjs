// Tests of what needs no UI, on the modules that make plugin-test builds.
import assert from 'node:assert/strict';
import test from 'node:test';
import {commandsOf, parse} from '../modules/keep.mjs';
import {rankOf, step, Walk, worst} from '../modules/next.mjs';
import {chain, colourOf, during, kinds, milliseconds, parts, percent, textOn} from '../modules/pieces.mjs';
import {byCause, largest, moveTimes, quote, rootOf} from '../modules/sums.mjs';

const piece = (id, ts, dur, name, trackId = 1) => ({id, trackId, ts: BigInt(ts), dur: BigInt(dur), name});

test('a chain follows one frame where two overlap', () => {
  // Frame A is 0–100, frame B 40–160, late because A was. The engine swaps the tracks at 50.
  const all = [
    piece(1, 0, 30, 'running · a', 1), piece(2, 30, 20, 'waiting for storage · a', 1), piece(3, 40, 60, 'busy with an earlier frame · 1', 2),
    piece(4, 50, 50, 'running · a', 1), piece(5, 100, 60, 'running · b', 1),
  ];
  const ids = (list) => list.map((p) => p.id);
  assert.deepEqual(ids(chain(all, [40n])), [3, 5]);
  assert.deepEqual(ids(chain(all.filter((p) => p.ts + p.dur <= 100n), [0n])), [1, 2, 4]);
  // Where two end at once, the track decides.
  assert.deepEqual(ids(chain([piece(1, 0, 10, 'x', 1), piece(2, 0, 10, 'x', 2), piece(3, 10, 5, 'x', 2), piece(4, 10, 5, 'x', 1)], [0n])), [1, 4]);
});

test('a chain goes on after pieces that were left out', () => {
  const list = [piece(1, 0, 10, 'a'), piece(2, 12, 10, 'b'), piece(3, 22, 10, 'c')];
  assert.deepEqual(chain(list, [0n]), list);
  assert.deepEqual(chain([], [0n]), []);
  assert.deepEqual(chain(list, []), list); // of an unknown start
});

test('times of a slice move with it', () => {
  const facts = [['ts', '100'], ['deadline_ts', '160'], ['vsync_id', '7'], ['overrun_ms', '1.5'], ['causes[0].earlier_ts', '90'], ['sent_ts', '']];
  assert.deepEqual([...moveTimes(new Map(facts), 3100n)], [
    ['ts', '100'], ['deadline_ts', '3160'], ['vsync_id', '7'], ['overrun_ms', '1.5'], ['causes[0].earlier_ts', '3090'], ['sent_ts', ''],
  ]);
  assert.deepEqual([...moveTimes(new Map(facts.slice(1)), 3100n)], facts.slice(1)); // of an older version
});

test('pieces of no duration end a chain', () => {
  assert.deepEqual(chain([piece(1, 0, 0, 'a'), piece(2, 0, 0, 'b')], [0n]).length, 1);
});

test('others were waited for during a wait of the frame', () => {
  const pieces = [piece(1, 0, 10, 'running · a'), piece(2, 10, 20, 'waiting for a lock'), piece(3, 30, 20, 'busy with an earlier frame · 7'),
    piece(9, 50, 20, 'working on the GPU · drawing')];
  const others = [
    piece(4, 10, 5, 'x'), piece(5, 15, 15, 'y'), piece(6, 2, 3, 'while it ran'), piece(7, 25, 10, 'longer than the wait'), piece(8, 32, 3, 'of the earlier frame'),
    piece(10, 55, 5, 'of the next frame'),
  ];
  assert.deepEqual(during(others, pieces).map((p) => p.id), [5, 4]);
});

const sum = (list) => list.reduce((total, p) => total + p.share, 0);

test('parts add up to the whole', () => {
  const list = [
    piece(1, 0, 10, 'waiting for the vsync · start'), piece(2, 10, 300, 'running · a'), piece(3, 310, 40, 'running · b'),
    piece(4, 350, 1, 'waiting for a CPU · a'), piece(5, 351, 649, 'waiting for storage · a · x'),
  ];
  const got = parts(list, 0.004, 0.05);
  assert.deepEqual(got.map((p) => [p.kind, p.id, p.ns]), [['waiting for the vsync', 1, 10], ['running', 2, 340], ['waiting for storage', 5, 649]]);
  assert.deepEqual(got.map((p) => Math.round(1000 * p.share)), [10, 341, 649]);
  assert.deepEqual(kinds(list), [
    {kind: 'waiting for storage', ns: 649}, {kind: 'running', ns: 340}, {kind: 'waiting for the vsync', ns: 10}, {kind: 'waiting for a CPU', ns: 1},
  ]);
  assert.deepEqual(parts([], 0.004, 0.05), []);
  assert.equal(parts([piece(1, 0, 0, 'a')], 0.004, 0.05)[0].share, 0);
});

test('wide pieces of one kind in two places are two parts', () => {
  const got = parts([piece(1, 0, 40, 'running · a'), piece(2, 40, 5, 'running · b'), piece(3, 45, 55, 'running · c')], 0.004, 0.06);
  assert.deepEqual(got.map((p) => [p.name, p.ns]), [['running · a', 45], ['running · c', 55]]);
});

test('many short pieces do not vanish in a wait', () => {
  const list = [piece(0, 0, 100, 'waiting for storage')];
  for (let i = 0; i < 100; i++) list.push(piece(i + 1, 100 + 2 * i, 2, i % 2 ? 'running · a' : 'waiting for a CPU'));
  const got = parts(list, 0.01, 0.05);
  assert.ok(Math.abs(sum(got) - 1) < 1e-9);
  assert.ok(got[0].share <= 2 / 3 + 1e-9, `${got[0].share}`);
});

test('kinds of waits have colours', () => {
  const all = [
    'running', 'running on a slower CPU', 'waiting for a CPU', 'waiting for the vsync', 'waiting for storage', 'waiting for memory',
    'waiting for a free buffer', 'waiting for the GPU or the display', 'waiting for the render thread', "waiting for another process's reply",
  ];
  assert.equal(new Set(all.map(colourOf)).size, all.length);
  assert.match(colourOf('something new'), /^#/);
});

test('text has the greater contrast', () => {
  assert.deepEqual(['#000000', '#ffffff', '#767676', '#747474', '#ffff00', '#0000ff'].map(textOn), ['#fff', '#000', '#000', '#fff', '#000', '#fff']);
});

test('percent', () => {
  assert.deepEqual([0, 1, 9, 10, 15, 754, 1000].map((n) => percent(n, 1000)), ['0 %', '< 1 %', '< 1 %', '1 %', '2 %', '75 %', '100 %']);
  assert.equal(percent(0, 0), '0 %');
});

test('milliseconds', () => {
  assert.equal(milliseconds(4_999), '< 0.01 ms');
  assert.deepEqual([0, 5_000, 40_000, 100_000, 35_368_786, 250_400_000].map(milliseconds), ['0.0 ms', '0.01 ms', '0.04 ms', '0.1 ms', '35.4 ms', '250 ms']);
});

const late = (id, ts, upid, overrun = 1) => ({id, ts: BigInt(ts), dur: 10n, upid, overrun});

test('the next late frame is of the same process, and wraps', () => {
  const all = [late(3, 30, 2), late(1, 10, 1), late(2, 20, 1), late(4, 30, 1)];
  const id = (place, forward) => {
    const s = step(all, place, forward);
    return s && [s.frame.id, s.number, s.of, s.wrapped];
  };
  assert.deepEqual(id({id: 1, ts: 10n, upid: 1}, true), [2, 2, 3, false]);
  assert.deepEqual(id({id: 4, ts: 30n, upid: 1}, true), [1, 1, 3, true]);
  assert.deepEqual(id({id: 1, ts: 10n, upid: 1}, false), [4, 3, 3, true]);
  assert.deepEqual(id({ts: 25n}, true), [3, 3, 4, false]);
  assert.deepEqual(id({ts: 25n}, false), [2, 2, 4, false]);
  assert.deepEqual(id({id: 3, ts: 30n}, true), [4, 4, 4, false]); // at the same time, by id
  assert.deepEqual(id({ts: 20n}, true), [2, 2, 4, false]); // one that begins there, too
  assert.deepEqual(id({id: 9, ts: 15n, upid: 1}, true), [2, 2, 3, false]); // from a frame on time
  assert.equal(id({ts: 0n, upid: 7}, true), undefined);
});

test('frames that are asked for while one is being shown count', async () => {
  const all = [late(1, 10, 1), late(2, 20, 1), late(3, 30, 1), late(4, 40, 1)];
  const shown = [];
  const done = []; // ends the showing of a frame
  const walk = new Walk((frame) => new Promise((end) => { shown.push(frame.id); done.push(end); }));
  const press = () => walk.to(step(all, walk.target ?? all[0], true).frame);
  const end = press();
  press();
  press();
  assert.equal(walk.target.id, 4);
  done[0]();
  await new Promise(setImmediate);
  assert.deepEqual(shown, [2, 4]);
  done[1]();
  await end;
  assert.equal(walk.target, undefined);
  // A frame that cannot be shown does not block the next.
  let fail = true;
  const failing = new Walk(async () => { if (fail) throw new Error('x'); });
  await assert.rejects(failing.to(all[0]));
  assert.equal(failing.target, undefined);
  fail = false;
  await failing.to(all[1]);
});

test('the worst frames', () => {
  const all = [late(1, 10, 1, 5), late(2, 20, 1, 9), late(3, 5, 1, 5)];
  assert.deepEqual(worst(all, 2).map((f) => f.id), [2, 3]);
  assert.deepEqual(all.map((f) => rankOf(all, f)), [3, 1, 2]);
});

test('lost time by cause', () => {
  const got = byCause([
    {frame: 1, title: 'storage', ns: 5, advice: 'x'}, {frame: 2, title: 'storage', ns: 7, advice: 'x'},
    {frame: 1, title: 'CPU', ns: 20, advice: ''}, {frame: 2, title: 'variation', ns: 0, advice: ''},
  ]);
  assert.deepEqual(got, [
    {title: 'CPU', advice: '', ns: 20, frames: 1, worst: 1}, {title: 'storage', advice: 'x', ns: 12, frames: 2, worst: 2},
  ]);
});

test('causes that cost little are counted', () => {
  const of = (...list) => {
    const {shown, count, rest} = largest(list.map((ns) => ({ns})), 1000, 0.01);
    return [shown.map((c) => c.ns), count, rest];
  };
  assert.deepEqual(of(900, 10, 9, 5, 0), [[900, 10], 3, 14]);
  assert.deepEqual(of(3, 2), [[3], 1, 2]); // the first cause is always shown
  assert.deepEqual(of(), [[], 0, 0]);
});

test('time lost to an earlier frame counts for the cause of that one', () => {
  const own = {frame: 1, title: 'storage', ns: 5, advice: 'x', earlier: ''};
  const due = (frame) => ({frame, title: 'busy', ns: 10 * frame, advice: '', earlier: `${frame - 1}`});
  const causes = new Map([[1, [own]], [2, [due(2)]], [3, [due(3)]], [5, [due(5)]], [4, []]]);
  const root = (frame) => rootOf(frame, causes.get(frame)[0], (_, s) => (s.earlier === '' ? undefined : Number(s.earlier)), (f) => causes.get(f)?.[0]);
  assert.deepEqual(root(3), {...due(3), title: 'storage', advice: 'x'});
  assert.deepEqual(root(1), own);
  assert.deepEqual(root(5), due(5)); // frame 4 has no cause
  const circle = (frame) => ({...due(frame), earlier: `${1 - frame}`});
  rootOf(0, circle(0), (_, s) => Number(s.earlier), circle); // ends
});

test('texts in SQL', () => {
  assert.equal(quote("Why (it's\0 \"x\" 7)"), `'Why (it''s "x" 7)'`);
});

const view = {
  trace: 'u', commands: '[]', start: '1', end: '2', workspace: 'Frames', expanded: ['a\nb'], tab: 'Why late?',
  selection: {kind: 'track_event', trackUri: '/slice_4', eventId: 7},
};

test('a stored view is of its trace, and valid', () => {
  const at = (change) => parse(JSON.stringify({...view, ...change}), 'u');
  assert.deepEqual(at({}), view);
  assert.ok(at({selection: undefined, tab: undefined}));
  assert.ok(at({selection: {kind: 'area', start: '1', end: '2', trackUris: ['a']}}));
  for (const bad of [
    {trace: 'v'}, {commands: 3}, {start: 1}, {end: '1.5'}, {workspace: null}, {expanded: [1]}, {selection: {kind: 'area'}},
    {selection: {kind: 'track_event', trackUri: 'a', eventId: '1'}}, {selection: {kind: 'other'}},
  ]) {
    assert.equal(at(bad), undefined, JSON.stringify(bad));
  }
  for (const text of [null, '', '{', 'null', '7', '[]']) assert.equal(parse(text, 'u'), undefined, String(text));
  assert.equal(parse(JSON.stringify({...view, trace: ''}), ''), undefined); // traces without an id are not told apart
});

test('commands of an address', () => {
  const query = {id: 'dev.perfetto.RunQuery', args: ['SELECT 1']};
  assert.deepEqual(commandsOf(JSON.stringify([query, {id: query.id}, {args: []}, null, 7])), [query, {id: query.id, args: []}]);
  // Commands that the UI does not run for an address are not run after a reload either.
  assert.deepEqual(commandsOf(JSON.stringify([{id: 'dev.perfetto.ShareTrace', args: []}, query])), [query]);
  for (const text of ['', '{}', 'x', '7']) assert.deepEqual(commandsOf(text), []);
});
