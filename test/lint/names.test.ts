// In one room a name means one thing: no two of its files export a type or a function of the same name. What is one
// thing is declared once; two things have two names.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../src/', import.meta.url));
const declared =
  /^export (?:async |abstract )?(?:(?:function\*?|interface|type|class) (\w+)|const (\w+) =\s+(?:async )?[<(])/gmu;

/** Names of the part that a file plays, for which something asks every file of a folder, or a face and its work. */
const parts = ['run', 'show', 'createEngine'];

/** Tools, dialects, adapters and languages stand beside each other and never meet: each is a room. */
const apart = /^(?:library\/tools|service\/(?:http\/site\/strings|http|adapters))\/[^/]+(?=\/)/u;
const roomOf = (file: string): string => apart.exec(file)?.[0] ?? file.split('/').slice(0, -1).slice(0, 2).join('/');

/** "room name: files" of each name that a room declares twice. */
function twice(files: readonly (readonly [path: string, source: string])[]): string[] {
  const at = new Map<string, string[]>();
  for (const [path, source] of files)
    for (const name of new Set([...source.matchAll(declared)].map((found) => found[1] ?? found[2] ?? ''))) {
      if (parts.includes(name)) continue;
      const key = `${roomOf(path)} ${name}`;
      at.set(key, [...(at.get(key) ?? []), path]);
    }
  return [...at].filter(([, paths]) => paths.length > 1).map(([key, paths]) => `${key}: ${paths.join(', ')}`);
}

it('no two files of a room export a type or a function of one name', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.d.ts'] });
  expect(files.length).toBeGreaterThan(1000);
  expect(twice(files.map((file) => [file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')]))).toEqual([]);
});

it('a name in two files of a room is found, and one in two rooms is none', () => {
  const room = 'library/speech a: library/speech/b/one.ts, library/speech/two.ts';
  for (const [one, two] of [
    ['export interface a {}', 'export type a = 1;'],
    ['export async function a() {}', 'export const a = (): number => 1;'],
  ] as const)
    expect(
      twice([
        ['library/speech/b/one.ts', one],
        ['library/speech/two.ts', two],
        ['library/dsp/one.ts', one],
        ['library/speech/three.ts', 'export const a = 1;'],
      ]),
    ).toEqual([room]);
  expect(
    twice([
      ['library/tools/cut_audio/run.ts', 'export function write() {}'],
      ['library/tools/mix_tracks/run.ts', 'export function write() {}'],
    ]),
  ).toEqual([]);
});
