// `--raw`: samples without a file around them, in files and on standard input.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rawForm } from '../../src/cli/tool/raw.ts';
import { slow } from '../fixtures/rounds.ts';
import { earshot, piped, useFolder } from './support.ts';

const folder = useFolder();
const samplesOf = (path: string): Buffer => {
  const file = readFileSync(path);
  return file.subarray(file.indexOf('data') + 8);
};

it('a file and standard input give what the WAV file with these samples gives', slow, async () => {
  const cwd = folder();
  const pcm = readFileSync(join(cwd, 'clip.wav')).subarray(44);
  writeFileSync(join(cwd, 'talk.pcm'), pcm);
  for (const args of [
    ['clip.wav', '-o', 'expected.wav'],
    ['talk.pcm', '--raw', 's16le,48000,1'],
  ])
    expect(await earshot(cwd, ['loudness', ...args])).toMatchObject({ code: 0 });
  expect(piped(cwd, ['loudness', '-', '--raw', 's16le,48000', '-o', 'piped.wav'], pcm)).toMatchObject({ code: 0 });
  expect(readdirSync(cwd).sort()).toEqual(['clip.wav', 'expected.wav', 'piped.wav', 'talk.loudness.wav', 'talk.pcm']);
  const expected = samplesOf(join(cwd, 'expected.wav'));
  expect(samplesOf(join(cwd, 'talk.loudness.wav')).equals(expected)).toBe(true);
  expect(samplesOf(join(cwd, 'piped.wav')).equals(expected)).toBe(true);
});

it('what is no such sound is refused in words', slow, async () => {
  const cwd = folder();
  const odd = piped(cwd, ['media-info', '-', '--raw', 's16le,48000,2'], Buffer.alloc(1001));
  expect(odd).toMatchObject({ code: 2 });
  expect(odd.stderr).toContain('Expected whole frames of 4 bytes (s16le, channels: 2) for raw but received 1001 bytes');
  const missing = await earshot(cwd, ['loudness', 'none.pcm', '--raw', 's16le,48000']);
  expect(missing.stderr).toContain('There is no file none.pcm');
  const planned = await earshot(cwd, ['loudness', 'clip.wav', '--raw', 's16le,48000', '--dry-run']);
  expect(planned.stderr).toContain('Expected --raw without --report, --timeline, --album and --dry-run');
});

it('the form is a kind, a rate and channels, of which one is usual', () => {
  expect(rawForm('s16le,16000,1')).toEqual({ format: 's16le', sampleRate: 16_000, channels: 1 });
  expect(rawForm('mulaw,8000')).toEqual({ format: 'mulaw', sampleRate: 8000, channels: 1 });
  for (const text of ['s16le', '16000,s16le', 's16be,16000,1', 's16le,16000,', 's16le,1600000000', ''])
    expect(() => rawForm(text)).toThrow('Expected format, rate and channels such as s16le,16000,1');
});
