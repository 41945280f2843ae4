// Disagreements that are known, where another program is wrong or the truth is a choice, each with its reason.
import type { Readings } from './judge.ts';
import type { Recipe } from './recipe.ts';

interface Known {
  readonly reason: string;
  /** Whose reading is set aside. */
  readonly of: RegExp;
  is(recipe: Recipe, readings: Readings): boolean;
}

const known: readonly Known[] = [
  {
    reason: 'ffmpeg reads padded samples by their valid bits; libsndfile and we by their container',
    of: /^ffmpeg:/,
    is: ({ padded }) => padded !== null,
  },
  {
    reason: 'libsndfile stops at the end of the first stream of a chained Ogg',
    of: /^libsndfile:/,
    is: ({ container, parts }) => /^(ogg|opus)$/.test(container) && parts.length > 1,
  },
  {
    reason: 'which form a chain has that changes it is a choice, and ffmpeg puts gaps between parts whose rate changes',
    of: /^(ffmpeg|libsndfile):/,
    is: ({ parts }) => new Set(parts.map(({ rate, channels }) => `${rate} ${channels}`)).size > 1,
  },
  {
    reason:
      'mpg123, in libsndfile, keeps what the encoder put before and behind the sound where parts or junk hide its delay',
    of: /^libsndfile:/,
    is: ({ container, parts, junk }) => /^mp[23]$/.test(container) && (parts.length > 1 || junk !== null),
  },
  {
    reason: 'libsndfile believes a stated length that is too short; the sound goes on behind it',
    of: /^libsndfile:/,
    is: ({ lie }) => lie === 0.5,
  },
  {
    reason: 'ffmpeg 5.1 gives the first samples of Vorbis that start before the stream, and is a window late',
    of: /^ffmpeg: marks -\d\d? ms off$/,
    is: ({ codec }) => codec === 'libvorbis',
  },
];

/** Why these disagreements are no fault of ours; null: one of them may be. */
export function knownReason(recipe: Recipe, readings: Readings, found: readonly string[]): string | null {
  const reasons = found.map(
    (each) => known.find(({ of, is }) => of.test(each) && is(recipe, readings))?.reason ?? null,
  );
  return reasons.includes(null) ? null : [...new Set(reasons)].join('; ');
}
