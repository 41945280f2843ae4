// What is found and removed of mains hum under voices and music, and what is taken for hum in sounds that have none.
import { meterHum } from '../../../src/library/dsp/repair/hum.ts';
import { removeHum } from '../../../src/library/dsp/repair/remove-hum.ts';
import { machines } from '../../quality/machines.ts';
import { noises, rate, sample } from '../../quality/mixtures.ts';
import { hummed } from '../../quality/repair-cases.ts';
import type { Measure } from '../figures.ts';
import { judge, kept, music, read, through, type Material, type Sound } from './damaged-sounds.ts';

/** Longer than a segment of the estimate, so that two of them meet. */
const seconds = 20;
const quietSeconds = 8;

const looped = (plane: Float32Array): Float32Array =>
  Float32Array.from({ length: seconds * rate }, (_, i) => plane[i % plane.length] as number);

async function material(): Promise<Material> {
  const sounds = [
    await kept('clean, long', () => looped(sample('noise/clean_speech_48k.wav').slice(0, 6 * rate))),
    await kept('sonnet, long', () => sample('speech/sonnet001.mp3').slice(5 * rate, (5 + seconds) * rate)),
    await kept('guitar, long', () => looped(music('strummed guitar', 12))),
  ];
  const cases = [
    [0, 50, 5],
    [1, 60, 20],
    [1, 50, 30],
    [2, 60, 5],
  ] as const;
  const damaged = await Promise.all(
    cases.map(async ([at, hz, snrDb]) => {
      const was = sounds[at] as Sound;
      return { plane: await kept(`hum ${at} ${hz} ${snrDb}`, () => hummed(was, hz, snrDb)), was };
    }),
  );
  const without: Readonly<Record<string, () => Float32Array>> = {
    ...Object.fromEntries(
      ['rock', 'pop', 'bass', 'pads', 'drums'].map((name) => [name, () => music(name, quietSeconds)]),
    ),
    pink: () => (noises['pink'] as (frames: number) => Float32Array)(quietSeconds * rate),
    ...Object.fromEntries(
      Object.entries(machines)
        .slice(0, 5)
        .map(([name, make]) => [name, () => make(quietSeconds * rate)]),
    ),
  };
  const undamaged = await Promise.all(
    Object.entries(without).map(([name, make]) => kept(`${name}, without hum`, make)),
  );
  return { damaged, undamaged: [...sounds, ...undamaged] };
}

export const measure: Measure = async () =>
  judge(
    'hum',
    await material(),
    (plane) => {
      const readings = read(meterHum(), plane);
      return readings[0] === null ? null : through(removeHum(readings), plane);
    },
    (plane) => read(meterHum(), plane)[0] !== null,
  );
