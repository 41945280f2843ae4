import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { earshot, jsonLines, useFolder } from './support.ts';

const folder = useFolder();

it("reads the tool's options, and says how loud both versions are", async () => {
  const cwd = folder();
  const typed = 'preview --tool convert clip.wav --format mp3 --bitrate_kbps 64 --from 0:02 --seconds 3 --ab --json';
  const run = await earshot(cwd, typed.split(' '));
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(jsonLines(run).at(-1)).toMatchObject({
    type: 'result',
    file: 'clip.wav',
    tool: 'convert_audio',
    fromSeconds: 2,
    toSeconds: 5,
    processed: [0, 12],
    result: { format: 'mp3', bitrateKbps: 64 },
    mayDiffer: [],
  });
  expect(readdirSync(cwd)).toEqual([
    'clip.convert.ab.wav',
    'clip.convert.after.wav',
    'clip.convert.before.wav',
    'clip.wav',
  ]);
});

it('refuses what no tool knows', async () => {
  const cwd = folder();
  for (const [typed, said] of [
    ['convert --loud 3', "unknown option '--loud'"],
    ['mix', 'Expected a tool that changes one recording'],
  ] as const) {
    const { code, stderr } = await earshot(cwd, ['preview', 'clip.wav', '--tool', ...typed.split(' ')]);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
  }
  expect(readdirSync(cwd)).toEqual(['clip.wav']);
});

it('--report writes a page of each run, and is refused before the run where it has no place', async () => {
  const cwd = folder();
  const args = ['convert', 'clip.wav', '--format', 'flac', '--report', 'pages/'];
  expect(await earshot(cwd, args)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/clip\.convert\.flac.*\n {2}report: pages\/clip\.convert\.report\.html\n$/) as string,
  });
  const page = readFileSync(join(cwd, 'pages/clip.convert.report.html'), 'utf8');
  expect(page).toContain('<title>Convert: clip.wav</title>');
  expect(page).toContain('Flac, 48000 Hz, mono');
  for (const [typed, said] of [
    ['--report clip.wav -y', 'would replace an input'],
    ['--report clip.convert.mp3', 'another file for --report'],
    ['--report r.html -o -', 'Expected files for --report'],
    ['--report pages/clip.convert.report.html', 'exists already'],
  ] as const)
    expect((await earshot(cwd, ['convert', 'clip.wav', ...typed.split(' ')])).stderr).toContain(said);
  expect(readdirSync(cwd)).toEqual(['clip.convert.flac', 'clip.wav', 'pages']);
});
