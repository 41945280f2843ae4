import { describe, expect, it } from 'vitest';
import type { TimeRange } from '../../../../src/library/core/time-range.ts';
import {
  findMouthSounds,
  type MouthSound,
  type MouthSoundKind,
} from '../../../../src/library/speech/fillers/mouth-sounds/find-mouth-sounds.ts';
import type { SpeechSound } from '../../../../src/library/speech/speech-sound.ts';
import { recording } from '../../../fixtures/recordings.ts';
import { seeded } from '../../../fixtures/random.ts';
import { knownSounds, rangesOf } from '../../../fixtures/sounds/known-breaths.ts';
import { withMouthSounds } from '../../../fixtures/sounds/mouth-sounds.ts';
import { soundOf, speechOf, withNoise } from '../../../fixtures/spoken-sounds.ts';
import { textGridWords } from '../../../fixtures/text-grid.ts';
import { slow } from '../../../fixtures/rounds.ts';

const seed = Number(process.env['SEED'] ?? 1);
console.info(`mouth sounds: seed ${seed} (SEED=${seed} repeats it)`);

const { signal } = new AbortController();
const find = async (sound: SpeechSound, words: readonly TimeRange[]): Promise<MouthSound[]> =>
  (await findMouthSounds(sound, words, { signal, onProgress: () => undefined })).filter(({ kept }) => kept === null);

const overlap = (a: TimeRange, b: TimeRange): number =>
  Math.max(0, Math.min(a.endSeconds, b.endSeconds) - Math.max(a.startSeconds, b.startSeconds));
const lengthOf = ({ startSeconds, endSeconds }: TimeRange): number => endSeconds - startSeconds;

const words = textGridWords(recording('acoustic_corpus.TextGrid'));
const corpus = await speechOf('acoustic_corpus.wav');
const samples = corpus.read(0, corpus.frames);

describe('breaths, clicks and coughs', () => {
  // Of each kind six of a seed; the recording's room is 20 dB below its voice.
  it.each([
    ['clean', null, { breath: 4, mouth_click: 5, cough: 6 }],
    ['in noise, the loud ones', 20, { breath: 0, mouth_click: 0, cough: 5 }],
  ] as const)('are found where they were put, and nothing of a word is taken: %s', slow, async (_, decibels, least) => {
    const random = seeded(seed);
    for (const kind of ['breath', 'mouth_click', 'cough'] as const) {
      const scene = withMouthSounds(samples, words, [kind], random);
      const made = scene.made.slice(0, 6);
      const heard = soundOf(decibels === null ? scene.samples : withNoise(scene.samples, decibels, random));
      const found = await find(heard, scene.words);
      const hits = made.filter((one) =>
        found.some((other) => other.kind === kind && overlap(one, other) >= lengthOf(one) / 2),
      );
      expect(hits.length, kind).toBeGreaterThanOrEqual(least[kind]);
      for (const one of found)
        for (const word of scene.words) expect(overlap(one, word), `${one.kind} in "${word.text}"`).toBeLessThan(0.01);
    }
  });

  it.each(knownSounds)('of people are found in $name, and what is no breath is not', slow, async (known) => {
    const found = await find(await speechOf(known.name), rangesOf(known.spoken));
    const of = (kind: MouthSoundKind): MouthSound[] => found.filter((one) => one.kind === kind);
    for (const breath of rangesOf(known.breaths)) {
      const hit = of('breath').find((one) => overlap(one, breath) >= 0.6 * lengthOf(breath));
      expect(hit, `breath at ${breath.startSeconds} s`).toBeDefined();
      expect(Math.abs(hit!.startSeconds - breath.startSeconds)).toBeLessThan(0.1);
      expect(Math.abs(hit!.endSeconds - breath.endSeconds)).toBeLessThan(0.1);
    }
    const seen = rangesOf([...known.breaths, ...known.faint]);
    for (const one of of('breath'))
      expect(
        seen.some((breath) => overlap(one, breath) >= lengthOf(one) / 2),
        `breath at ${one.startSeconds.toFixed(2)} s`,
      ).toBe(true);
    for (const at of known.clicks)
      expect(
        of('mouth_click').some(({ startSeconds, endSeconds }) => startSeconds < at + 0.02 && endSeconds > at - 0.02),
        `click at ${at} s`,
      ).toBe(true);
    expect(of('cough')).toEqual([]);
  });

  it('are not found where nobody speaks, nor within words of any recording', async () => {
    expect(await find(await speechOf('noise_48k.wav'), [])).toEqual([]);
    expect(await find(soundOf(new Float32Array(48_000)), [{ startSeconds: 1, endSeconds: 2 }])).toEqual([]);
    for (const name of ['jfk.wav', 'austen-0870.wav'] as const) {
      const sound = await speechOf(name);
      // One word from the start to the end: everything is inside it.
      expect(await find(sound, [{ startSeconds: 0, endSeconds: sound.durationSeconds }])).toEqual([]);
    }
  });
});
