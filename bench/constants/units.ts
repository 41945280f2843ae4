// Units of constants, by the ends of their names.
import type { SourceConstant } from './source-constants.ts';

const endings: readonly (readonly [RegExp, string])[] = [
  [/seconds?(?:tried|alone|together|peraccess)?$|slack$|linear$/iu, 's'],
  [/milliseconds$/iu, 'ms'],
  [/dbfs$/iu, 'dBFS'],
  [/lufs$/iu, 'LUFS'],
  [/dbtp$/iu, 'dBTP'],
  [/(?:^|[a-z])db$|dbofany$/iu, 'dB'],
  [/hz$|rate$/iu, 'Hz'],
  [/semitones$/iu, 'semitones'],
  [/hops$/iu, 'hops'],
  [/frames(?:alone|perstep|atonce)?$/iu, 'frames'],
  [/samples$/iu, 'samples'],
  [/bytes$/iu, 'bytes'],
  [/cells$/iu, 'cells'],
  [/letters(?:atonce|squared)?$/iu, 'letters'],
  [/words(?:atonce|ahead|shown)?$/iu, 'words'],
  [/tokens$/iu, 'tokens'],
  [/bins$/iu, 'bins'],
  [/windows$/iu, 'windows'],
  [/pieces$/iu, 'pieces'],
  [/blocks$/iu, 'blocks'],
  [/steps$/iu, 'steps'],
  [/bands?$|bandcount$/iu, 'bands'],
  [/confidence$|probability$|probabilities$/iu, 'probability'],
  [
    /likeness$|similarity$|strange.*likeness$|steadiness$|periodicity$|correlation$|samesound$|wordinsound$/iu,
    'cosine',
  ],
  [/share(?:s|oflong|ofrange)?$/iu, 'share'],
  [/memory$|smoothing$|release$|^rise$|^fall$/iu, 'share kept'],
  [/cost$|penalty$|weight$|entry$|costs$/iu, 'cost'],
];

/** Whose numbers stay whole. */
const counts = new Set([
  'count',
  'hops',
  'frames',
  'samples',
  'bytes',
  'cells',
  'letters',
  'words',
  'tokens',
  'bins',
  'windows',
  'pieces',
  'blocks',
  'steps',
  'bands',
]);

export const isCount = (unit: string): boolean => counts.has(unit);

/** "count" for whole numbers that say nothing else, "ratio" for others, "numbers" for tables of several kinds. */
export function unitOf({ name, value, literals, single }: SourceConstant): string {
  const ending = endings.find(([pattern]) => pattern.test(name))?.[1];
  if (ending !== undefined) return ending;
  if (!single && literals.length > 1) return 'numbers';
  return literals.every(({ text }) => /^[\d_]+$/u.test(text)) && !value.includes('/') ? 'count' : 'ratio';
}
