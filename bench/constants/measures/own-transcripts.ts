// Words of a recording and of others, as remove_fillers gets them: which of them fit its pauses.
import type { TimeRange } from '../../../src/library/core/time-range.ts';
import { fitsPauses } from '../../../src/library/speech/fillers/fits-pauses.ts';
import { recording } from '../../../test/fixtures/recordings.ts';
import { seeded } from '../../../test/fixtures/random.ts';
import { knownSounds, rangesOf } from '../../../test/fixtures/sounds/known-breaths.ts';
import { speechOf } from '../../../test/fixtures/spoken-sounds.ts';
import { textGridWords } from '../../../test/fixtures/text-grid.ts';
import { figure, type Measure } from '../figures.ts';

export const measure: Measure = async () => {
  const [corpus, sonnet] = [await speechOf('acoustic_corpus.wav'), await speechOf('sonnet001.mp3')];
  const lines = rangesOf(knownSounds.find(({ name }) => name === 'sonnet001.mp3')?.spoken ?? []);
  const texts = [textGridWords(recording('acoustic_corpus.TextGrid')), lines];
  let [own, others] = [0, 0];
  for (let seed = 1; seed <= 8; seed++) {
    const random = seeded(seed);
    const moved = (words: readonly TimeRange[], late: number, factor: number): TimeRange[] =>
      words.map(({ startSeconds, endSeconds }) => {
        const by = late + 0.2 * random() - 0.1;
        return { startSeconds: startSeconds * factor + by, endSeconds: endSeconds * factor + by };
      });
    for (const [index, sound] of [corpus, sonnet].entries())
      for (const [text, words] of texts.entries()) {
        if (text === index && fitsPauses(sound, moved(words, 0, 1))) own += 1;
        const factor = text === index ? 1 : sound.durationSeconds / (words.at(-1)?.endSeconds ?? 1);
        if (fitsPauses(sound, moved(words, text === index ? 0.7 * seed : 0, factor))) others += 1;
      }
  }
  return [
    figure('own words known of 16', own, '', 'higher'),
    figure('others taken for its own of 32', others, '', 'lower'),
  ];
};
