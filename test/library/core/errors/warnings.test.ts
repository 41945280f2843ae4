// Every warning that the catalogue describes is said somewhere. That each one said is described, the compiler checks.
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { warningCatalogue } from '../../../../src/library/core/errors/warnings.ts';

it('describes no warning that nothing says', () => {
  const sources = globSync('src/{library,cli}/**/*.ts')
    .filter((path) => !path.endsWith('core/errors/warnings.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  // Of passages with a voice: the reason, and "_kept".
  const isSaid = (code: string): boolean =>
    sources.includes(`'${code}'`) || sources.includes(`'${code.replace(/_kept$/, '')}'`);
  expect(Object.keys(warningCatalogue).filter((code) => !isSaid(code))).toEqual([]);
  expect(isSaid('format_changed')).toBe(false);
});
