// Makes the files of docs/tutorial.md for readers who have none: two microphones of one conversation, and music.
//     npm run tutorial-tracks -- <folder>
// The host is the voice of docs/samples/talk.opus with its noise, the guest a reader from test/recordings, quieter and
// with hiss. Each microphone hears the other person, too. The music is four chords of decaying harmonics.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openAudio } from '../src/library/media/read/decode.ts';
import { openEncoder } from '../src/library/media/write/encode.ts';
import { probe } from '../src/library/media/read/probe.ts';

const rate = 48_000;
const root = fileURLToPath(new URL('../', import.meta.url));
const folder = resolve(process.argv[2] ?? 'my-episode');

function read(path: string): Float32Array {
  const source = openAudio(probe(join(root, path)), { rate, channels: 1 });
  const samples: number[] = [];
  for (let block = source.next(); block; block = source.next())
    for (const sample of block.planes[0]?.subarray(0, block.frames) ?? []) samples.push(sample);
  source.close();
  return Float32Array.from(samples);
}

function write(name: string, ...planes: Float32Array[]): void {
  const path = join(folder, name);
  const layout = planes.length === 1 ? 'mono' : 'stereo';
  const format = { sampleRate: rate, channels: planes.length, layout } as const;
  const sink = openEncoder(path, format, { format: 'wav', bitDepth: '16' });
  sink.write({ planes, frames: planes[0]?.length ?? 0 });
  sink.finish();
  sink.close();
  process.stdout.write(`${path}\n`);
}

/** Adds a sound to a track. */
function lay(track: Float32Array, sound: Float32Array, atSeconds: number, gain: number): void {
  const at = Math.round(atSeconds * rate);
  for (const [n, sample] of sound.entries())
    if (at + n < track.length) track[at + n] = (track[at + n] as number) + gain * sample;
}

/** A note as a plucked string sounds: harmonics that fade, the high ones sooner. */
function note(hz: number, seconds: number): Float32Array {
  return Float32Array.from({ length: seconds * rate }, (_, n) => {
    const t = n / rate;
    let sum = 0;
    for (let k = 1; k <= 6; k++) sum += (Math.sin(2 * Math.PI * k * hz * t) * Math.exp(-k * t)) / k;
    return sum * Math.min(1, t * 200);
  });
}

mkdirSync(folder, { recursive: true });
const talk = read('docs/samples/talk.opus');
const reader = read('test/recordings/austen-0870.flac');
const noise = read('test/recordings/noise_48k.flac');
const question = talk.subarray(0, 9.3 * rate);
const thanks = talk.subarray(10.3 * rate);
const seconds = 22.5;

const host = new Float32Array(seconds * rate);
const guest = new Float32Array(seconds * rate);
for (let at = 0; at < seconds; at += noise.length / rate) {
  lay(host, noise, at, 0.25);
  lay(guest, noise, at, 0.35);
}
for (const [sound, at, toHost, toGuest] of [
  [question, 0, 1, 0.02],
  [reader, 10.4, 0.03, 0.35],
  [thanks, 18.7, 1, 0.02],
] as const) {
  lay(host, sound, at, toHost);
  lay(guest, sound, at, toGuest);
}
write('host.wav', host);
write('guest.wav', guest);

const left = new Float32Array(7 * rate);
const right = new Float32Array(7 * rate);
const chords = [
  [220, 277.18, 329.63],
  [146.83, 220, 293.66],
  [164.81, 246.94, 329.63],
  [220, 329.63, 440],
];
for (const [bar, chord] of chords.entries())
  for (const [place, hz] of chord.entries()) {
    const sound = note(hz, 2.5);
    lay(left, sound, bar * 1.5 + place * 0.12, 0.08 + 0.02 * place);
    lay(right, sound, bar * 1.5 + place * 0.12, 0.12 - 0.02 * place);
  }
write('intro.wav', left, right);
