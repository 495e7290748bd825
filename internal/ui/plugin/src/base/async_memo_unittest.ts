import {expect, test, vi} from 'vitest';
import {AsyncMemo} from './async_memo';

test('a value is computed once, and drawn when it is there', async () => {
  const redraw = vi.fn();
  vi.stubGlobal('window', {m: {redraw}});
  const said = vi.spyOn(console, 'info').mockImplementation(() => undefined);
  const memo = new AsyncMemo<string>();
  const asked: number[] = [];
  const use = (slice: number, retain: boolean) =>
    memo.use({
      key: {slice},
      compute: async () => {
        asked.push(slice);
        if (slice === 4) throw new Error('x');
        return `of ${slice}`;
      },
      retainOn: retain ? ['slice'] : undefined,
    });
  const drawn = () => vi.waitFor(() => expect(redraw).toHaveBeenCalledTimes(1)).then(() => redraw.mockClear());

  expect(use(1, true)).toEqual({isPending: true, data: undefined});
  await drawn();
  expect([use(1, true), use(1, true)]).toEqual(Array(2).fill({isPending: false, data: 'of 1'}));
  expect(use(2, false)).toEqual({isPending: true, data: undefined});
  expect(use(3, true)).toEqual({isPending: true, data: 'of 1'}); // what the selection was before
  await drawn(); // once: nobody waits for 2 any more
  expect(use(3, true)).toEqual({isPending: false, data: 'of 3'});
  use(4, true);
  await vi.waitFor(() => expect(said).toHaveBeenCalledTimes(1));
  expect(use(4, true)).toEqual({isPending: true, data: 'of 3'});
  expect(asked).toEqual([1, 2, 3, 4]);
});
