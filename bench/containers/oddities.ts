// Files that are odd as recorders make them, with known words: by the recipes of the fuzzer of containers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildFile } from '../../test/fuzz/containers/build.ts';
import type { Part, Recipe } from '../../test/fuzz/containers/recipe.ts';
import { ffprobe } from '../../test/fixtures/media/media.ts';
import { filmOf, findWord, lowRate, lowSound, type Spoken, untrimmedSound } from './words.ts';

/** A word in a file. */
export interface Place {
  /** Of the twelve. */
  readonly number: number;
  /** From the file's zero. */
  readonly seconds: number;
}

export interface OddFile {
  readonly kind: OddKind;
  readonly container: string;
  readonly path: string;
  readonly hasPicture: boolean;
  /** Where a picture begins, s from the file's zero. */
  readonly pictureStart: number;
  readonly places: readonly Place[];
  /** Of the filler in each part, s. */
  readonly ums: readonly number[];
  /** How many words at most may be missing: a hole takes what is in it. */
  readonly mayMiss: number;
  readonly seconds: number;
}

export type OddKind =
  | 'late sound'
  | 'gap'
  | 'back step'
  | 'hole'
  | 'chain'
  | 'padded samples'
  | 'opposite channels'
  | 'over full scale';

type Files = readonly (readonly [container: string, codec: string, changes?: Partial<Recipe>])[];

/** The second and the third word lie in it. */
const gap = [0.85, 1.85] as const;
const lateSeconds = 1.3;
const films: Files = [
  ['mp4', 'aac'],
  ['mov', 'pcm_s16le'],
  ['mkv', 'flac'],
  ['webm', 'libopus'],
  ['ts', 'aac'],
  ['flv', 'aac'],
  ['wmv', 'wmav2'],
  ['3gp', 'aac'],
];

interface Kind {
  readonly files: Files;
  recipe?(part: Part): Partial<Recipe>;
}

const kinds: Readonly<Record<OddKind, Kind>> = {
  'late sound': { files: films, recipe: () => ({ lateSeconds }) },
  // PCM in MOV counts samples, and has no gaps.
  gap: { files: [['m2ts', 'ac3'], ...films.filter(([container]) => container !== 'mov')], recipe: () => ({ gap }) },
  // No other containers have clocks that step back.
  'back step': {
    files: [
      ['ts', 'aac'],
      ['ts', 'mp2'],
      ['m2ts', 'ac3'],
      ['m2ts', 'aac'],
      ['mpg', 'mp2'],
      ['mpg', 'ac3'],
    ],
    recipe: (part) => ({ parts: [part, part] }),
  },
  hole: {
    files: [
      ['flac', 'flac'],
      ['ogg', 'libvorbis'],
      ['opus', 'libopus'],
      ['mp3', 'libmp3lame'],
      ['m4a', 'aac'],
      ['mkv', 'flac'],
      ['mka', 'libopus'],
      ['ts', 'mp2'],
      ['aac', 'aac'],
    ],
  },
  chain: {
    files: [
      ['opus', 'libopus'],
      ['ogg', 'libvorbis'],
      ['ogg', 'flac'],
      ['mp3', 'libmp3lame'],
      ['mp2', 'mp2'],
      ['aac', 'aac'],
      ['ac3', 'ac3'],
      ['ts', 'aac'],
    ],
    recipe: (part) => ({ parts: [{ ...part, channels: 1 }, part] }),
  },
  // No other containers are known to pad.
  'padded samples': {
    files: [
      ['wav', 'pcm_s32le', { padded: [24, 32] }],
      ['wav', 'pcm_s32le', { padded: [20, 32] }],
      ['wav', 'pcm_s24le', { padded: [20, 24] }],
      ['wav', 'pcm_s24le', { padded: [16, 24] }],
    ],
  },
  'opposite channels': {
    files: [
      ['wav', 'pcm_s16le'],
      ['flac', 'flac'],
      ['ogg', 'libvorbis'],
      ['m4a', 'alac'],
      ['mkv', 'pcm_s16le'],
      ['mov', 'pcm_s24le'],
      ['aiff', 'pcm_s16be'],
      ['mp4', 'aac'],
    ],
    recipe: (part) => ({ parts: [{ ...part, second: 'opposite' }] }),
  },
  'over full scale': {
    files: [
      ['wav', 'pcm_f32le'],
      ['wav', 'pcm_f64le'],
      ['aiff', 'pcm_f32be'],
      ['caf', 'pcm_f32le'],
      ['au', 'pcm_f32be'],
      ['w64', 'pcm_f32le'],
      ['mov', 'pcm_f32le'],
      ['m4a', 'aac'],
    ],
    recipe: (part) => ({ parts: [{ ...part, level: 1.6 }] }),
  },
};

