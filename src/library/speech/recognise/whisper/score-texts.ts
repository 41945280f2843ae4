// How likely texts are that continue what was read so far.
import { scoreTokens } from '../../../kernels/token-scores.ts';
import type { Windows } from './decoder.ts';
import type { WhisperNetwork } from './network.ts';

/** What may follow in one window. */
export interface Continuation {
  /** The natural logarithm of a token's probability to be the next one. */
  next(token: number): number;
  /** The same of each text, token by token; to be asked once. @param texts tokens of each, at least one */
  score(texts: readonly (readonly number[])[]): Promise<number[][]>;
  /** Frees the memory. */
  release(): void;
}

/**
 * @param windows a single one
 * @param before the prompt and what was read up to here
 */
export async function continuing(
  { layout }: WhisperNetwork,
  windows: Windows,
  before: readonly number[],
): Promise<Continuation> {
  const { vocabularySize, tokens: special } = layout;
  const decoding = windows.begin();
  const logOf = (logits: Float32Array, token: number): number =>
    (logits[token] as number) - scoreTokens(logits, 0, vocabularySize).logSum;
  let opening: Float32Array;
  try {
    const first = await decoding.step([before]);
    opening = first.logits.slice(0, vocabularySize);
    first.release();
  } catch (error) {
    decoding.release();
    throw error;
  }
  return {
    next: (token) => logOf(opening, token),
    async score(texts) {
      const scores: number[][] = texts.map(([token]) => [logOf(opening, token as number)]);
      decoding.branch(texts.map(() => 0));
      const longest = Math.max(...texts.map(({ length }) => length));
      for (let at = 1; at < longest; at += 1) {
        const step = await decoding.step(texts.map((text) => [text[at - 1] ?? special.end]));
        for (const [row, text] of texts.entries()) {
          const token = text[at];
          if (token === undefined) continue;
          const own = step.logits.subarray(row * vocabularySize, (row + 1) * vocabularySize);
          (scores[row] as number[]).push(logOf(own, token));
        }
        step.release();
      }
      return scores;
    },
    release: () => decoding.release(),
  };
}

/**
 * The natural logarithm of each text's probability behind `before`, token by token.
 * @param windows a single one
 * @param before the prompt and what was read up to here
 * @param texts tokens of each text, at least one
 */
export async function scoreTexts(
  network: WhisperNetwork,
  windows: Windows,
  before: readonly number[],
  texts: readonly (readonly number[])[],
): Promise<number[][]> {
  const continuation = await continuing(network, windows, before);
  try {
    return await continuation.score(texts);
  } finally {
    continuation.release();
  }
}
