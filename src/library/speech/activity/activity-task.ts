// Silero VAD over a stretch of a recording, on any thread.
import type { FanOutTask } from '../../core/machine/fan-out.ts';
import { requireInstalled } from '../../models/installed.ts';
import { createSession, keptSession, type NetworkSession } from '../../models/sessions.ts';
import { holdSpeech, openSpeech, speechRate, type SpeechSound } from '../speech-sound.ts';

/** Samples per probability: 32 ms. */
export const stepSamples = 512;
/** Samples of the previous step that the network gets again. */
export const contextSamples = 64;
export const inputSamples = stepSamples + contextSamples;
export const stateLength = 128;
/** The network's memory is seconds long: a row starts this many steps early (12.8 s). */
const warmUpSteps = 400;
/** Read at a time. */
const stepsPerRead = 256;

export interface ActivityItem {
  /** Of the recording's file; or the recording itself, where the task runs in the caller's thread. */
  readonly path: string | Float32Array;
  readonly modelFolders: readonly string[];
  /** Steps [fromStep, toStep) of the recording. */
  readonly fromStep: number;
  readonly toStep: number;
  /** They are processed in rows of this length in parallel, which takes half the time of one after the other. */
  readonly stepsPerRow: number;
  /** The network knows nothing of what came before. */
  readonly fresh?: boolean;
}

export async function loadSession(folders: readonly string[]): Promise<NetworkSession> {
  const model = await requireInstalled('silero-vad', folders);
  return createSession('silero-vad', model.file('silero_vad.onnx'));
}

/** RMS of the loud moments of a voice in the network's training data: a louder recording stays as it is. */
const usualRms = 0.08;
/** A softer one is raised to this: hoarse voices are missed with less. */
const raisedRms = 0.3;
/** Share of the loudest steps: a voice, even if someone speaks rarely, but not a single bang. */
const loudShare = 0.01;
/** More would turn the noise of an empty recording into a voice. */
const mostGain = 300;

/** Gain that brings a soft recording to the level the network expects: it misses voices below -45 dBFS. At least 1. */
function gainOf(sound: SpeechSound, fromStep: number, toStep: number, cancelled: () => boolean): number {
  const powers = new Float32Array(toStep - fromStep);
  for (let from = fromStep; from < toStep && !cancelled(); from += stepsPerRead) {
    const steps = Math.min(stepsPerRead, toStep - from);
    const samples = sound.read(from * stepSamples, steps * stepSamples);
    for (let step = 0; step < steps; step += 1) {
      let sum = 0;
      for (let index = step * stepSamples; index < (step + 1) * stepSamples; index += 1)
        sum += (samples[index] as number) ** 2;
      powers[from - fromStep + step] = sum / stepSamples;
    }
  }
  return gainOfPowers(powers);
}

/** The same from the mean square of each step. */
export function gainOfPowers(powers: Float32Array): number {
  const loud = powers.toSorted()[Math.floor((1 - loudShare) * (powers.length - 1))] ?? 0;
  const rms = Math.sqrt(loud);
  return rms > 0 && rms < usualRms ? Math.min(mostGain, raisedRms / rms) : 1;
}

/** Raises samples in place, within full scale. */
export function raise(samples: Float32Array, gain: number): void {
  if (gain === 1) return;
  for (let index = 0; index < samples.length; index += 1)
    samples[index] = Math.max(-1, Math.min(1, (samples[index] as number) * gain));
}

/** Probability of speech in each step, 0 to 1. */
export async function voiceProbabilities({
  item: { path, modelFolders, fromStep, toStep, stepsPerRow, fresh = false },
  cancelled,
  transfer,
}: FanOutTask<ActivityItem>): Promise<Float32Array<ArrayBuffer>> {
  const network = await keptSession(['silero-vad', ...modelFolders].join('\n'), () => loadSession(modelFolders));
  const sound = typeof path === 'string' ? openSpeech(path) : holdSpeech(path);
  try {
    const probabilities = new Float32Array(toStep - fromStep);
    const rate = { data: BigInt64Array.of(BigInt(speechRate)), dims: [] };
    const rows = Math.ceil((toStep - fromStep) / stepsPerRow);
    const begins = Array.from({ length: rows }, (_, row) => fromStep + row * stepsPerRow);
    const length = Math.min(stepsPerRow, toStep - fromStep);
    const gain = gainOf(sound, fromStep, toStep, cancelled);
    let state = new Float32Array(2 * rows * stateLength);
    const warmUp = fresh || (fromStep === 0 && rows === 1) ? 0 : warmUpSteps;
    for (let from = -warmUp; from < length; from += stepsPerRead) {
      const steps = Math.min(stepsPerRead, length - from);
      const heard = begins.map((begin) =>
        sound.read((begin + from) * stepSamples - contextSamples, steps * stepSamples + contextSamples),
      );
      for (let step = 0; step < steps && !cancelled(); step += 1) {
        // Before the start of the recording there is no state.
        if (fromStep === 0 && from + step === 0) forget(state, rows, 0);
        const input = new Float32Array(rows * inputSamples);
        for (const [row, samples] of heard.entries())
          input.set(samples.subarray(step * stepSamples, step * stepSamples + inputSamples), row * inputSamples);
        raise(input, gain);
        const { output, stateN } = await network.run(
          {
            input: { data: input, dims: [rows, inputSamples] },
            state: { data: state, dims: [2, rows, stateLength] },
            sr: rate,
          },
          ['output', 'stateN'],
        );
        state = stateN?.data as typeof state;
        if (from + step < 0) continue;
        for (const [row, begin] of begins.entries()) {
          const at = begin - fromStep + from + step;
          if (at < probabilities.length) probabilities[at] = output?.data[row] ?? 0;
        }
      }
    }
    transfer(probabilities.buffer);
    return probabilities;
  } finally {
    sound.close();
  }
}

/** Clears both layers of one row. */
function forget(state: Float32Array, rows: number, row: number): void {
  for (const layer of [0, 1]) state.fill(0, (layer * rows + row) * stateLength, (layer * rows + row + 1) * stateLength);
}
