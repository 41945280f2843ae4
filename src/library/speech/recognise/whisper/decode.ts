// Windows side by side, token after token.
import { AbortError } from '../../../core/abort.ts';
import { findLoop } from './loops.ts';
import type { Windows } from './decoder.ts';
import type { WhisperNetwork } from './network.ts';
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
  const decoding = windows.begin();
  try {
    // Rows that go on, by their index.
    let active = rows.map((_, index) => index);
    let feed: (readonly number[])[] = rows.map(() => prompt);
    for (let length = 0; active.length > 0; length += 1) {
      if (cancelled()) throw new AbortError();
      const step = await decoding.step(feed);
      for (const [at, index] of active.entries()) {
        const row = rows[index] as Row;
        if (row.done) continue;
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
      const going = active.map((index) => !(rows[index] as Row).done);
      if (!going.includes(true)) break;
      active = decoding.keep(going).map((at) => active[at] as number);
      feed = active.map((index) => {
        const { tokens, done } = rows[index] as Row;
        return [done ? special.end : (tokens.at(-1) ?? special.end)];
      });
    }
  } finally {
    decoding.release();
  }
  return rows.map(({ tokens, logProbabilities, attention, endLogProbability, looped }) => ({
    tokens,
    logProbabilities,
    attention,
    meanLogProbability: logProbabilities.reduce((sum, one) => sum + one, endLogProbability) / (tokens.length + 1),
    looped,
  }));
}
