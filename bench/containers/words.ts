// Twelve known words and an "um" at known places, and where they are in another file: by ffmpeg's decoding and the
// correlation of each word's own samples with it. Nothing of ours listens.
import { join } from 'node:path';
import { decodeByFfmpeg, ffmpeg, ffprobe, onFileClock } from '../../test/fixtures/media/media.ts';
import { wavBytes } from '../../test/fixtures/media/pcm-files.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import type { Content } from '../../test/fuzz/containers/build.ts';
import { writeFileSync } from 'node:fs';

/** Of jfk.flac, s: about where each word is; silence around it is left out. */
const spans: readonly (readonly [text: string, from: number, to: number])[] = [
  ['And', 0.32, 0.63],
  ['so', 0.63, 0.99],
  ['my', 0.99, 1.29],
  ['fellow', 1.29, 1.63],
  ['Americans', 1.63, 2.3],
  ['ask', 3.28, 3.73],
  ['not', 4.02, 4.38],
  ['what', 5.41, 5.61],
  ['your', 5.61, 5.99],
  ['country', 5.99, 6.47],
  ['can', 6.47, 6.69],
  ['do', 6.69, 6.91],
];
export const words: readonly string[] = spans.map(([text]) => text);
/** Of um.flac, s. */
const umSpan = [3.75, 4.1] as const;
/** It is said before this word; the recogniser takes one amid the others for a part of the next word. */
const umBefore = 0;
const pauseSeconds = 0.3;
const rate = 48_000;
/** Of the correlation: an eighth of a millisecond. */
export const lowRate = 8000;
/** A word is looked for so far from its place, s. */
const reachSeconds = 0.3;
/** Correlation of a word that is there, after codecs, noise reduction and compression; others reach 0.4. */
const leastLikeness = 0.5;

interface Piece {
  readonly text: string;
  readonly seconds: number;
  readonly length: number;
}

export interface Spoken {
  /** Of the twelve words. */
  readonly pieces: readonly Piece[];
  readonly um: Piece;
  readonly seconds: number;
  readonly content: Content;
  /** Each word's samples at the rate of the correlation. */
  readonly samples: readonly Float32Array[];
}

/** The loud part of a span, with its ends faded. */
function cutOut(plane: Float32Array, from: number, to: number): Float32Array {
  const span = plane.slice(Math.round(from * rate), Math.round(to * rate));
  const window = 0.005 * rate;
  const powers = Array.from({ length: Math.floor(span.length / window) }, (_, n) =>
    span.subarray(n * window, (n + 1) * window).reduce((sum, sample) => sum + sample * sample, 0),
  );
  const least = 10 ** -2.2 * Math.max(...powers);
  const first = powers.findIndex((power) => power > least);
  const last = powers.findLastIndex((power) => power > 0.3 * least);
  const word = span.slice(first * window, (last + 1) * window);
  const fade = 0.004 * rate;
  const top = word.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  return word.map((sample, i) => (sample / top) * Math.min(1, i / fade, (word.length - 1 - i) / fade));
}

/** @param folder for files in between */
export function speak(folder: string): Spoken {
  const decoded = (name: string): Float32Array =>
    decodeByFfmpeg(recording(name as 'um.flac'), { filters: ['-ar', String(rate), '-ac', '1'] })
      .planes[0] as Float32Array;
  const [speech, other] = [decoded('jfk.wav'), decoded('um.flac')];
  const sounds = spans.map(([, from, to]) => cutOut(speech, from, to));
  sounds.splice(umBefore, 0, cutOut(other, ...umSpan));
  const texts = [...words.slice(0, umBefore), 'um', ...words.slice(umBefore)];
  let at = pauseSeconds;
  const all = sounds.map((sound, n) => {
    const piece = { text: texts[n] as string, seconds: at, length: sound.length / rate };
    at += piece.length + pauseSeconds;
    return piece;
  });
  const seconds = Math.ceil(10 * at) / 10;
  const plane = new Float32Array(seconds * rate);
  for (const [n, sound] of sounds.entries()) plane.set(sound, Math.round((all[n] as Piece).seconds * rate));
  const pieces = all.filter((_, n) => n !== umBefore);
  const path = join(folder, 'spoken.wav');
  writeFileSync(path, wavBytes([plane], rate));
  const low = decodeByFfmpeg(path, { filters: ['-ar', String(lowRate)] }).planes[0] as Float32Array;
  return {
    pieces,
    um: all[umBefore] as Piece,
    seconds,
    content: {
      places: pieces.map((piece, number) => ({ number, seconds: piece.seconds })),
      planeOf: ({ level }) => plane.map((sample) => level * sample),
    },
    samples: pieces.map((piece) =>
      low.slice(Math.round(piece.seconds * lowRate), Math.round((piece.seconds + piece.length) * lowRate)),
    ),
  };
}

export interface Film {
  /** Where its picture begins, s from the file's zero. */
  readonly pictureStart: number;
  readonly pictures: number;
}

/** null: there is no picture. */
export function filmOf(path: string): Film | null {
  const { streams, format } = ffprobe(path);
  const video = streams.find((stream) => stream.codec_type === 'video' && stream.disposition?.['attached_pic'] !== 1);
  if (!video) return null;
  const start = Number((format as { start_time?: string }).start_time ?? 0);
  const counted = ffmpeg('-i', path, '-map', '0:v:0', '-c', 'copy', '-f', 'framecrc', '-').toString();
  const pictures = counted.split('\n').filter((line) => /^\d/.test(line)).length;
  return { pictureStart: Math.max(0, Number(video.start_time ?? start) - start), pictures };
}

type Options = NonNullable<Parameters<typeof decodeByFfmpeg>[1]>;

function loudest(path: string, { filters = [], ...options }: Options): Float32Array {
  const { planes } = decodeByFfmpeg(path, { ...options, filters: [...filters, '-ar', String(lowRate)] });
  const power = (plane: Float32Array): number => plane.reduce((sum, sample) => sum + sample * sample, 0);
  return planes.reduce((most, plane) => (power(plane) > power(most) ? plane : most));
}

/** @param hasPicture does the file have one? */
export const lowSound = (path: string, hasPicture: boolean): Float32Array => loudest(path, onFileClock(hasPicture));

/** With what the encoder put before and behind it. */
export const untrimmedSound = (path: string): Float32Array => loudest(path, { before: ['-flags2', '+skip_manual'] });

/**
 * Where a word is.
 * @param near s
 * @returns s; null: it is not near that place
 */
export function findWord(sound: Float32Array, word: Float32Array, near: number): number | null {
  const own = Math.sqrt(word.reduce((sum, sample) => sum + sample * sample, 0));
  const reach = Math.round(reachSeconds * lowRate);
  const middle = Math.round(near * lowRate);
  let [best, place] = [0, 0];
  for (let at = Math.max(0, middle - reach); at <= middle + reach && at + word.length <= sound.length; at += 1) {
    let [sum, power] = [0, 0];
    for (let i = 0; i < word.length; i += 1) {
      const sample = sound[at + i] as number;
      sum += sample * (word[i] as number);
      power += sample * sample;
    }
    // Turned over, it is there, too.
    const likeness = power > 0 ? Math.abs(sum) / (own * Math.sqrt(power)) : 0;
    if (likeness > best) [best, place] = [likeness, at];
  }
  return best < leastLikeness ? null : place / lowRate;
}
