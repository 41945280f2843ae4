// What is found and restored of clipped voices and music, and what is taken for clipping in sounds that have none.
import { limit } from '../../../src/library/dsp/loudness/limit.ts';
import { meterClipping } from '../../../src/library/dsp/repair/clipping.ts';
import { declip } from '../../../src/library/dsp/repair/declip.ts';
import { rate, sample } from '../../quality/mixtures.ts';
import { clippedTo } from '../../quality/repair-cases.ts';
import type { Measure } from '../figures.ts';
import { judge, kept, music, read, through, type Material, type Sound } from './damaged-sounds.ts';

const seconds = 2;

const peakAt = (plane: Float32Array, peak: number): Float32Array => {
  const most = plane.reduce((top, x) => Math.max(top, Math.abs(x)), 0);
  return plane.map((x) => (x * peak) / most);
};
const scaled = (plane: Float32Array, gain: number): Sound => Float32Array.from(plane, (x) => gain * x);
const in16Bits = (plane: Float32Array): Sound => Float32Array.from(plane, (x) => Math.round(x * 32_768) / 32_768);

async function material(): Promise<Material> {
  const from = (name: string, start: number): Float32Array =>
    peakAt(sample(name).slice(start * rate, (start + seconds) * rate), 0.7);
  const sounds = [
    await kept('clean', () => from('noise/clean_speech_48k.wav', 1)),
    await kept('sonnet', () => from('speech/sonnet001.mp3', 6)),
    await kept('rock', () => peakAt(music('rock', seconds), 0.7)),
  ];
  const damaged: { plane: Sound; was: Sound }[] = [];
  for (const [at, was] of sounds.entries())
    for (const sdrDb of [5, 8.7, 20]) {
      const clipped = await kept(`clipped ${at} ${sdrDb}`, () => clippedTo(was, sdrDb).plane);
      damaged.push({ plane: in16Bits(clipped), was });
      // Softer since: the steps of 16 bits are coarser beside it.
      if (sdrDb === 8.7) damaged.push({ plane: in16Bits(scaled(clipped, 0.1)), was: scaled(was, 0.1) });
    }
  const undamaged = [...sounds, Float32Array.from({ length: rate }, (_, i) => 0.5 * Math.sin((i * Math.PI) / 480))];
  for (const [at, sound] of sounds.entries())
    for (const gainDb of [6, 12])
      undamaged.push(await kept(`limited ${at} ${gainDb}`, () => through(limit({ gainDb, ceilingDbtp: -1 }), sound)));
  for (const name of ['drums', 'bass', 'pop'])
    undamaged.push(await kept(`${name}, short`, () => peakAt(music(name, 4), 0.7)));
  return { damaged, undamaged: undamaged.map(in16Bits) };
}

export const measure: Measure = async () => {
  const levelsIn = (plane: Sound) => read(meterClipping(), plane).channels;
  return judge(
    'clipping',
    await material(),
    (plane) => {
      const levels = levelsIn(plane);
      return levels[0] === null ? null : through(declip(levels), plane);
    },
    (plane) => levelsIn(plane)[0] !== null,
  );
};
