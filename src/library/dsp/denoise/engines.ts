import { EarshotError } from '../../core/errors/errors.ts';
import { searchFolders } from '../../models/folders.ts';
import { readModel, requireInstalled, type VerifiedModel } from '../../models/installed.ts';
import { createDeepFilterNet } from './deepfilternet/suppressor.ts';
import { createLiveRnnoise } from './rnnoise/live-suppressor.ts';
import { createRnnoiseSuppressor } from './rnnoise/suppressor.ts';
import type { SuppressorFactory } from './suppressor/suppressor.ts';

export const noiseEngineIds = ['deepfilternet3', 'rnnoise'] as const;
/** A network that removes noise. */
export type NoiseEngineId = (typeof noiseEngineIds)[number];

export interface NoiseEngine {
  readonly id: NoiseEngineId;
  /** The bare network. Tools use `watchedSuppressor`. */
  readonly createSuppressor: SuppressorFactory;
  /** The same for sound as it arrives, each piece as soon as it can be. */
  readonly createLiveSuppressor: SuppressorFactory;
  /** The most samples by which the live one's output is behind its input, at 48 kHz. */
  readonly liveDelay: number;
  /** The best RMS level for voices above 150 Hz, dBFS. */
  readonly hearsBestDbfs: number;
  /** It removes voices that RNNoise would keep. */
  readonly losesVoices: boolean;
}

/** The engine in EARSHOT_NOISE_ENGINE; null for automatic. */
export function wantedEngine(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): NoiseEngineId | null {
  const wanted = environment['EARSHOT_NOISE_ENGINE'] ?? 'auto';
  if (wanted === 'auto' || wanted === '') return null;
  const known = noiseEngineIds.find((id) => id === wanted);
  if (known) return known;
  const expected = `one of auto, ${noiseEngineIds.join(', ')}`;
  throw new EarshotError('bad_request', `Expected ${expected} for EARSHOT_NOISE_ENGINE but received ${wanted}`, {
    details: { field: 'EARSHOT_NOISE_ENGINE', expected, received: wanted },
  });
}

const rnnoise: NoiseEngine = {
  id: 'rnnoise',
  createSuppressor: createRnnoiseSuppressor,
  createLiveSuppressor: createLiveRnnoise,
  // 20 ms, and a frame that has not all come.
  liveDelay: 1439,
  hearsBestDbfs: -30,
  losesVoices: false,
};
const deepFilterNet = (model: VerifiedModel): NoiseEngine => ({
  id: 'deepfilternet3',
  createSuppressor: createDeepFilterNet(model),
  createLiveSuppressor: (options) =>
    createDeepFilterNet(model, { pieceFrames: 1, primeSeconds: 0 })({ ...options, highPass: false }),
  // The filter's reach of two frames, a frame of overlap, and one that has not all come.
  liveDelay: 1919,
  hearsBestDbfs: -20,
  losesVoices: true,
});

/**
 * DeepFilterNet3 where it is installed, else RNNoise, whose weights are inside its package.
 * @param modelsDir see `searchFolders`
 * @throws EarshotError tool_unavailable naming the model when it is requested and missing, or when its files are
 *   damaged: a damaged install is never ignored
 */
export async function chooseNoiseEngine(
  modelsDir: string | undefined,
  wanted: NoiseEngineId | null = wantedEngine(),
): Promise<NoiseEngine> {
  if (wanted === 'rnnoise') return rnnoise;
  const folders = searchFolders(modelsDir);
  const model =
    wanted === 'deepfilternet3'
      ? await requireInstalled('deepfilternet3', folders)
      : await readModel('deepfilternet3', folders);
  return model ? deepFilterNet(model) : rnnoise;
}
