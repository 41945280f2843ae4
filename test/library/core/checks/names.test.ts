import { describe, expect, it } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { closestName, shownName } from '../../../../src/library/core/checks/names.ts';
import { requireModel } from '../../../../src/library/models/manifest.ts';
import { requireTool } from '../../../../src/library/tools/registry.ts';

describe('a name that is shown', () => {
  it.each([
    ['cut_audio', 'cut_audio'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['x'.repeat(101), `${'x'.repeat(97)}...`],
    // The 97th character is the first half of one.
    [`${'x'.repeat(96)}${'😀'.repeat(5)}`, `${'x'.repeat(96)}...`],
  ])('is cut to 100 characters: %s', (name, shown) => {
    expect(shownName(name)).toBe(shown);
    expect(shownName(name)).not.toMatch(/[\uD800-\uDFFF]/u);
  });
});

it('a name above 64 characters is compared with none', () => {
  const known = ['a'.repeat(70)];
  expect(closestName('a'.repeat(64), known)).toBe(known[0]);
  expect(closestName('a'.repeat(65), known)).toBeUndefined();
});

const refusal = (call: () => unknown): EarshotError => {
  try {
    call();
  } catch (thrown) {
    if (thrown instanceof EarshotError) return thrown;
  }
  throw new Error('nothing was refused');
};

it.each([
  ['tool', requireTool],
  ['model', requireModel],
] as const)('a %s of 2.9 MB is refused in a line', (_what, require) => {
  const before = process.cpuUsage();
  const refused = refusal(() => require('n'.repeat(2_900_000)));
  const { user } = process.cpuUsage(before);
  expect(refused.code).toBe('bad_request');
  expect(JSON.stringify(refused).length).toBeLessThan(1500);
  expect(user / 1000).toBeLessThan(200);
});
