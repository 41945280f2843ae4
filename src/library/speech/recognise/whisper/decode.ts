// Decodes windows in parallel, token by token.
import { AbortError } from '../../../core/abort.ts';
import { findLoop } from './loops.ts';
import type { Windows } from './decoder.ts';
import type { WhisperNetwork } from './network.ts';
import { chooseToken, type Sampling, type VoiceEnd } from './rules.ts';

/** The decoded tokens of one window. */
export interface Reading {
  /** Text and timestamps, without the end token. */
  readonly tokens: readonly number[];
  readonly logProbabilities: readonly number[];
  /**
   * Cross attention at the step that chose each token, and finally at the end token: for each alignment head the
   * positions with sound.
   */
  readonly attention: readonly Float32Array[];
  /** Natural logarithm, over all tokens and the end. */
  readonly meanLogProbability: number;
  /** Stopped because it repeated itself endlessly. */
  readonly looped: boolean;
}

export interface DecodeOptions {
  /** Tokens before the text: the same for all. */
  readonly prompt: readonly number[];
  /** Encoder positions (0.02 s) with sound, by row. */
  readonly positions: readonly number[];
  /** End of the last voice, by row. */
  readonly soundings: readonly VoiceEnd[];
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
  // As in OpenAI's code: half of the network's capacity is for the answer.
  const most = Math.min(mostTokens - prompt.length, Math.floor(mostTokens / 2));
  const decoding = windows.begin();
  try {
    // Indices of the rows that are not finished.
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
          soundings[index] as VoiceEnd,
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
