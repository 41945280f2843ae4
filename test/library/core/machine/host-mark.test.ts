import { expect, it } from 'vitest';
import { hostMark } from '../../../../src/library/core/machine/host-mark.ts';

it('is the same in every network on macOS, and differs between machines', () => {
  expect(hostMark('Annas-MacBook.local', 'darwin')).toBe(hostMark('annas-macbook.fritz.box', 'darwin'));
  // What macOS calls the second one of a name.
  expect(hostMark('Annas-MacBook-2.local', 'darwin')).not.toBe(hostMark('Annas-MacBook.local', 'darwin'));
  expect(hostMark('node-1.a.example', 'linux')).not.toBe(hostMark('node-1.b.example', 'linux'));
  expect(hostMark()).toMatch(/^[0-9a-f]{8}$/);
});
