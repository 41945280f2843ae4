// As levelling.ts, with levels metered anew: over fewer conversations.
import { levelsOf } from '../../tools/level-talks.ts';
import type { Measure } from '../figures.ts';
import { stored } from '../store.ts';
import { judge } from './levelling.ts';
import { lonely, soundsWithoutSpeech, talks } from './talk-levels.ts';

interface Kept {
  readonly samples: string;
  readonly rate: number;
}

const keep = ({ samples, rate }: { readonly samples: Float32Array; readonly rate: number }): Kept => ({
  samples: Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64'),
  rate,
});
const taken = ({ samples, rate }: Kept) => ({
  samples: new Float32Array(new Uint8Array(Buffer.from(samples, 'base64')).buffer),
  rate,
});

export const measure: Measure = async () => {
  const kept = await stored('talks', () => ({
    talks: talks(1)
      .filter((_, at) => at % 3 === 0)
      .map((talk) => ({ ...keep(talk), turns: talk.turns })),
    lonely: lonely().slice(0, 6).map(keep),
    withoutSpeech: soundsWithoutSpeech()
      .filter((_, at) => at % 3 === 0)
      .map(keep),
  }));
  return judge({
    talks: kept.talks.map(({ turns, ...voice }) => ({ levels: levelsOf(taken(voice)), turns })),
    lonely: kept.lonely.map((voice) => levelsOf(taken(voice))),
    withoutSpeech: kept.withoutSpeech.map((voice) => levelsOf(taken(voice))),
  });
};
