// Where a page leads after a choice or a sign-in comes from outside.
import { validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ownPath } from '../../../../src/service/http/site/frame/own-path.ts';
import { slow } from '../../../fixtures/rounds.ts';

it.each([
  ['/files?a=1#top', '/files?a=1#top'],
  ['/\u2603', '/%E2%98%83'],
  ['/%E2%98%83?q=%25', '/%E2%98%83?q=%25'],
  ['/\u0001', null],
  ['/\u007f', null],
  ['/\ud800', null],
  ['//evil.example', null],
  ['/\\evil.example', null],
  ['/\t/evil.example', null],
  ['https://evil.example', null],
  [`/${'a'.repeat(1000)}`, null],
  [undefined, null],
])('%j leads to %j', (path, expected) => {
  expect(ownPath(path)).toBe(expected);
});

it('leads to nothing or to this host, in a header that Node sends, whatever comes', slow, () => {
  fc.assert(
    fc.property(
      fc
        .oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }), fc.webUrl())
        .map((text) => `/${text}`),
      (path) => {
        const own = ownPath(path);
        if (own === null) return;
        validateHeaderValue('location', own);
        expect(new URL(own, 'https://own.example').host).toBe('own.example');
        expect(ownPath(own)).toBe(own);
      },
    ),
    { numRuns: 2000 },
  );
});
