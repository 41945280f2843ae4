import { EarshotError } from '../../core/errors.ts';
import { searchFolders } from '../../models/folders.ts';
import { readModel, requireInstalled, type VerifiedModel } from '../../models/installed.ts';
import { createDeepFilterNet } from './deepfilternet/suppressor.ts';
import { createRnnoiseSuppressor } from './rnnoise/suppressor.ts';
import type { SuppressorFactory } from './suppressor/suppressor.ts';

const noiseEngineIds = ['deepfilternet3', 'rnnoise'] as const;
export type NoiseEngineId = (typeof noiseEngineIds)[number];

export interface NoiseEngine {
  readonly id: NoiseEngineId;
  /** The bare network. Tools use `watchedSuppressor`. */
  readonly createSuppressor: SuppressorFactory;
  /** RMS level above 150 Hz at which it hears voices best, dBFS. */
  readonly hearsBestDbfs: number;
  /** It takes voices for noise that RNNoise would keep. */
  readonly losesVoices: boolean;
  /** Of music without a voice it leaves less than this, dB; of speech in noise more. */
  readonly musicKeptDb: number;
}

/** What EARSHOT_NOISE_ENGINE asks for; null when it leaves the choice to what is installed. */
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
  hearsBestDbfs: -30,
  losesVoices: false,
  musicKeptDb: -5,
};
const deepFilterNet = (model: VerifiedModel): NoiseEngine => ({
  id: 'deepfilternet3',
  createSuppressor: createDeepFilterNet(model),
  hearsBestDbfs: -20,
  losesVoices: true,
  musicKeptDb: -9,
});

/**
 * DeepFilterNet3 where it is installed, else RNNoise, whose weights lie inside its package.
 * @param modelsDir see `searchFolders`
 * @throws EarshotError tool_unavailable naming the model when it is asked for and not there, or when its files are
 * damaged: a
 *   damaged install is never passed over in silence
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
