// Detects endless repetitions of a decoder.
import { deflateSync } from 'node:zlib';

/** Least number of repetitions of a phrase. */
const leastRepeats = 4;
/** Least number of tokens in a loop of short phrases: "no, no, no, no" is speech. */
const leastTokens = 18;
const longestPhrase = 40;

/** The loop at the end of the tokens: length of the repeated phrase and number of repetitions; null without one. */
export function findLoop(tokens: readonly number[]): { readonly phrase: number; readonly repeats: number } | null {
  const count = tokens.length;
  for (let phrase = 1; phrase <= longestPhrase && phrase * leastRepeats <= count; phrase += 1) {
    let same = 0;
    while (same + phrase < count && tokens[count - 1 - same] === tokens[count - 1 - same - phrase]) same += 1;
    const repeats = Math.floor(same / phrase) + 1;
    if (repeats >= leastRepeats && repeats * phrase >= leastTokens) return { phrase, repeats };
  }
  return null;
}

/** How repetitive a text is: its length divided by its compressed length, as in OpenAI's guard. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}
