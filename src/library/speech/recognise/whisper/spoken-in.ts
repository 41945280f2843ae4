// The language of a window, from the logits after `<|startoftranscript|>`.

/**
 * Whisper was trained on at least a hundred hours of these (Radford et al. 2022, appendix E). It often mistakes unclear
 * English for one of the others (Welsh, Maori, Latin), so those must be clearly likelier.
 */
const wellKnown = new Set(
  'en zh de es ru fr pt ko ja tr pl it sv nl ca fi id ar he uk el da hu ro no vi th ms cs ta ur'.split(' '),
);
const rareWeight = 0.3;

/** Weight of each language: its probability, less for languages that Whisper hardly knows. */
export function languageWeights(
  opening: Float32Array,
  languages: ReadonlyMap<string, number>,
): Readonly<Record<string, number>> {
  const logits = [...languages].map(([code, token]): [string, number] => [code, opening[token] ?? -Infinity]);
  const most = logits.reduce((best, [, logit]) => Math.max(best, logit), -Infinity);
  const total = logits.reduce((sum, [, logit]) => sum + Math.exp(logit - most), 0);
  return Object.fromEntries(
    logits.map(([code, logit]) => [code, (Math.exp(logit - most) / total) * (wellKnown.has(code) ? 1 : rareWeight)]),
  );
}

/** From this weight on a window is in another language than the recording. */
const otherWeight = 0.8;

/** The language that is clearly spoken in a window; undefined: none is. */
export function languageTold(opening: Float32Array, languages: ReadonlyMap<string, number>): string | undefined {
  const weights = languageWeights(opening, languages);
  const [likeliest, weight = 0] = Object.entries(weights).toSorted((a, b) => b[1] - a[1])[0] ?? [];
  return weight >= otherWeight ? likeliest : undefined;
}

/**
 * The second likeliest language of a window that holds two has .07 to .4, of one that holds one .001 to .02. What is no
 * speech is in no two: all others together have less than this.
 */
const inTwo = { second: 0.03, others: 0.1 };

/** A window may be in two languages: what is read of it in one may be a translation of the other, or nothing. */
export function mayBeInTwo(opening: Float32Array, languages: ReadonlyMap<string, number>): boolean {
  const [first = 0, second = 0] = Object.values(languageWeights(opening, languages)).toSorted((a, b) => b - a);
  return second >= inTwo.second && first + second > 1 - inTwo.others;
}

/** The language of a window in a recording of some language. */
export const languageOfWindow = (
  opening: Float32Array,
  languages: ReadonlyMap<string, number>,
  recording: string,
): string => languageTold(opening, languages) ?? recording;
