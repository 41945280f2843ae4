// Breaths, clicks, coughs and stutters put into acoustic_corpus, and those of people in three recordings.
import { knownScores, madeScores } from '../../speech/mouth-sound-scores.ts';
import { figure, type Measure } from '../figures.ts';

export const measure: Measure = async () => {
  const scores = [await madeScores([1, 2, 3], null), await madeScores([1, 2], 20)].flatMap((one) => [...one]);
  const sum = (kind: string | null, of: (score: (typeof scores)[number][1]) => number): number =>
    scores.filter(([name]) => kind === null || name === kind).reduce((total, [, score]) => total + of(score), 0);
  const known = await knownScores();
  const total = (of: (score: (typeof known)[number]) => number): number =>
    known.reduce((all, score) => all + of(score), 0);
  return [
    ...['breath', 'mouth_click', 'cough', 'stutter'].map((kind) =>
      figure(
        `${kind} found of ${sum(kind, ({ made }) => made)} made`,
        sum(kind, ({ found }) => found),
        '',
        'higher',
      ),
    ),
    figure(
      'words cut',
      sum(null, ({ lostSeconds }) => lostSeconds),
      's',
      'lower',
    ),
    figure(
      `breaths of people found of ${total(({ breaths }) => breaths)}`,
      total(({ breathsFound }) => breathsFound),
      '',
      'higher',
    ),
    figure(
      'other breaths found',
      total(({ others }) => others),
      '',
      'lower',
    ),
    figure(
      `clicks of people found of ${total(({ clicks }) => clicks)}`,
      total(({ clicksFound }) => clicksFound),
      '',
      'higher',
    ),
  ];
};
