// The tokens that may come next: Whisper's timestamp grammar and its lists of suppressed tokens (whisper/decoding.py).
import { likeliest, scoreTokens, type TokenScores } from '../../../kernels/token-scores.ts';
import type { SpecialTokens } from './layout.ts';

/** A chosen token, and the logarithm of its probability among the allowed ones. */
export interface Choice {
  readonly token: number;
  readonly logProbability: number;
}

/** Samples from the distribution at a temperature, or takes the most likely token at 0. */
export interface Sampling {
  readonly temperature: number;
  /** From 0 to under 1, of 32 bits. */
  random(): number;
}

/** The rest of a window, seconds from its start. */
export interface VoiceEnd {
  /** End of its last voice. */
  readonly voiceEndSeconds: number;
}

/** A window may end this long before its last voice: timestamps are coarse. */
const unsaidSeconds = 1;
const secondsPerTimestamp = 0.02;

/**
 * Timestamps come in pairs, except the first and the last, and never fall; the text starts with one, within the first
 * second; where all timestamps together are likelier than any word or the end, a timestamp is forced.
 *
 * Whisper leaves a sentence that its window cuts off to the next window, and stops at long pauses. Our windows follow
 * each other without overlap and contain only speech, so decoding may not end at a timestamp before the end of the
 * speech.
 * @param logits of one row; those that are not allowed are overwritten
 * @param said tokens chosen so far
 */
export function chooseToken(
  logits: Float32Array,
  said: readonly number[],
  tokens: SpecialTokens,
  sampling: Sampling,
  sounding: VoiceEnd,
): Choice {
  const { best, most, logSum } = allowTokens(logits, said, tokens, sounding);
  if (sampling.temperature > 0) {
    const token = sample(logits, most, sampling);
    return { token, logProbability: (logits[token] ?? -Infinity) - logSum };
  }
  return { token: best, logProbability: most - logSum };
}

/** The likeliest allowed tokens, most likely first. Arguments as of `chooseToken`. */
export function likeliestTokens(
  logits: Float32Array,
  said: readonly number[],
  tokens: SpecialTokens,
  sounding: VoiceEnd,
  count: number,
): Choice[] {
  const { logSum } = allowTokens(logits, said, tokens, sounding);
  return likeliest(logits, count).map((token) => ({ token, logProbability: (logits[token] as number) - logSum }));
}

/** Overwrites the logits of tokens that may not come next. */
function allowTokens(
  logits: Float32Array,
  said: readonly number[],
  tokens: SpecialTokens,
  { voiceEndSeconds }: VoiceEnd,
): TokenScores {
  const { end, firstTimestamp } = tokens;
  const size = logits.length;
  const forbid = (from: number, to: number): void => {
    logits.fill(-Infinity, from, to);
  };
  for (const token of tokens.suppressed) logits[token] = -Infinity;
  if (said.length === 0) for (const token of tokens.suppressedFirst) logits[token] = -Infinity;
  // Languages, tasks and similar tokens are never output.
  forbid(end + 1, firstTimestamp);
  const last = said.at(-1) ?? 0;
  const isTimestamp = (token: number | undefined): boolean => token !== undefined && token >= firstTimestamp;
  if (said.length === 0) {
    forbid(0, firstTimestamp);
    forbid(firstTimestamp + tokens.mostInitialTimestamp + 1, size);
  } else if (isTimestamp(last)) {
    const paired = said.length < 2 || isTimestamp(said.at(-2));
    if (paired) forbid(firstTimestamp, size);
    else forbid(0, end);
  }
  const latest = said.findLast((token) => token >= firstTimestamp);
  if (latest !== undefined) {
    // The times of a pair may be equal; a new end must be after its start.
    const closing = isTimestamp(last) && !isTimestamp(said.at(-2));
    forbid(firstTimestamp, closing ? latest : latest + 1);
    const latestSeconds = (latest - firstTimestamp) * secondsPerTimestamp;
    if (isTimestamp(last) && said.length > 1 && voiceEndSeconds - latestSeconds > unsaidSeconds)
      logits[end] = -Infinity;
  }
  const text = scoreTokens(logits, 0, end + 1);
  const times = scoreTokens(logits, firstTimestamp, size);
  const due = times.logSum > text.most;
  if (due) forbid(0, firstTimestamp);
  const logSum = due ? times.logSum : logAdd(text.logSum, times.logSum);
  const { best, most } = due || times.most > text.most ? times : text;
  return { best, most, logSum };
}

function logAdd(a: number, b: number): number {
  const most = Math.max(a, b);
  return most === -Infinity ? most : most + Math.log(Math.exp(a - most) + Math.exp(b - most));
}

const gumbelNoise = (random: number): number => -Math.log(-Math.log(random + 1e-12) + 1e-12);

/**
 * Gumbel's method of sampling from a softmax: the greatest of logit / temperature + noise. Each allowed token takes a
 * random number, but those that no noise makes the greatest are left out: of 51,865 nearly all.
 * @param mostLogit the greatest
 */
function sample(logits: Float32Array, mostLogit: number, { temperature, random }: Sampling): number {
  const [leastNoise, mostNoise] = [gumbelNoise(0), gumbelNoise(1 - 2 ** -32)];
  const leastLogit = mostLogit - (mostNoise - leastNoise) * temperature;
  let [best, most] = [0, -Infinity];
  for (let token = 0; token < logits.length; token += 1) {
    const logit = logits[token] ?? -Infinity;
    if (logit === -Infinity) continue;
    const drawn = random();
    if (logit < leastLogit) continue;
    const value = logit / temperature + gumbelNoise(drawn);
    if (value > most) [best, most] = [token, value];
  }
  return best;
}
