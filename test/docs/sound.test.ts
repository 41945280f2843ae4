// @module-tag slow
// What the page on samples shows is run as it is there.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { blocksOf, makePrograms, root, shell } from './pages.ts';

it('the examples of docs/sound.md run, one behind the other', async () => {
  const cwd = join(temporaryFolder('earshot-sound-page-'), 'own');
  mkdirSync(cwd);
  const programs = makePrograms(cwd);
  const blocks = blocksOf('docs/sound.md').filter(({ language }) => language === 'ts');
  const said: string[] = [];
  for (const [index, { code }] of blocks.entries()) {
    const here = code.replaceAll(
      /from 'earshot(?:\/(\w+))?'/g,
      (_, entry = 'index') => `from ${JSON.stringify(join(root, `src/${entry}.ts`))}`,
    );
    writeFileSync(join(cwd, `${index}.ts`), here);
    const { code: status, output } = await shell(`node ${index}.ts`, { cwd, programs });
    expect(`${status} ${output}`).toMatch(/^0 /);
    said.push(output);
  }
  expect(said[2]).toMatch(/^-16\.0 0\n\[ \{ startSeconds: [\d.]+, endSeconds: [\d.]+ \} \]\n80000\n$/);
  expect(said[3]).toMatch(/^before -[\d.]+\nbefore -[\d.]+\n96000 -[\d.]+\n$/);
  expect(said[1]).toBe('-16 96000\ntone.convert.flac 48000 1\n');
});
