// How likely texts are where nothing is heard: how usual they are as words, whatever the sound.
import { type Continuation, continuing } from './score-texts.ts';
import type { Windows } from './decoder.ts';
import type { WhisperNetwork } from './network.ts';

/** What a window of digital silence has in each band and frame, as `LogMel` gives it. */
const silentMel = -1.5;
/** Positions of silence that are listened to: two seconds. */
const silentPositions = 100;

export interface Unheard {
  /** The natural logarithm of a token's probability to begin a text. */
  first(token: number): number;
  /** The same of whole texts. @param texts tokens of each, at least one */
  score(texts: readonly (readonly number[])[]): Promise<number[]>;
}

/** Kept as long as their network. What failed is tried again by the next one who asks. */
const silences = new WeakMap<WhisperNetwork, Promise<Windows>>();
const known = new WeakMap<WhisperNetwork, Map<string, Promise<Unheard>>>();

async function listenToNothing(network: WhisperNetwork): Promise<Windows> {
  const { bands, frames } = network.layout;
  const mel = new Float32Array(bands * frames).fill(silentMel);
  return network.open([await network.encode(mel)], [silentPositions]);
}

async function openUnheard(network: WhisperNetwork, before: readonly number[]): Promise<Unheard> {
  const silence = silences.get(network) ?? listenToNothing(network);
  silences.set(network, silence);
  silence.catch(() => silences.delete(network));
  const windows = await silence;
  const begin = (): Promise<Continuation> => continuing(network, windows, before);
  const { next, release } = await begin();
  release();
  const scores = new Map<string, number>();
  return {
    first: next,
    async score(texts) {
      const missing = texts.filter((text) => !scores.has(text.join()));
      if (missing.length > 0) {
        const continuation = await begin();
        try {
          for (const [index, score] of (await continuation.score(missing)).entries())
            scores.set((missing[index] as readonly number[]).join(), sum(score));
        } finally {
          continuation.release();
        }
      }
      return texts.map((text) => scores.get(text.join()) as number);
    },
  };
}

/**
 * How much likelier the sound makes each text than silence does: what it speaks for, however rare that is.
 * @param texts tokens of each, at least one
 */
export async function soundAdds(
  continuation: Continuation,
  nothing: Unheard,
  texts: readonly (readonly number[])[],
): Promise<number[]> {
  const silent = await nothing.score(texts);
  return (await continuation.score(texts)).map((score, index) => sum(score) - (silent[index] as number));
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

/** @param before the prompt: tokens before the text; what is scored is kept for each */
export function unheard(network: WhisperNetwork, before: readonly number[]): Promise<Unheard> {
  const all = known.get(network) ?? new Map<string, Promise<Unheard>>();
  known.set(network, all);
  const key = before.join();
  const opened = all.get(key) ?? openUnheard(network, before);
  all.set(key, opened);
  opened.catch(() => all.delete(key));
  return opened;
}
