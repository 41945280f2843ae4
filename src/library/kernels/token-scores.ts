import { nativeKernels } from './load.ts';

/** What a decoder reads off logits. */
export interface TokenScores {
  /** The token with the greatest logit, the first of several. */
  readonly best: number;
  /** Its logit; -Infinity when no token is allowed. */
  readonly most: number;
  /** Logarithm of the sum of all exponentials: a token's log probability is its logit less this. */
  readonly logSum: number;
}

/**
 * Scores the tokens from `from` to before `to`. Logits of -Infinity are tokens that are not allowed. Relative error of
 * the sum under 1e-5.
 * @throws TypeError when the range is empty or not within the logits
 */
export const scoreTokens = (logits: Float32Array, from: number, to: number): TokenScores =>
  nativeKernels().scoreTokens(logits, from, to);

/**
 * At most so many tokens with the greatest logits, greatest first, of equal ones the first first. Logits of -Infinity
 * are left out.
 * @param most 1 to 1024
 */
export const likeliest = (logits: Float32Array, most: number): number[] =>
  nativeKernels().likeliestTokens(logits, most);
