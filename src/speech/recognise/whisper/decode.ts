// Windows side by side, token after token.
import { AbortError } from '../../../core/abort.ts';
import { findLoop } from './loops.ts';
import type { WhisperNetwork, Windows } from './network.ts';
import { chooseToken, type Sampling, type Sounding } from './rules.ts';

/** What was read out of one window. */
export interface Reading {
  /** Text and timestamps, without the end. */
  readonly tokens: readonly number[];
  readonly logProbabilities: readonly number[];
  /**
   * Cross attention at the step that chose each token, and at last the end: of each alignment head the positions that
   * hold sound.
   */
  readonly attention: readonly Float32Array[];
  /** Natural logarithm, over all tokens and the end. */
  readonly meanLogProbability: number;
  /** It was stopped because it said the same thing again and again. */
  readonly looped: boolean;
}

export interface DecodeOptions {
  /** Tokens in front: the same for all. */
  readonly prompt: readonly number[];
  /** Positions of the encoder (0.02 s) that hold sound, row by row. */
  readonly positions: readonly number[];
  /** Where the last voice ends, row by row. */
  readonly soundings: readonly Sounding[];
  readonly sampling: Sampling;
  cancelled(): boolean;
}

interface Row {
  readonly tokens: number[];
  readonly logProbabilities: number[];
  readonly attention: Float32Array[];
  endLogProbability: number;
  looped: boolean;
  done: boolean;
}

export async function decode(
  network: WhisperNetwork,
  windows: Windows,
  { prompt, positions, soundings, sampling, cancelled }: DecodeOptions,
): Promise<Reading[]> {
  const { tokens: special, vocabularySize, alignmentHeads, mostTokens } = network.layout;
  const rows = Array.from({ length: windows.rows }, (): Row => ({
    tokens: [],
    logProbabilities: [],
    attention: [],
    endLogProbability: 0,
    looped: false,
    done: false,
  }));
  // As OpenAI's: half of what the network can hold is the answer's.
  const most = Math.min(mostTokens - prompt.length, Math.floor(mostTokens / 2));
  let decoding = network.begin(windows);
  let [first, last] = [0, rows.length];
  let feed: (readonly number[])[] = rows.map(() => prompt);
  for (let length = 0; first < last; length += 1) {
    if (cancelled()) throw new AbortError();
    const step = await network.step(decoding, feed);
    for (let index = first; index < last; index += 1) {
      const row = rows[index] as Row;
      if (row.done) continue;
      const at = index - first;
      const logits = step.logits.subarray(at * vocabularySize, (at + 1) * vocabularySize);
      const { token, logProbability } = chooseToken(
        logits,
        row.tokens,
        special,
        sampling,
        soundings[index] as Sounding,
      );
      const heard = positions[index] ?? 0;
      const attention = new Float32Array(alignmentHeads.length * heard);
      for (let head = 0; head < alignmentHeads.length; head += 1)
        attention.set(step.attention(at, head).subarray(0, heard), head * heard);
      row.attention.push(attention);
      if (token === special.end) {
        row.endLogProbability = logProbability;
        row.done = true;
        continue;
      }
      row.tokens.push(token);
      row.logProbabilities.push(logProbability);
      row.looped = findLoop(row.tokens.filter((one) => one < special.end)) !== null;
      row.done = row.looped || length + 1 >= most;
    }
    step.release();
    // The rows that are done at either end go; between others, they are carried along.
    const [from, to] = [first, last];
    while (first < last && rows[first]?.done) first += 1;
    while (first < last && rows[last - 1]?.done) last -= 1;
    decoding =
      first < last && (first > from || last < to)
        ? network.narrow(step.decoding, first - from, last - from)
        : step.decoding;
    feed = rows.slice(first, last).map(({ tokens, done }) => [done ? special.end : (tokens.at(-1) ?? special.end)]);
  }
  return rows.map(({ tokens, logProbabilities, attention, endLogProbability, looped }) => ({
    tokens,
    logProbabilities,
    attention,
    meanLogProbability: logProbabilities.reduce((sum, one) => sum + one, endLogProbability) / (tokens.length + 1),
    looped,
  }));
}
