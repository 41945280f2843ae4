// Disagreements that are known, where another program is wrong or the truth is a choice, each with its reason.
import type { Recipe } from './recipe.ts';

interface Known {
  readonly reason: string;
  /** Whose reading is set aside. */
  readonly of: RegExp;
  is(recipe: Recipe): boolean;
}

const known: readonly Known[] = [
  {
    reason: 'how loud channels are that a chain goes on with in the form of its first part is a choice',
    of: /^(ffmpeg|libsndfile): channel/,
    is: ({ parts }) => new Set(parts.map(({ channels }) => channels)).size > 1,
  },
  {
    reason: 'whether a damaged frame of TTA gives sound is known by decoding it, and prices come before',
    of: /^priced/,
    is: ({ codec, share, junk }) => codec === 'tta' && share < 1 && junk === 'noise',
  },
];

/** Why these disagreements are no fault of ours; null: one of them may be. */
export function knownReason(recipe: Recipe, found: readonly string[]): string | null {
  const reasons = found.map((each) => known.find(({ of, is }) => of.test(each) && is(recipe))?.reason ?? null);
  return reasons.includes(null) ? null : [...new Set(reasons)].join('; ');
}
