// What made-cases.ts draws from: voices, music, strokes and animals, of a folder or of what lies in the tests.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pieces } from '../../test/fixtures/sounds/music.ts';
import { otherPieces } from '../../test/fixtures/sounds/second-band.ts';
import { recording } from '../../test/fixtures/recordings.ts';
import { seeded } from '../../test/fixtures/random.ts';
import { monoOf } from '../tools/bed-scenes.ts';
import { barks } from './table-cases.ts';

export interface Sound {
  readonly name: string;
  /** 48 kHz, mono. */
  readonly plane: Float32Array;
}

type From = 'voices' | 'music' | 'strokes' | 'animals';

/** Draws of one case: the same for the same seed, whatever other cases draw. */
export interface Drawn {
  /** From 0 to 1. */
  readonly random: () => number;
  between(low: number, high: number): number;
  /** Another one at each call, as long as there are others. @param seconds at most so much of it */
  sound(from: From, seconds: number): Sound;
}

const madeMusic: Readonly<Record<string, (seconds: number) => Float32Array>> = { ...pieces, ...otherPieces };
const isStruck = /drum|marimba/u;
const readers = ['jfk.wav', 'austen-0870.wav', 'acoustic_corpus.wav', 'clean_speech_48k.wav'] as const;

/** Breath and rumble of a clean recording are no part of the voice: who takes them away would be marked down for it. */
const voiceAlone = 'highpass=f=90,highpass=f=90';

/** By name, what makes the sound: files of the folder, or what there is without one. */
function sourcesOf(from: From, folder: string | undefined): [string, (seconds: number) => Float32Array][] {
  if (folder !== undefined)
    return readdirSync(folder).map((name) => [
      basename(name),
      (seconds) => monoOf(join(folder, name), seconds, from === 'voices' ? voiceAlone : undefined),
    ]);
  if (from === 'voices')
    return readers.map((name) => [name, (seconds) => monoOf(recording(name), seconds, voiceAlone)]);
  if (from === 'animals') return [['barks by script', (seconds) => barks(Math.round(seconds * 48_000))]];
  return Object.entries(madeMusic).filter(([name]) => isStruck.test(name) === (from === 'strokes'));
}

/** FNV-1a: a seed of its own for each name. */
const numberOf = (name: string): number =>
  [...name].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619) >>> 0, 2_166_136_261);

export function drawing(name: string, folders: Readonly<Record<From, string | undefined>>): Drawn {
  const random = seeded(numberOf(name) % 2_147_483_646 || 1);
  const left = new Map<From, [string, (seconds: number) => Float32Array][]>();
  return {
    random,
    between: (low, high) => low + (high - low) * random(),
    sound(from, seconds) {
      let sources = left.get(from) ?? [];
      if (sources.length === 0) sources = sourcesOf(from, folders[from]);
      const [source] = sources.splice(Math.floor(random() * sources.length), 1);
      left.set(from, sources);
      if (!source) throw new Error(`Expected ${from} to draw from`);
      return { name: source[0], plane: source[1](seconds).slice(0, Math.round(seconds * 48_000)) };
    },
  };
}
