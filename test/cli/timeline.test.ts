import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { earshot, useFolder } from './support.ts';

const folder = useFolder();

it('writes the timelines of a cut beside its output, and refuses to replace them', async () => {
  const cwd = folder();
  const typed = ['cut', 'clip.wav', '--ranges', '[[1,2]]', '--timeline', 'otio,Audacity'];
  const first = await earshot(cwd, typed);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('timeline: clip.cut.otio');
  expect(readdirSync(cwd)).toEqual(['clip.cut.labels.txt', 'clip.cut.otio', 'clip.cut.wav', 'clip.wav']);
  expect(readFileSync(join(cwd, 'clip.cut.labels.txt'), 'utf8')).toMatch(/^0\.000000\t1\.000000\tkept 1\n2\.000000/);
  expect((await earshot(cwd, typed)).code).not.toBe(0);
});

it('of recordings without a place beside each other is left out, with the exit code of sync', async () => {
  const cwd = folder();
  const lost = await earshot(cwd, ['sync', 'clip.wav', 'clip.wav', '--find-only', '--timeline', 'otio']);
  expect(lost.stderr).toContain('no timeline is written, since nothing has a place in it');
  expect(lost).toMatchObject({ code: 1, stdout: expect.stringContaining('nothing in common found') as string });
  expect(readdirSync(cwd)).toEqual(['clip.wav']);
});

it('names the formats before any work, and the likeliest one', async () => {
  const cwd = folder();
  const wrong = await earshot(cwd, ['cut', 'clip.wav', '--ranges', '[[1,2]]', '--timeline', 'fcpxm']);
  expect(wrong.stderr).toContain('otio, fcpxml, xmeml, edl, reaper, audacity, csv for --timeline but received fcpxm');
  expect(wrong.stderr).toContain('Did you mean fcpxml?');
  const piped = await earshot(cwd, ['cut', 'clip.wav', '--ranges', '[[1,2]]', '--timeline', 'otio', '-o', '-']);
  expect(piped.stderr).toContain('editing programs open the recording itself');
  expect(existsSync(join(cwd, 'clip.cut.wav'))).toBe(false);
});

// In Node itself: a package that tests load otherwise than Node does was not found by the command.
it('cuts by a timeline that comes back', async () => {
  const cwd = folder();
  await earshot(cwd, ['cut', 'clip.wav', '--ranges', '[[1,2]]', '--timeline', 'fcpxml']);
  const back = await earshot(cwd, ['cut', 'clip.wav', '--ranges-from', 'clip.cut.fcpxml', '-o', 'back.wav']);
  expect(back).toMatchObject({ code: 0, stderr: '' });
  const [bytes, again] = ['clip.cut.wav', 'back.wav'].map((name) => readFileSync(join(cwd, name)).length);
  expect(again).toBe(bytes);
});
