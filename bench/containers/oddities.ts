// Files that are odd as recorders make them, with marks at known places: by the recipes of the fuzzer of containers.
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildFile } from '../../test/fuzz/containers/build.ts';
import type { Part, Recipe } from '../../test/fuzz/containers/recipe.ts';
import { allMarks, type Mark } from '../../test/fixtures/sounds/marks.ts';

export interface OddFile {
  readonly kind: OddKind;
  readonly container: string;
  readonly path: string;
  readonly hasPicture: boolean;
  /** On the file's clock. */
  readonly marks: readonly Mark[];
  /** How many marks at most may be missing: a hole takes what is in it. */
  readonly mayMiss: number;
  readonly seconds: number;
  /** What the container does not say of its codec's delay, s. */
  readonly within: number;
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

const part: Part = { rate: 48_000, channels: 2, seconds: 4, second: 'same', level: 0.5 };
/** Marks 4 and 5 lie in it. */
const gap = [1.25, 1.85] as const;
const lateSeconds = 1.3;
const films: readonly (readonly [container: string, codec: string])[] = [
  ['mp4', 'aac'],
  ['mov', 'pcm_s16le'],
  ['mkv', 'flac'],
  ['webm', 'libopus'],
  ['ts', 'aac'],
  ['flv', 'aac'],
  ['wmv', 'wmav2'],
  ['3gp', 'aac'],
];
const sounds: typeof films = [
  ['wav', 'pcm_s16le'],
  ['flac', 'flac'],
  ['ogg', 'libvorbis'],
  ['m4a', 'alac'],
  ['mkv', 'pcm_s16le'],
  ['mov', 'pcm_s24le'],
  ['aiff', 'pcm_s16be'],
  ['mp4', 'aac'],
];
const floats: typeof films = [
  ['wav', 'pcm_f32le'],
  ['aiff', 'pcm_f32be'],
  ['caf', 'pcm_f32le'],
  ['au', 'pcm_f32be'],
  ['w64', 'pcm_f32le'],
  ['mov', 'pcm_f32le'],
];

interface Kind {
  readonly files: typeof films;
  readonly recipe?: Partial<Recipe>;
}

const kinds: Readonly<Record<OddKind, Kind>> = {
  'late sound': { files: films, recipe: { lateSeconds } },
  // PCM in MOV counts samples, and has no gaps.
  gap: { files: films.filter(([container]) => container !== 'mov').slice(0, 5), recipe: { gap } },
  'back step': {
    files: [
      ['ts', 'aac'],
      ['m2ts', 'ac3'],
      ['mpg', 'mp2'],
    ],
    recipe: { parts: [part, part] },
  },
  hole: {
    files: [
      ['flac', 'flac'],
      ['ogg', 'libvorbis'],
      ['opus', 'libopus'],
      ['mp3', 'libmp3lame'],
      ['m4a', 'aac'],
      ['mkv', 'flac'],
      ['ts', 'mp2'],
    ],
  },
  chain: {
    files: [
      ['opus', 'libopus'],
      ['ogg', 'libvorbis'],
      ['ogg', 'flac'],
    ],
    recipe: { parts: [{ ...part, channels: 1 }, part] },
  },
  'padded samples': { files: [['wav', 'pcm_s32le']], recipe: { padded: [24, 32] } },
  'opposite channels': { files: sounds, recipe: { parts: [{ ...part, second: 'opposite' }] } },
  'over full scale': { files: floats, recipe: { parts: [{ ...part, level: 1.6 }] } },
};

const oddKinds = Object.keys(kinds) as readonly OddKind[];
const pictured = new Set(['mp4', 'mov', 'mkv', 'webm', 'ts', 'm2ts', 'mpg', 'flv', 'wmv', '3gp']);
const holeBytes = 400;
const loose = /^(ts|m2ts|mpg|flv|wmv|mp3|3gp)$/;

/** Bytes that are none of the file's, in the middle of its sound. */
function makeHole(path: string): void {
  const bytes = readFileSync(path);
  const at = Math.round(0.45 * bytes.length);
  for (let i = at; i < at + holeBytes; i += 1) bytes[i] = (i * 73 + 41) & 0xff;
  writeFileSync(path, bytes);
}

/** @param of kinds and containers; null: all */
export function* oddFiles(folder: string, of: readonly string[] | null): Generator<OddFile> {
  let number = 0;
  for (const kind of oddKinds) {
    const { files, recipe: odd = {} } = kinds[kind];
    for (const [container, codec] of files) {
      if (of !== null && !of.includes(kind) && !of.includes(container)) continue;
      const hasPicture = pictured.has(container) && kind !== 'hole';
      const recipe: Recipe = {
        number: (number += 1),
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
        ...odd,
      };
      const place = join(folder, `odd-${number}`);
      mkdirSync(place);
      const { path, truth } = buildFile(place, recipe);
      if (kind === 'hole') makeHole(path);
      const marks = truth?.marks ?? allMarks.filter(({ seconds }) => seconds < gap[0] || seconds > gap[1]);
      const lossy = loose.test(container) ? 1152 / part.rate : 0;
      yield {
        kind,
        container: `${container} ${codec}`,
        path,
        hasPicture,
        marks,
        mayMiss: kind === 'hole' ? 3 : 0,
        seconds: truth?.seconds ?? part.seconds,
        within: 0.02 + lossy * recipe.parts.length * 2,
      };
    }
  }
}
