// Media for benches, made by script: speech-like and music-like stereo, written once into bench/.media.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.media/', import.meta.url));

export function ffmpeg(args: readonly string[]): { stderr: string } {
  const ran = spawnSync('ffmpeg', ['-nostdin', '-hide_banner', ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (ran.error)
    throw new Error(
      `The benches compare with Debian's ffmpeg, which is not here: ${ran.error.message}. ` +
        'Install it with: apt-get install ffmpeg',
    );
  if (ran.status !== 0) throw new Error(`ffmpeg ${args.join(' ')} failed:\n${ran.stderr.slice(-2000)}`);
  return { stderr: ran.stderr };
}

/**
 * Voice-like bursts (a buzz through moving resonances, on for 3 s of 4) over pink noise, with different noise left and
 * right.
 */
const programme = (seconds: number, rate: number): string[] => [
  '-f',
  'lavfi',
  '-i',
  `aevalsrc='0.35*sin(2*PI*140*t+3*sin(2*PI*3*t))*(0.6+0.4*sin(2*PI*4*t))*lt(mod(t\\,4)\\,3)|0.3*sin(2*PI*143*t+3*sin(2*PI*3.1*t))*(0.6+0.4*sin(2*PI*4*t))*lt(mod(t\\,4)\\,3)':s=${rate}:d=${seconds}`,
  '-f',
  'lavfi',
  '-i',
  `anoisesrc=c=pink:r=${rate}:a=0.06:seed=1:d=${seconds}`,
  '-f',
  'lavfi',
  '-i',
  `anoisesrc=c=pink:r=${rate}:a=0.06:seed=2:d=${seconds}`,
  '-filter_complex',
  '[1][2]amerge=inputs=2[n];[0][n]amix=inputs=2:normalize=0',
];

const encoders: Readonly<Record<string, readonly string[]>> = {
  wav: ['-c:a', 'pcm_s16le'],
  flac: ['-c:a', 'flac'],
  mp3: ['-c:a', 'libmp3lame', '-b:a', '192k'],
  m4a: ['-c:a', 'aac', '-b:a', '160k'],
  ogg: ['-c:a', 'libvorbis', '-b:a', '128k'],
  opus: ['-c:a', 'libopus', '-b:a', '128k'],
};

export type BenchFormat = 'wav' | 'flac' | 'mp3' | 'm4a' | 'ogg' | 'opus';

/** A file of so many seconds, made on first use. Longer ones repeat an hour by stream copy. */
export function benchFile(format: BenchFormat, seconds: number): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${seconds}s.${format}`);
  if (existsSync(path)) return path;
  const partial = join(folder, `making-${seconds}s.${format}`);
  process.stderr.write(`making ${path} ...\n`);
  if (seconds > 3600)
    ffmpeg([
      '-v',
      'error',
      '-y',
      '-stream_loop',
      String(Math.ceil(seconds / 3600) - 1),
      '-i',
      benchFile(format, 3600),
      '-c',
      'copy',
      '-t',
      String(seconds),
      partial,
    ]);
  else if (format === 'wav')
    ffmpeg(['-v', 'error', '-y', ...programme(seconds, 44_100), '-ac', '2', ...(encoders['wav'] ?? []), partial]);
  else ffmpeg(['-v', 'error', '-y', '-i', benchFile('wav', seconds), ...(encoders[format] ?? []), partial]);
  renameSync(partial, path);
  return path;
}

function madeFile(name: string, args: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const partial = join(folder, `making-${name}`);
  ffmpeg(['-v', 'error', '-y', ...args, partial]);
  renameSync(partial, path);
  return path;
}

/** Stereo chords that change each two seconds, for what lies under a voice. */
export function musicFile(seconds: number): string {
  const chord = (base: number): string =>
    [1, 1.25, 1.5].map((ratio) => `0.08*sin(2*PI*t*${base * ratio}*(1+0.125*mod(floor(t/2)\\,4)))`).join('+');
  return madeFile(`music-${seconds}s.wav`, [
    '-f',
    'lavfi',
    '-i',
    `aevalsrc='${chord(220)}|${chord(221)}':s=44100:d=${seconds}`,
  ]);
}

const talk = fileURLToPath(new URL('../docs/samples/talk.opus', import.meta.url));

/** A noisy recording of a voice, over and over, at the rate of the networks that take noise away. */
export const talkFile = (seconds: number): string =>
  madeFile(`talk-${seconds}s.wav`, ['-stream_loop', '-1', '-i', talk, '-t', String(seconds), '-ar', '48000']);
