// NVIDIA's Parakeet, a token-and-duration transducer over a FastConformer (Rekesh et al. 2023), in the layout of
// istupakov/parakeet-tdt-0.6b-v3-onnx on the hub.
import { AbortError } from '../../../core/abort.ts';
import { type SpeechSound, speechRate } from '../../speech-sound.ts';
import { decodeTokens, type TimedToken } from './decode.ts';
import { createNemoListener, featureSeconds } from './features.ts';
import type { ParakeetLayout } from './layout.ts';
import { loadNetwork } from './network.ts';
import type { ListenedWord } from '../../spoken-word.ts';
import { wordsOf } from './words.ts';

export interface Parakeet {
  /** SentencePiece pieces by token. */
  readonly pieces: readonly string[];
  /** Seconds per encoder step. */
  readonly stepSeconds: number;
  /**
   * The tokens of one stretch of speech.
   * @param samples 16 kHz, full scale 1; up to about 30 s, because of memory
   * @param cancelled checked before the encoder and before each step of the decoder
   * @throws AbortError
   */
  readTokens(samples: SpeechSamples, cancelled: () => boolean): Promise<TimedToken[]>;
  /** As `readTokens`, joined to words; times are seconds from the start of the stretch. */
  read(samples: SpeechSamples, cancelled: () => boolean): Promise<ListenedWord[]>;
  close(): Promise<void>;
}

type SpeechSamples = ReturnType<SpeechSound['read']>;

/** The deviation of a band needs more than one row of features. */
const leastSamples = 2 * featureSeconds * speechRate;

/**
 * Runs on one core: with more, the encoder's sums are divided differently, and results differ in the last bits.
 * @throws EarshotError tool_unavailable for unsuitable files
 */
export async function loadParakeet(layout: ParakeetLayout): Promise<Parakeet> {
  const network = await loadNetwork(layout);
  const listener = createNemoListener(layout.bands);
  const stepSeconds = featureSeconds * layout.subsampling;
  const readTokens: Parakeet['readTokens'] = async (samples, cancelled) => {
    if (samples.length < leastSamples) return [];
    if (cancelled()) throw new AbortError();
    const encoded = await network.encode(listener.features(samples));
    return decodeTokens(network, layout, encoded, cancelled);
  };
  return {
    pieces: layout.pieces,
    stepSeconds,
    readTokens,
    async read(samples, cancelled) {
      const tokens = await readTokens(samples, cancelled);
      return wordsOf(tokens, layout.pieces, stepSeconds, samples.length / speechRate);
    },
    close: () => network.close(),
  };
}
