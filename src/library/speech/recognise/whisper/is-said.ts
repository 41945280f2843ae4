// Whether what is read of a window is said there: by the network's own probabilities of text, language and no speech.
import type { Reading } from './decode.ts';
import type { Windows } from './decoder.ts';
import { compressionRatio } from './loops.ts';
import type { WhisperNetwork } from './network.ts';
import { languageWeights } from './spoken-in.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Who reads. */
interface Judge {
  readonly network: Pick<WhisperNetwork, 'layout'>;
  readonly vocabulary: Pick<Vocabulary, 'text'>;
}
type Opened = Pick<Windows, 'opening'>;

/** OpenAI's guards (whisper/transcribe.py). */
export const mostCompression = 2.4;
export const leastMeanLogProbability = -1;
export const mostNoSpeech = 0.6;

/**
 * What is read where no voice is found, or only without the noise: hoarse voices in noise have -0.7 to -0.8 a token of
 * text. What is invented over noise and music has the same, but not in a language that is told.
 */
const likely = { leastLogProbability: -0.9, mostNoSpeech: 0.6, leastTokens: 6 };
/** Of a Whisper of English alone, which tells no language: whispers have -0.1 to -0.5. */
const leastOfEnglish = -0.5;
/**
 * A window's language is told from this weight on: that of English voices, hoarse, whispered or with music under them,
 * is .89 and more in 5 to 6 s, of instruments, animals and noise at most .63. Of one Spanish voice, made so, it is .27
 * to .78: most of that stays unread.
 */
const leastTold = 0.75;
/**
 * In a language that is not told, and with so much of a chance that it is no speech, what is less likely a token of
 * text is none, nor is what turns in circles: an owl, a saxophone, a tuba and a blues have .12 to .74 and -1.9 and less
 * or circles. Ten Bengali voices, whose language is not told, have .1 and less where they have such readings.
 */
const untold = { leastNoSpeech: 0.1, leastLogProbability: -1.75 };

/** Probability of no speech, from the logits after the first token. */
export function noSpeechProbability({ layout }: Judge['network'], opening: Float32Array): number {
  let most = -Infinity;
  for (const logit of opening) most = Math.max(most, logit);
  let sum = 0;
  for (const logit of opening) sum += Math.exp(logit - most);
  return Math.exp((opening[layout.tokens.noSpeech] ?? -Infinity) - most) / sum;
}

/** Does it neither turn in circles nor come out unlikely? */
export const isSound = (reading: Reading, { vocabulary }: Pick<Judge, 'vocabulary'>): boolean =>
  !reading.looped &&
  reading.meanLogProbability >= leastMeanLogProbability &&
  compressionRatio(vocabulary.text(reading.tokens)) <= mostCompression;

/** Log probabilities of the tokens of text, without timestamps. */
export const logsOfText = ({ network }: Pick<Judge, 'network'>, { tokens, logProbabilities }: Reading): number[] =>
  logProbabilities.filter((_, index) => (tokens[index] ?? 0) < network.layout.tokens.end);

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);

/** Is it said, although no voice is heard there? */
export function isSaid(reader: Judge, windows: Opened, reading: Reading): boolean {
  const logs = logsOfText(reader, reading);
  const tellsLanguages = reader.network.layout.tokens.languages.size > 0;
  return (
    logs.length >= likely.leastTokens &&
    mean(logs) >= (tellsLanguages ? likely.leastLogProbability : leastOfEnglish) &&
    noSpeechProbability(reader.network, windows.opening) <= likely.mostNoSpeech &&
    isSound(reading, reader)
  );
}

/** Is it clear what language is spoken? Never of noise and music. */
export function isLanguageTold({ network }: Pick<Judge, 'network'>, { opening }: Opened): boolean {
  const weights = Object.values(languageWeights(opening, network.layout.tokens.languages));
  return weights.length === 0 || Math.max(...weights) >= leastTold;
}

/** Is it what is read of sounds that are no speech, unless its language is told? */
export const isOdd = (reader: Pick<Judge, 'network'>, { opening }: Opened, reading: Reading): boolean =>
  noSpeechProbability(reader.network, opening) >= untold.leastNoSpeech &&
  (reading.looped || mean(logsOfText(reader, reading)) < untold.leastLogProbability);
