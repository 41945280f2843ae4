// A stylesheet dresses what pages have: a class that no page and no script names is dead, and every visitor loads it.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../src/', import.meta.url));
/** Without comments; `audio/*` begins none. */
const read = (path: string): string => readFileSync(root + path, 'utf8').replaceAll(/(?<=^|\s)\/\*[\s\S]*?\*\//g, '');

const code = globSync('{site,service/http}/**/*.{ts,tsx}', { cwd: root })
  .map((path) => read(path).replaceAll(/^\s*\/\/.*$/gm, ''))
  .join('\n');
const words = new Set<string>(code.match(/[A-Za-z_][\w-]*/g));
/** Of names that are put together: `speaker-${index}`. */
const beginnings = [...new Set(code.match(/[A-Za-z][\w-]*-(?=\$\{)/g))];

it.each(globSync('site/styles/*.css', { cwd: root }))('every class of %s is named by a page or a script', (path) => {
  const selectors = read(path).replaceAll(/\{[^{}]*\}/g, ' ');
  const classes = new Set([...selectors.matchAll(/\.([A-Za-z_][\w-]*)/g)].map(([, name = '']) => name));
  const dead = [...classes].filter((name) => !words.has(name) && !beginnings.some((begin) => name.startsWith(begin)));
  expect(dead).toEqual([]);
});
