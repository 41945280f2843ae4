// What the README shows is run, as it stands there.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRemux } from '../../src/library/media/write/remux.ts';
import { writeWav } from '../fixtures/media/pcm-files.ts';
import { voice } from '../fixtures/media/signals.ts';
import { makeAvi } from '../fixtures/media/videos.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'earshot-readme-'));
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
  const sink = openRemux(join(folder, 'film.mkv'), avi, { sampleRate: rate, channels: 1, layout: 'mono' });
  sink.write({ planes: [speech], frames: speech.length });
  sink.finish();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const commands = [...readme.matchAll(/^ {4}\.\/(earshot .*?)(?: {2,}#.*)?$/gm)].map((match) => match[1] as string);

describe('README', () => {
  it('shows commands', () => expect(commands.length).toBeGreaterThan(8));

  it.each(commands)('%s', (command) => {
    const cli = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(root, 'src/cli/main.ts'))}`;
    const ran = spawnSync('bash', ['-c', command.replace(/^earshot/, cli)], { cwd: folder, encoding: 'utf8' });
    expect(`${ran.status} ${ran.stderr}`).toMatch(/^0 /);
    const output = / -o (\S+)$/.exec(command)?.[1] ?? / --png (\S+)$/.exec(command)?.[1];
    if (output !== undefined) expect(existsSync(join(folder, output))).toBe(true);
    else expect(ran.stdout.length).toBeGreaterThan(20);
  });

  it('runs the library example', () => {
    const code = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    expect(code).toContain("from 'earshot'");
    const file = join(folder, 'example.ts');
    writeFileSync(file, code.replace("'earshot'", JSON.stringify(join(root, 'src/index.ts'))));
    const printed = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
    expect(printed).toContain('interview.loudness.mp3');
    expect(printed).toContain('integratedLufs');
    expect(existsSync(join(folder, 'interview.png'))).toBe(true);
  });
});