const oddKinds = Object.keys(kinds) as readonly OddKind[];
const pictured = new Set(['mp4', 'mov', 'mkv', 'webm', 'ts', 'm2ts', 'mpg', 'flv', 'wmv', '3gp']);
const soundAlone = new Set<OddKind>(['hole', 'chain']);
const holeBytes = 400;

/** Bytes that are none of the file's, in the middle of its sound. */
function makeHole(path: string): void {
  const bytes = readFileSync(path);
  const at = Math.round(0.45 * bytes.length);
  for (let i = at; i < at + holeBytes; i += 1) bytes[i] = (i * 73 + 41) & 0xff;
  writeFileSync(path, bytes);
}

/**
 * From the start of a part to that of the next: the longest of its streams, of which sound is counted by its samples.
 */
function lengthOf(path: string, sound: Float32Array): number {
  const { streams, format } = ffprobe(path);
  const of = (type: string): (typeof streams)[number] | undefined =>
    streams.find(({ codec_type }) => codec_type === type);
  const late = Number(of('audio')?.start_time ?? 0) - Number((format as { start_time?: string }).start_time ?? 0);
  return Math.max(Number(of('video')?.duration ?? 0), sound.length / lowRate - Math.max(0, late));
}

/**
 * Where ffmpeg finds the words in the parts that a file is made of, none of which is odd to it: with what the encoders
 * put before the sound, where their container does not say so. The table of an MP3 says so of a file's begin and end
 * alone: all players play it between the parts, 1656 samples with LAME's.
 */
function placesIn(parts: readonly string[], hasPicture: boolean, spoken: Spoken, recipe: Recipe): [Place[], number[]] {
  const places: Place[] = [];
  const ums: number[] = [];
  let start = 0;
  for (const [part, path] of parts.entries()) {
    const trimmed = lowSound(path, hasPicture);
    const whole = recipe.container === 'mp3' && parts.length > 1 ? untrimmedSound(path) : trimmed;
    const sound = part === 0 ? trimmed : whole;
    const late = hasPicture ? recipe.lateSeconds : 0;
    const offs: number[] = [];
    for (const [number, piece] of spoken.pieces.entries()) {
      const isLost =
        recipe.gap && piece.seconds + piece.length > recipe.gap[0] - 0.1 && piece.seconds < recipe.gap[1] + 0.1;
      if (isLost) continue;
      const found = findWord(sound, spoken.samples[number] as Float32Array, late + piece.seconds);
      if (found === null) throw new Error(`Expected the word ${piece.text} in ${path} but ffmpeg does not give it`);
      places.push({ number, seconds: start + found });
      offs.push(found - piece.seconds);
    }
    ums.push(start + spoken.um.seconds + (offs.toSorted((a, b) => a - b)[offs.length >> 1] ?? 0));
    const [word, near] = [spoken.samples[0] as Float32Array, late + (spoken.pieces[0]?.seconds ?? 0)];
    const before = part === 0 ? (findWord(whole, word, near) ?? 0) - (findWord(trimmed, word, near) ?? 0) : 0;
    start += lengthOf(path, whole) - before;
  }
  return [places, ums];
}

/** @param of kinds and containers; null: all */
export function* oddFiles(folder: string, spoken: Spoken, of: readonly string[] | null): Generator<OddFile> {
  const part: Part = { rate: 48_000, channels: 2, seconds: spoken.seconds, second: 'same', level: 0.5 };
  let made = 0;
  for (const kind of oddKinds)
    for (const [container, codec, changes = {}] of kinds[kind].files) {
      if (of !== null && !of.includes(kind) && !of.includes(container)) continue;
      const hasPicture = pictured.has(container) && !soundAlone.has(kind);
      const recipe: Recipe = {
        number: (made += 1),
        container,
        codec,
        hasPicture,
        way: [],
        oddities: [],
        parts: [part],
        lateSeconds: 0,
        clockSeconds: 0,
        gap: null,
        trimSeconds: 0,
        padded: null,
        lie: null,
        share: 1,
        junk: null,
        ...kinds[kind].recipe?.(part),
        ...changes,
      };
      const place = join(folder, `odd-${made}`);
      mkdirSync(place);
      const { path, truth } = buildFile(place, recipe, spoken.content);
      const parts = recipe.parts.map((_, n) => join(place, `part-${n}.${container}`));
      // ffmpeg reads such samples wrongly, and their places are exact.
      const [places, ums] = recipe.padded
        ? [spoken.content.places, [spoken.um.seconds]]
        : placesIn(parts, hasPicture, spoken, recipe);
      if (kind === 'hole') makeHole(path);
      yield {
        kind,
        container: recipe.padded ? `${container} ${recipe.padded.join(' in ')} bits` : `${container} ${codec}`,
        path,
        hasPicture,
        pictureStart: hasPicture ? (filmOf(parts[0] as string)?.pictureStart ?? 0) : 0,
        places,
        ums,
        mayMiss: kind === 'hole' ? 3 : 0,
        seconds: truth?.seconds ?? spoken.seconds,
      };
    }
}
