// What is left of clicks and plosives that were put into voices, and what is taken for one in voices and music.
import { seeded } from '../../../test/fixtures/random.ts';
import {
  segmentalSnrDb,
  withClicks,
  withPlosives,
  withRumble,
} from '../../../test/fixtures/sounds/clicks-and-plosives.ts';
import { meterBursts } from '../../../src/library/dsp/repair/bursts.ts';
import { removeClicks } from '../../../src/library/dsp/repair/remove-clicks.ts';
import { removePlosives } from '../../../src/library/dsp/repair/remove-plosives.ts';
import { rate, sample } from '../../quality/mixtures.ts';
import { figure, type Measure } from '../figures.ts';
import { kept, music, read, through, type Sound } from './damaged-sounds.ts';

const quiet = (plane: Float32Array): Float32Array => {
  const most = plane.reduce((top, x) => Math.max(top, Math.abs(x)), 0);
  return plane.map((x) => (0.15 * x) / most);
};
const from = (name: string, start: number, seconds: number): Promise<Sound> =>
  kept(`${name.replaceAll('/', ' ')} from ${start}, ${seconds} s`, () =>
    quiet(sample(name).slice(start * rate, (start + seconds) * rate)),
  );

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;

export const measure: Measure = async () => {
  const voices = [
    await from('noise/clean_speech_48k.wav', 3, 7),
    await from('speech/sonnet001.mp3', 5, 8),
    await from('speech/austen-0870.wav', 0, 6),
  ];
  const others = [await from('meetings/ami-trn07.wav', 18, 6), await from('speech/austen-0890.wav', 0, 5)];
  for (const name of ['drums', 'bass']) others.push(await kept(`${name}, 4 s`, () => music(name, 4)));
  const snr = async (kind: string, spoil: typeof withClicks): Promise<number> => {
    const left: number[] = [];
    for (const [at, voice] of voices.entries()) {
      const { samples, spots } = spoil(voice, rate, seeded(5));
      const spoilt = await kept(`${kind} ${at}`, () => samples);
      const { clicks, plosives } = read(meterBursts(), spoilt);
      const out = through(removeClicks(clicks), through(removePlosives(plosives), spoilt));
      left.push(segmentalSnrDb(out, voice, rate, spots));
    }
    return mean(left);
  };
  const found = [...voices, ...others].map((plane) => read(meterBursts(), plane));
  const inRumble = voices.map((voice) => read(meterBursts(), withRumble(voice, rate, seeded(7))));
  const count = (kind: 'clicks' | 'plosives', of = found): number =>
    of.reduce((sum, one) => sum + (one[kind][0]?.length ?? 0), 0);
  return [
    figure(
      'segmental SNR where clicks were',
      await snr('clicks', (...given) => withClicks(...given)),
      'dB',
      'higher',
      2,
    ),
    figure('the same of plosives', await snr('plosives', (...given) => withPlosives(...given)), 'dB', 'higher', 2),
    figure('clicks found in 45 s of voices and music as they are', count('clicks'), '', 'lower'),
    figure('plosives found there', count('plosives'), '', 'lower'),
    figure('plosives found in 21 s of voices in rumble', count('plosives', inRumble), '', 'lower'),
  ];
};
