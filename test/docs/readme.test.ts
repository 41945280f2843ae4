// @module-tag slower
// What the README and the first pages behind it show is run as it is there.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRemux } from '../../src/library/media/write/remux.ts';
import { writeWav } from '../fixtures/media/pcm-files.ts';
import { voice } from '../fixtures/media/signals.ts';
import { makeAvi } from '../fixtures/media/videos.ts';
import { blocksOf, commandsOf, makePrograms, root, shell } from './pages.ts';
import { probe } from '../../src/library/media/read/probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-readme-'));
const programs = makePrograms(folder);
/** What is there before a command; what it makes goes after it, since pages show the same place more than once. */
let before: ReadonlySet<string> = new Set();
const rate = 16_000;

beforeAll(async () => {
  const speech = voice(6 * rate, rate, 3);
  speech.fill(0, 2.5 * rate, 4 * rate);
  writeWav(join(folder, 'interview.wav'), [speech], rate);
  writeWav(join(folder, 'outro.wav'), [voice(2 * rate, rate, 4)], rate);
  writeFileSync(join(folder, 'script.txt'), 'Nobody says this. It only has to be there.');
  mkdirSync(join(folder, 'recordings'));
  writeWav(join(folder, 'recordings', 'a.wav'), [voice(rate, rate, 5)], rate);
  writeWav(join(folder, 'recordings', 'b.wav'), [voice(rate, rate, 6)], rate);
  // A Matroska file without a Matroska writer of its own: an AVI by hand, remuxed.
  const avi = await makeAvi(join(folder, 'film.avi'), [speech], rate);
  const sink = openRemux(join(folder, 'film.mkv'), probe(avi), { sampleRate: rate, channels: 1, layout: 'mono' });
  sink.write({ planes: [speech], frames: speech.length });
  sink.finish();
  before = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The demo has tests of its own. */
const shown = (page: string): string[] => commandsOf(page).filter((command) => command !== 'earshot demo');
const commands = [...new Set(['README.md', 'docs/command-line.md'].flatMap(shown))];

describe('README and docs/command-line.md', () => {
  it('show commands', () => {
    expect(shown('README.md').length).toBeGreaterThan(8);
    expect(shown('docs/command-line.md').length).toBeGreaterThan(15);
  });

  it.each(commands)('%s', async (command) => {
    const { code, output } = await shell(command, { cwd: folder, programs });
    expect(`${code} ${output}`).toMatch(/^0 /);
    const place = / -o (\S+)$/.exec(command)?.[1] ?? / --png (\S+)$/.exec(command)?.[1];
    if (place === undefined) expect(output.length).toBeGreaterThan(20);
    else expect(existsSync(join(folder, place))).toBe(true);
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      if (!before.has(file)) rmSync(join(folder, file), { recursive: true, force: true });
  });

  it.each(['README.md', 'docs/library.md'])('run the library example of %s', async (page) => {
    const code = blocksOf(page).find(({ language }) => language === 'ts')?.code ?? '';
    expect(code).toContain("from 'earshot'");
    writeFileSync(join(folder, 'example.ts'), code.replace("'earshot'", JSON.stringify(join(root, 'src/index.ts'))));
    const { output } = await shell('node example.ts', { cwd: folder, programs });
    expect(output).toContain('interview.loudness.mp3');
    expect(output).toContain(page === 'README.md' ? ' -16 []' : 'integratedLufs');
    expect(existsSync(join(folder, 'interview.png'))).toBe(page === 'docs/library.md');
    rmSync(join(folder, 'out'), { recursive: true });
  });
});
