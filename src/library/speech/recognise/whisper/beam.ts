// Decodes one window with several readings in parallel (beam search): slower than `decode`, and better where a window
// is hard to hear.
import { AbortError } from '../../../core/abort.ts';
import type { Decoding, Windows } from './decoder.ts';
import type { DecodeOptions, Reading } from './decode.ts';
import { findLoop } from './loops.ts';
import type { WhisperNetwork } from './network.ts';
import { type Choice, likeliestTokens, type VoiceEnd } from './rules.ts';

/** Readings in parallel. */
const width = 3;

export interface BeamOptions extends Pick<DecodeOptions, 'prompt' | 'cancelled'> {
  /** Encoder positions (0.02 s) with sound. */
  readonly positions: number;
  readonly sounding: VoiceEnd;
  /** Longer readings than this run away. */
  readonly mostTokens: number;
}

interface Branch {
  readonly tokens: readonly number[];
  readonly logProbabilities: readonly number[];
  readonly attention: readonly Float32Array[];
  readonly sum: number;
}

interface Candidate extends Choice {
  readonly from: number;
  readonly sum: number;
}

const meanOf = ({ sum, tokens }: Branch): number => sum / (tokens.length + 1);

/** @param windows a single one */
export async function decodeWidely(
  network: WhisperNetwork,
  windows: Windows,
  { prompt, positions, sounding, mostTokens, cancelled }: BeamOptions,
): Promise<Reading> {
  const { tokens: special } = network.layout;
  const decoding = windows.begin();
  let branches: readonly Branch[] = [{ tokens: [], logProbabilities: [], attention: [], sum: 0 }];
  const finished: Branch[] = [];
  try {
    let feed: (readonly number[])[] = [prompt];
    for (let length = 0; length < mostTokens && finished.length < width; length += 1) {
      if (cancelled()) throw new AbortError();
      const { candidates, attention } = await look(network, decoding, branches, feed, { positions, sounding });
      const next: Candidate[] = [];
      for (const candidate of candidates) {
        if (next.length === width) break;
        if (candidate.token === special.end) finished.push(grown(branches, attention, candidate, special.end));
        else next.push(candidate);
      }
      // Nothing that goes on is as likely as the end.
      if (next.length === 0 || candidates[0]?.token === special.end) break;
      const made = next.map((candidate) => grown(branches, attention, candidate, special.end));
      const straight = made.flatMap((branch, index) => (isLooped(branch, special.end) ? [] : [index]));
      if (straight[0] !== 0) return { ...asReading(made[0] as Branch), looped: true };
      branches = straight.map((index) => made[index] as Branch);
      decoding.branch(straight.map((index) => (next[index] as Candidate).from));
      feed = branches.map(({ tokens }) => [tokens.at(-1) as number]);
    }
  } finally {
    decoding.release();
  }
  const best = (finished.length > 0 ? finished : branches).toSorted((a, b) => meanOf(b) - meanOf(a))[0] as Branch;
  return { ...asReading(best), looped: finished.length === 0 };
}

const isLooped = ({ tokens }: Branch, end: number): boolean => findLoop(tokens.filter((one) => one < end)) !== null;

/** The likeliest next tokens of all branches, likeliest first, and what each branch looked at. */
async function look(
  { layout }: WhisperNetwork,
  decoding: Decoding,
  branches: readonly Branch[],
  feed: readonly (readonly number[])[],
  { positions, sounding }: Pick<BeamOptions, 'positions' | 'sounding'>,
): Promise<{ readonly candidates: readonly Candidate[]; readonly attention: readonly Float32Array[] }> {
  const { tokens: special, vocabularySize, alignmentHeads } = layout;
  const step = await decoding.step(feed);
  const candidates = branches.flatMap((branch, row) => {
    const logits = step.logits.subarray(row * vocabularySize, (row + 1) * vocabularySize);
    return likeliestTokens(logits, branch.tokens, special, sounding, width + 1).map((choice): Candidate => ({
      ...choice,
      from: row,
      sum: branch.sum + choice.logProbability,
    }));
  });
  const attention = branches.map((_, row) => {
    const values = new Float32Array(alignmentHeads.length * positions);
    for (let head = 0; head < alignmentHeads.length; head += 1)
      values.set(step.attention(row, head).subarray(0, positions), head * positions);
    return values;
  });
  step.release();
  return { candidates: candidates.toSorted((a, b) => b.sum - a.sum), attention };
}

/** A branch with one token more; the end is no token, but has its attention. */
function grown(
  branches: readonly Branch[],
  attention: readonly Float32Array[],
  { from, token, logProbability, sum }: Candidate,
  end: number,
): Branch {
  const branch = branches[from] as Branch;
  const isEnd = token === end;
  return {
    tokens: isEnd ? branch.tokens : [...branch.tokens, token],
    logProbabilities: isEnd ? branch.logProbabilities : [...branch.logProbabilities, logProbability],
    attention: [...branch.attention, attention[from] as Float32Array],
    sum,
  };
}

const asReading = (branch: Branch): Reading => ({
  tokens: branch.tokens,
  logProbabilities: branch.logProbabilities,
  attention: branch.attention,
  meanLogProbability: meanOf(branch),
  looped: false,
});
