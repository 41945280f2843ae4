// @module-tag nightly
// Every command of docs/symptoms.md is run with a recording that has the fault. Figures of the page are measured by
// Debian's ffmpeg.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { skipForMissing } from '../fixtures/missing-part.ts';
import { ffmpeg, hasFfmpeg } from '../fixtures/media/media.ts';
import { recording } from '../fixtures/recordings.ts';
import { makePrograms, root, shell } from './pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'earshot-symptoms-'));
const programs = makePrograms(folder);
const at = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rows = [
  ...readFileSync(join(root, 'docs/symptoms.md'), 'utf8').matchAll(/^\| ([^|]+) \| `(earshot [^`]+)` \|/gm),
];
const commands = rows.map(([, symptom = '', command = '']) => [symptom, command] as const);

/** What a filter of ffmpeg prints about a file. */
const said = (name: string, filter: string): string =>
  spawnSync('ffmpeg', ['-hide_banner', '-nostats', '-i', at(name), '-af', filter, '-f', 'null', '-'], {
    encoding: 'utf8',
  }).stderr;
const loudness = (name: string, from: number, to: number): number => {
  const text = said(name, `atrim=${from}:${to},asetpts=PTS-STARTPTS,ebur128`);
  return Number(/I: +(\S+) LUFS/.exec(text.slice(text.lastIndexOf('Summary:')))?.[1]);
};
/** The level around 50 Hz in the quietest third of a second, dBFS. */
const hum = (name: string): number =>
  Number(
    /RMS trough dB: (\S+)/.exec(
      said(name, 'bandpass=f=50:width_type=h:w=6,astats=measure_perchannel=none:measure_overall=RMS_trough:length=0.3'),
    )?.[1],
  );
const jfkSeconds = 11;

beforeAll(() => {
  if (!hasFfmpeg) return;
  const [one, two, clean] = [recording('austen-0870.wav'), recording('jfk.wav'), recording('clean_speech_48k.wav')];
  cpSync(one, at('interview.wav'));
  ffmpeg('-i', recording('sonnet001.mp3'), at('host.wav'));
  ffmpeg('-i', recording('sonnet001.mp3'), '-ss', '1.5', at('guest.wav'));
  cpSync(one, at('part-1.wav'));
  cpSync(two, at('part-2.wav'));
  writeFileSync(at('script.txt'), 'And Mr. John Dashwood had then leisure to consider how much there might be.');
  const join2 = '[0:a]aresample=16000[a];[1:a]aresample=16000,volume=-12dB[b];[a][b]concat=n=2:v=0:a=1';
  ffmpeg('-i', two, '-i', one, '-filter_complex', join2, at('conversation.wav'));
  const tones = '0.02*sin(2*PI*50*t)+0.012*sin(2*PI*150*t)+0.006*sin(2*PI*250*t)';
  const withHum = `aevalsrc=${tones}:s=48000:d=60[h];[0:a][h]amix=inputs=2:normalize=0:duration=first`;
  ffmpeg('-i', clean, '-filter_complex', withHum, at('hum.wav'));
  ffmpeg('-i', clean, '-ar', '8000', '-af', 'highpass=300,lowpass=3400', at('call.wav'));
  ffmpeg('-i', clean, '-af', 'volume=24dB', at('clipped.wav'));
  ffmpeg('-i', clean, '-af', 'pan=stereo|c0=c0|c1=-1*c0', at('opposite.wav'));
  ffmpeg('-i', clean, '-af', 'pan=stereo|c0=c0|c1=0*c0', at('left.wav'));
  ffmpeg('-f', 'lavfi', '-i', 'aevalsrc=0.2*sin(2*PI*220*t)*(0.6+0.4*sin(2*PI*t)):d=8', at('music.wav'));
  ffmpeg('-i', one, at('interview.mka'));
  ffmpeg('-i', one, '-metadata', 'title=One', at('episode.mp3'));
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=160x120:rate=15:duration=7'];
  ffmpeg(...picture, '-i', one, '-shortest', '-pix_fmt', 'yuv420p', at('film.mp4'));
});

it('the page has commands for each symptom', () => {
  expect(commands.length).toBeGreaterThan(25);
  expect(new Set(commands.map(([symptom]) => symptom)).size).toBe(commands.length);
});

it.each(commands)('%s', async (_, command) => {
  if (!hasFfmpeg) return;
  const { code, output } = await shell(`${command} ${command.includes(' check ') ? '|| test $? = 1' : ''}`, {
    cwd: folder,
    programs,
  });
  expect(`${code} ${code === 0 ? '' : output}`).toBe('0 ');
  expect(output).not.toBe('');
});

it('hum and levels are what the page says', (context) => {
  if (!hasFfmpeg) skipForMissing(context, 'ffmpeg');
  expect(hum('hum.wav') - hum('hum.enhance-voice.wav')).toBeGreaterThan(30);
  const apart = (name: string): number =>
    Math.abs(loudness(name, 0, jfkSeconds) - loudness(name, jfkSeconds, jfkSeconds + 7));
  expect(apart('conversation.wav')).toBeGreaterThan(9);
  expect(apart('conversation.level-speakers.wav')).toBeLessThan(3);
  expect(said('mono.wav', 'astats=measure_perchannel=none:measure_overall=RMS_level')).not.toMatch(
    /RMS level dB: -inf/,
  );
});
