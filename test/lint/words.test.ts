// Plain English: words that a reader stumbles over, and comments that leave the window.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import { slow } from '../fixtures/rounds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Each with what to write in its place. */
const avoided: Readonly<Record<string, string>> = {
  whoever: 'the user, the caller, the client, or no person at all',
  whomever: 'as for whoever',
  nobody: 'no one, not, unknown, or the passive',
  anybody: 'a user, a client, anyone',
  stands: 'is, is listed, means',
  stood: 'was',
  thereof: 'of it',
  hereby: 'nothing',
};
/** The user of that name in Unix, and speech that is spoken in a test or a bench. */
const fine = [
  /`nobody`/g,
  /user nobody/g,
  /--user nobody/g,
  /id of nobody/g,
  /'nobody'/g,
  /postgres or nobody/g,
  /Nobody (?:on|spoke|had)/g,
];
const capitalised = (text: string): string => `[${text[0]}${text[0]?.toUpperCase()}]${text.slice(1)}`;
const word = new RegExp(`\\b(?:${Object.keys(avoided).map(capitalised).join('|')})\\b`, 'gu');

const texts = globSync(
  [
    '{src,scripts,bench,native,deploy}/**/*.{ts,js,mjs,css,cc,h,c,yaml,yml}',
    'docs/**/*.md',
    '*.md',
    '.github/**/*.yml',
  ],
  { cwd: root },
)
  .map((file) => file.replaceAll('\\', '/'))
  // What was written of earlier versions stays as it was.
  .filter((file) => file !== 'CHANGELOG.md' && !/(?:^|\/)(?:build|node_modules)\//.test(file));

function foundIn(text: string): string[] {
  const shown = fine.reduce((left, each) => left.replaceAll(each, ''), text);
  return shown
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(word)].map(([found]) => `${index + 1}: "${found}" (write: ${avoided[found.toLowerCase()]})`),
    );
}

it('no text uses a word of the list', () => {
  expect(texts.length).toBeGreaterThan(700);
  expect(
    texts.flatMap((file) => foundIn(readFileSync(join(root, file), 'utf8')).map((each) => `${file}:${each}`)),
  ).toEqual([]);
});

it('a word of the list is found, and the user nobody is none', () => {
  expect(foundIn('a\nIt stands there for whoever asks.')).toHaveLength(2);
  expect(foundIn('runs as the user nobody, or as `nobody`')).toEqual([]);
});

it('comments end at column 120', slow, () => {
  const long = [...texts, ...globSync('test/**/*.{ts,mjs}', { cwd: root })]
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /^(?:src|bench|scripts|test)\/.*\.(?:ts|mjs)$/.test(file))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const lines = source.split('\n');
      return parseSync(file, source).comments.flatMap(({ start, end }) => {
        const first = source.slice(0, start).split('\n').length;
        return source
          .slice(start, end)
          .split('\n')
          .map((_, index) => first + index)
          .filter((line) => Array.from(lines[line - 1] ?? '').length > 120)
          .map((line) => `${file}:${line}`);
      });
    });
  expect(long).toEqual([]);
});
