// Which sounds are told by name, from scores that are given here, and in sound that is made here.
import { expect, it } from 'vitest';
import { openListener } from '../../../../src/library/dsp/listener/listener.ts';
import type { SoundKind } from '../../../../src/library/contract/sound-kinds.ts';
import { eventGroups, soundEvents } from '../../../../src/library/speech/transcribe/sound-events.ts';
import { hearSounds } from '../../../../src/library/speech/transcribe/hear-sounds.ts';
import { pieces } from '../../../fixtures/sounds/music.ts';
import { slow } from '../../../fixtures/rounds.ts';
import { speechOf, speechOfSamples } from '../../../fixtures/speech.ts';

const listener = await openListener(undefined);

/** Groups by a class of theirs (AudioSet's numbers). */
const classOf = { music: 132, applause: 62, animal: 131, siren: 317, ringing: 384, rain: 283, dog: 69, bird: 106 };
const groupOf = (name: keyof typeof classOf): number[] =>
  [...eventGroups.keys()].filter((group) => eventGroups[group]?.includes(classOf[name]));

type Given = [name: keyof typeof classOf, patches: readonly number[], score: number];
/** Scores of ten seconds, 0 but in these patches. */
function scores(...given: readonly Given[]): Float32Array[] {
  const curves = eventGroups.map(() => new Float32Array(42));
  for (const [name, patches, score] of given)
    for (const group of groupOf(name))
      for (const patch of patches) {
        const curve = curves[group] as Float32Array;
        curve[patch] = Math.max(curve[patch] as number, score);
      }
  return curves;
}
const kinds = (curves: readonly Float32Array[]): SoundKind[] => soundEvents(curves).map(({ sound }) => sound);

it('a sound begins and ends at half its threshold, in the middle of its patches', () => {
  const [event, ...more] = soundEvents(scores(['siren', [10, 14], 0.13], ['siren', [11, 12, 13], 0.3]));
  expect(more).toEqual([]);
  expect(event?.sound).toBe('siren');
  expect(event?.startSeconds).toBeCloseTo(10 * 0.24 + 0.24, 9);
  expect(event?.endSeconds).toBeCloseTo(14 * 0.24 + 0.72, 9);
  expect(event?.score).toBeCloseTo(0.3, 6);
});

it('too few patches are no event, and a short gap parts none', () => {
  expect(kinds(scores(['siren', [11, 12], 0.9]))).toEqual([]);
  expect(kinds(scores(['siren', [11, 12, 13, 16, 17, 18], 0.9]))).toEqual(['siren']);
  expect(kinds(scores(['siren', [11, 12, 13, 20, 21, 22], 0.9]))).toEqual(['siren', 'siren']);
});

it('of the sounds of a moment the strongest is told, and music beside it', () => {
  const both: readonly Given[] = [
    ['applause', [10, 11, 12], 0.4],
    ['animal', [10, 11, 12], 0.6],
    ['music', [10, 11, 12], 0.9],
  ];
  expect(kinds(scores(...both)).toSorted()).toEqual(['animal', 'music']);
  // Rain is not told, but it is not applause.
  expect(kinds(scores(['applause', [10, 11, 12], 0.4], ['rain', [10, 11, 12], 0.6]))).toEqual([]);
});

it('an animal has its name where its score is sure', () => {
  expect(kinds(scores(['animal', [10, 11], 0.6], ['dog', [10, 11], 0.2]))).toEqual(['animal']);
  expect(kinds(scores(['animal', [10, 11], 0.6], ['dog', [10, 11], 0.4], ['bird', [10], 0.5]))).toEqual(['bird']);
});

it('what reaches to an end of the recording begins or ends there', () => {
  const [event] = soundEvents(scores(['music', Array.from({ length: 42 }, (_, at) => at), 0.9]));
  expect(event?.startSeconds).toBe(0);
  expect(event?.endSeconds).toBeCloseTo(41 * 0.24 + 0.96, 9);
});

it('music between two talks is heard where it is, and nothing in the talk', slow, async () => {
  const talk = await speechOf('jfk.wav');
  const samples = talk.read(0, talk.frames);
  talk.close();
  const pop = (pieces['pop'] as (seconds: number) => Float32Array)(6);
  const thirds = Float32Array.from({ length: pop.length / 3 }, (_, at) => (pop[3 * at] ?? 0) * 0.5);
  const sound = speechOfSamples(samples, thirds, samples);
  const progress: number[] = [];
  try {
    const events = await hearSounds(listener, sound, {
      signal: new AbortController().signal,
      onProgress: (fraction) => progress.push(fraction),
    });
    expect(events.map((event) => event.sound)).toEqual(['music']);
    expect(Math.abs((events[0]?.startSeconds ?? 0) - 11)).toBeLessThan(0.5);
    expect(Math.abs((events[0]?.endSeconds ?? 0) - 17)).toBeLessThan(0.5);
    expect(progress.at(-1)).toBe(1);
  } finally {
    sound.close();
  }
});

it('an empty recording and one sample have no sounds', async () => {
  for (const samples of [new Float32Array(0), Float32Array.of(0.1)]) {
    const sound = speechOfSamples(samples);
    const options = { signal: new AbortController().signal, onProgress: () => undefined };
    expect(await hearSounds(listener, sound, options)).toEqual([]);
    sound.close();
  }
});
