import {expect, test} from 'vitest';
import {getColorForSlice} from './colorizer';

// Colours in pictures of the UI.
test('slices have the colours of the UI', () => {
  const of = (text: string) => getColorForSlice(text, {stripTrailingDigits: false});
  for (const [text, want] of [
    ['waiting for storage I/O', [0xe9, 0xa1, 0x4e]],
    ['running on the CPU', [0x43, 0x8b, 0x34]],
    ['wait for the vsync', [0x4f, 0xb3, 0xc1]],
  ] as const) {
    const got = of(text).base.cssString.match(/\d+/g)!.map(Number);
    got.forEach((part, i) => expect(Math.abs(part - want[i]!), `${text}: ${got}`).toBeLessThanOrEqual(1));
  }
  expect(of('running on the CPU').textBase.cssString).toBe('white');
});
