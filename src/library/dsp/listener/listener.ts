// What sounds there are: YAMNet (Google; Plakal and Ellis, research/audioset/yamnet) over log-mel patches of 0.96 s.
import type { Warning } from '../../core/progress/progress.ts';
import { createFbank, fbankFrame, fbankHop } from '../../kernels/fbank.ts';
import { searchFolders } from '../../models/folders.ts';
import { findModel, requireInstalled } from '../../models/installed.ts';
import { requireModel } from '../../models/manifest.ts';
import { createSession, keptSession, type NetworkSession } from '../../models/sessions.ts';
import { classCount } from './sound-classes.ts';

const modelId = 'sound-classifier';
/** Sample rate of what it hears. */
export const listenerRate = 16_000;
const bands = 64;
/** Rows of 10 ms in a patch, and the samples under them. */
const patchRows = 96;
export const patchSamples = (patchRows - 1) * fbankHop + fbankFrame;
export const patchSeconds = patchSamples / listenerRate;
/** From one patch to the next, unless asked otherwise. */
const patchHopRows = 48;
/** More at once are no faster. */
const patchesPerRun = 8;
/** The network is deaf to faint sound: each piece is brought to this level, dBFS RMS. */
export const heardDbfs = -26;

/** Scores of the patches of a sound. */
export interface Heard {
  readonly patches: number;
  /** The greatest of the classes' means over all patches, 0 to 1. */
  meanOf(classes: readonly number[]): number;
  /** The greatest score of the classes in one patch, 0 to 1. */
  scoreIn(patch: number, classes: readonly number[]): number;
}

export interface HearOptions {
  /** From one patch to the next, in rows of 10 ms; default 48. */
  readonly hopRows?: number;
  /** Default: as much as brings the samples to -26 dBFS. For a long sound that is heard in parts. */
  readonly gain?: number;
  /** What makes a sound shorter than a patch as long as one; default `repeat`. Silence is better for voices. */
  readonly short?: 'repeat' | 'silence';
}

export interface Listener {
  /**
   * @param samples 16 kHz, mono; brought to -26 dBFS here. What is shorter than a patch is repeated: for music that is
   *   better than silence behind it. At least one sample.
   */
  hear(samples: Float32Array, options?: HearOptions): Promise<Heard>;
}

/** Is its network installed, by file size? */
export async function hasListener(modelsDir: string | undefined): Promise<boolean> {
  return (await findModel(requireModel(modelId), searchFolders(modelsDir), 'size')).state === 'installed';
}

/**
 * The listener where its network is installed; else a warning of what is not told.
 * @param missing what may go wrong without it
 */
export async function listenerAtHand(
  { modelsDir, warn }: { readonly modelsDir: string | undefined; readonly warn: (warning: Warning) => void },
  missing: string,
): Promise<Listener | null> {
  if (await hasListener(modelsDir)) return openListener(modelsDir);
  warn({
    code: 'sounds_not_told',
    message:
      `Expected the model sound-classifier but it is not installed: ${missing}. ` +
      'Run `npm install earshot-models` for it',
  });
  return null;
}

/** The gain that brings a sound of this power a sample and this peak to the level that the network expects. */
export const hearingGain = (power: number, peak: number): number =>
  Math.min(10 ** (heardDbfs / 20) / Math.sqrt(power + 1e-12), 1 / Math.max(1e-9, peak));

function gainOf(samples: Float32Array): number {
  let [power, peak] = [0, 0];
  for (const sample of samples) {
    power += sample * sample;
    peak = Math.max(peak, Math.abs(sample));
  }
  return hearingGain(power / samples.length, peak);
}

/** @returns new samples: at the level that the network expects, within full scale, and at least a patch of them */
function prepared(samples: Float32Array, { gain = gainOf(samples), short = 'repeat' }: HearOptions): Float32Array {
  const made = new Float32Array(Math.max(patchSamples, samples.length));
  for (let at = 0; at < made.length; at += 1)
    if (at < samples.length || short === 'repeat')
      made[at] = Math.max(-1, Math.min(1, gain * (samples[at % samples.length] as number)));
  return made;
}

/**
 * One thread is enough: 3 ms for a second of sound.
 * @throws EarshotError tool_unavailable without the model sound-classifier
 */
export async function openListener(modelsDir: string | undefined): Promise<Listener> {
  const folders = searchFolders(modelsDir);
  const network: NetworkSession = await keptSession([modelId, ...folders].join('\n'), async () => {
    const model = await requireInstalled(modelId, folders);
    return createSession(modelId, model.file('model.onnx'));
  });
  const fbank = createFbank({ form: 'yamnet', bands, lowHz: 125, highHz: 7500 });
  const patchLength = patchRows * bands;

  async function scoresOf(heard: Float32Array, hopRows: number): Promise<Float32Array[]> {
    const rows = Math.floor((heard.length - fbankFrame) / fbankHop) + 1;
    const patches = Math.floor((rows - patchRows) / hopRows) + 1;
    const scores: Float32Array[] = [];
    for (let first = 0; first < patches; first += patchesPerRun) {
      const count = Math.min(patchesPerRun, patches - first);
      const fromRow = first * hopRows;
      const logMel = fbank.rows(heard.subarray(fromRow * fbankHop), (count - 1) * hopRows + patchRows);
      const data = new Float32Array(count * patchLength);
      for (let patch = 0; patch < count; patch += 1) {
        const from = patch * hopRows * bands;
        data.set(logMel.subarray(from, from + patchLength), patch * patchLength);
      }
      const answer = await network.run({ log_mel: { data, dims: [count, patchRows, bands] } }, ['scores']);
      const found = answer['scores']?.data as Float32Array;
      for (let patch = 0; patch < count; patch += 1)
        scores.push(found.slice(patch * classCount, (patch + 1) * classCount));
    }
    return scores;
  }

  return {
    async hear(samples, options = {}) {
      const scores = await scoresOf(prepared(samples, options), options.hopRows ?? patchHopRows);
      return {
        patches: scores.length,
        meanOf: (classes) =>
          Math.max(...classes.map((each) => scores.reduce((sum, of) => sum + (of[each] as number), 0) / scores.length)),
        scoreIn: (patch, classes) => Math.max(...classes.map((each) => scores[patch]?.[each] as number)),
      };
    },
  };
}
