// A decoder that has lost the thread says the same thing for ever.
import { deflateSync } from 'node:zlib';

/** Whole phrases this often in a row. */
const leastRepeats = 4;
/** Tokens that a loop of short phrases must fill: "no, no, no, no" is speech. */
const leastTokens = 18;
const longestPhrase = 40;

/**
 * Where the tokens end in a loop: how many tokens the repeated phrase has and how often it was said; null where they do
 * not.
 */
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

/** How often a text says the same thing: its length over its compressed length, as OpenAI's guard measures it. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}
