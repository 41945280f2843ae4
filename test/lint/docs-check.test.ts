import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slow } from '../fixtures/rounds.ts';

/** scripts/docs-check.mjs is run on modules with one fault each. */
const script = fileURLToPath(new URL('../../scripts/docs-check.mjs', import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-docs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
/** What the check says of these modules; the entry is the first. */
async function complaints(...modules: readonly string[]): Promise<readonly string[]> {
  const names = modules.map((_, k) => join(folder, k === 0 ? `entry-${made++}.ts` : `m${k}.ts`));
  modules.forEach((source, k) => writeFileSync(names[k]!, source));
  return await new Promise((resolve) => {
    execFile(process.execPath, [script, names[0]!], (error, _stdout, stderr) =>
      resolve(error === null ? [] : stderr.trim().split('\n').slice(0, -1)),
    );
  });
}

const faults: readonly (readonly [what: string, source: string, complaint: RegExp])[] = [
  ['no docstring', 'export const a = 1;', /a has no docstring/],
  ['a docstring of two words', '/** The a. */\nexport const a = 1;', /says nothing/],
  ['a comment that is no docstring', '// What it is for.\nexport const a = 1;', /a has no docstring/],
  ['a docstring of something before', '/** What b is for. */\nconst b = 1;\nexport const a = b;', /a has no docstring/],
  [
    'a throw without @throws',
    '/** Always says no. */\nexport function a() { throw new Error(); }',
    /throws without @throws/,
  ],
  ['a method', '/** What it can do. */\nexport interface A { go(): void }', /A\.go has no docstring/],
  ['a number', '/** How large it is. */\nexport interface A { readonly size: number }', /A\.size is a number without/],
  ['a string', '/** What it is called. */\nexport interface A { name: string }', /A\.name has no docstring/],
  [
    'null',
    '/** How long it is. */\nexport interface A { seconds: number | null }',
    /A\.seconds does not say what null means/,
  ],
  [
    'an option without default',
    '/** What may be set. */\nexport interface AOptions { /** Seconds to wait. */ waitSeconds?: number }',
    /AOptions\.waitSeconds does not say its default/,
  ],
  [
    'an inner object',
    '/** What it is made of. */\nexport type A = readonly { inner: { name: string } }[];',
    /A\.inner\.name has no docstring/,
  ],
  [
    'a type that a member names',
    'interface B { name: string }\n/** What it is made of. */\nexport interface A { b: B }',
    /B has no docstring/,
  ],
  [
    "a function's options",
    '/** What it does at last. */\nexport function a(o: { name?: string }): void { o.name; }',
    /a\(\)\.name has no docstring/,
  ],
];

describe('docs-check', () => {
  it.each(faults)('refuses %s', async (_what, source, complaint) => {
    expect((await complaints(source)).join('\n')).toMatch(complaint);
  });

  it('follows re-exports, imports and stars to the declaration', slow, async () => {
    const inner = 'export const a = 1;\nexport const b = 1;';
    expect(await complaints("export { a as c } from './m1.ts';", inner)).toHaveLength(1);
    expect(await complaints("import { a } from './m1.ts';\nexport { a };", inner)).toHaveLength(1);
    expect(await complaints("export * from './m1.ts';", inner)).toHaveLength(2);
  });

  it('is content with what is documented', async () => {
    const source = [
      '/** What it is made of. null: nothing is known. */',
      'export interface A {',
      '  readonly startSeconds: number;',
      '  readonly frames: number | null;',
      '  /** A share from 0 to 1. */',
      '  readonly level: number;',
      '}',
      '/** What it does at last. @throws Error now and then */',
      'export function a(): void { throw new Error(); }',
    ];
    expect(await complaints(source.join('\n'))).toEqual([]);
  });
});
