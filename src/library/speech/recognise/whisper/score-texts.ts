// How likely texts are that continue what was read so far.
import { scoreTokens } from '../../../kernels/token-scores.ts';
import type { Windows } from './decoder.ts';
import type { WhisperNetwork } from './network.ts';

/**
 * The natural logarithm of each text's probability behind `before`, token by token.
 * @param windows a single one
 * @param before the prompt and what was read up to here
 * @param texts tokens of each text, at least one
 */
export async function scoreTexts(
  { layout }: WhisperNetwork,
  windows: Windows,
  before: readonly number[],
  texts: readonly (readonly number[])[],
): Promise<number[][]> {
  const { vocabularySize, tokens: special } = layout;
  const scores: number[][] = texts.map(() => []);
  const decoding = windows.begin();
  try {
    const first = await decoding.step([before]);
    const opening = first.logits.slice(0, vocabularySize);
    first.release();
    decoding.branch(texts.map(() => 0));
    const longest = Math.max(...texts.map(({ length }) => length));
    let logits = opening;
    for (let at = 0; at < longest; at += 1) {
      for (const [row, text] of texts.entries()) {
        const token = text[at];
        if (token === undefined) continue;
        const own = at === 0 ? opening : logits.subarray(row * vocabularySize, (row + 1) * vocabularySize);
        const { logSum } = scoreTokens(own, 0, vocabularySize);
        (scores[row] as number[]).push((own[token] as number) - logSum);
      }
      if (at + 1 === longest) break;
      const step = await decoding.step(texts.map((text) => [text[at] ?? special.end]));
      logits = step.logits.slice();
      step.release();
    }
    return scores;
  } finally {
    decoding.release();
  }
}
