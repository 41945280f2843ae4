// @module-tag nightly
// docs/tutorial.md from its first command to its last, in a folder of its own. What it shows is what is printed,
// numbers aside, and the episode is measured by Debian's ffmpeg.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { skipForMissing } from '../fixtures/missing-part.ts';
import { hasFfmpeg } from '../fixtures/media/media.ts';
import { blocksOf, makePrograms, root, shell } from './pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-tutorial-'));
const programs = makePrograms(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Small letters: where a recogniser hears one sentence or two differs between processors. */
const withoutNumbers = (text: string): string =>
  text
    .replaceAll(/[\d.]+/g, '#')
    .replaceAll(/[kM]B/g, 'B')
    .toLowerCase();

it('makes the episode, and prints what the page shows', async () => {
  const [start, ...steps] = blocksOf('docs/tutorial.md').filter(({ language }) => language === 'sh');
  expect(start?.code).toContain('npm run -s tutorial-tracks -- ~/my-episode');
  execFileSync(process.execPath, [join(root, 'scripts/make-tutorial-tracks.ts'), folder]);
  const { code, output } = await shell(steps.map((step) => step.code).join('\n'), { cwd: folder, programs });
  expect(`${code} ${code === 0 ? '' : output}`).toBe('0 ');
  const printed = new Set(withoutNumbers(output).split('\n'));
  const shown = blocksOf('docs/tutorial.md').filter(({ language }) => language === 'text');
  expect(shown.length).toBeGreaterThan(8);
  for (const { code: text, heading } of shown)
    for (const line of withoutNumbers(text.trimEnd()).split('\n')) expect([...printed], heading).toContain(line);
});

it('the episode has the loudness and the chapters of the page', (context) => {
  if (!hasFfmpeg) skipForMissing(context, 'ffmpeg');
  expect(existsSync(join(folder, 'show.vtt'))).toBe(true);
  const flags = ['-hide_banner', '-nostats', '-i', 'episode.mp3', '-af', 'ebur128=peak=true', '-f', 'null', '-'];
  const { stderr } = spawnSync('ffmpeg', flags, { cwd: folder, encoding: 'utf8' });
  const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
  expect(Number(/I: +(\S+) LUFS/.exec(summary)?.[1])).toBeCloseTo(-16, 0.5);
  expect(Number(/Peak: +(\S+) dBFS/.exec(summary)?.[1])).toBeLessThan(-1);
  expect(stderr).toContain('A page of Austen');
});
