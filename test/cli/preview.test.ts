import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkFlags, planPieces } from '../../src/cli/tool/pieces.ts';
import { planReports } from '../../src/cli/tool/reports.ts';
import { requireTool } from '../../src/library/tools/registry.ts';
import { earshot, jsonLines, useFolder } from './support.ts';
import { slow } from '../fixtures/rounds.ts';

const folder = useFolder();

it("reads the tool's options, and says how loud both versions are", slow, async () => {
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
  const { code, stderr } = await earshot(cwd, ['preview', 'clip.wav', '--tool', 'convert', '--loud', '3']);
  expect(stderr).toContain("unknown option '--loud'");
  expect(code).toBe(2);
  expect(readdirSync(cwd)).toEqual(['clip.wav']);
});

it('--report writes a page of each run, and is refused before the run where it has no place', slow, async () => {
  const cwd = folder();
  const args = ['convert', 'clip.wav', '--format', 'flac', '--report', 'pages/'];
  expect(await earshot(cwd, args)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/clip\.convert\.flac.*\n {2}report: pages\/clip\.convert\.report\.html\n$/) as string,
  });
  const page = readFileSync(join(cwd, 'pages/clip.convert.report.html'), 'utf8');
  expect(page).toContain('<title>Convert: clip.wav</title>');
  expect(page).toContain('Flac, 48000 Hz, mono');
  const tool = requireTool('convert');
  const clip = join(cwd, 'clip.wav');
  const planned = (files: readonly string[], report: string, more: object = {}): string[] => {
    const flags = { report, ...more };
    return [...planReports(tool, planPieces(tool, files, {}, { format: 'mp3' }, flags), flags).values()];
  };
  for (const [report, more, said] of [
    ['clip.wav', { overwrite: true }, 'would replace an input'],
    ['clip.convert.mp3', {}, 'another file for --report'],
    ['pages/clip.convert.report.html', {}, 'exists already'],
  ] as const)
    expect(() => planned([clip], join(cwd, report), more)).toThrow(said);
  expect(() => checkFlags(tool, { report: 'r.html', output: '-' })).toThrow('Expected files for --report');
  expect(() => planned([clip, join(cwd, 'b.wav')], clip)).toThrow('Expected a folder for --report');
  const several = planned([clip, join(cwd, 'other/clip.wav')], join(cwd, 'more/'));
  expect(several).toEqual(['', '-2'].map((copy) => join(cwd, `more/clip.convert.report${copy}.html`)));
  expect(readdirSync(cwd)).toEqual(['clip.convert.flac', 'clip.wav', 'pages']);
});
