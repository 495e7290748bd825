import {expect, test} from 'vitest';
import {commandsOf, parse} from './keep';

const view = {
  trace: 'u', commands: '[]', start: '1', end: '2', workspace: 'Frames', expanded: ['a\nb'], tab: 'Why late?',
  selection: {kind: 'track_event', trackUri: '/slice_4', eventId: 7},
};

test('a stored view is of its trace, and valid', () => {
  const at = (change: object) => parse(JSON.stringify({...view, ...change}), 'u');
  expect(at({})).toEqual(view);
  expect(at({selection: undefined, tab: undefined})).toBeDefined();
  expect(at({selection: {kind: 'area', start: '1', end: '2', trackUris: ['a']}})).toBeDefined();
  for (const bad of [
    {trace: 'v'}, {commands: 3}, {start: 1}, {end: '1.5'}, {workspace: null}, {expanded: [1]}, {selection: {kind: 'area'}},
    {selection: {kind: 'track_event', trackUri: 'a', eventId: '1'}}, {selection: {kind: 'other'}},
  ]) {
    expect(at(bad), JSON.stringify(bad)).toBeUndefined();
  }
  for (const text of [null, '', '{', 'null', '7', '[]']) expect(parse(text, 'u'), String(text)).toBeUndefined();
  expect(parse(JSON.stringify({...view, trace: ''}), '')).toBeUndefined(); // traces without an id are not told apart
});

test('commands of an address', () => {
  const query = {id: 'dev.perfetto.RunQuery', args: ['SELECT 1']};
  expect(commandsOf(JSON.stringify([query, {id: query.id}, {args: []}, null, 7]))).toEqual([query, {id: query.id, args: []}]);
  // Commands that the UI does not run for an address are not run after a reload either.
  expect(commandsOf(JSON.stringify([{id: 'dev.perfetto.ShareTrace', args: []}, query]))).toEqual([query]);
  for (const text of ['', '{}', 'x', '7']) expect(commandsOf(text)).toEqual([]);
});
