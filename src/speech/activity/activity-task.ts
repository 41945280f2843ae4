// Silero VAD over a stretch of a recording, on any thread.
import type { FanOutTask } from '../../core/fan-out.ts';
import { requireInstalled } from '../../models/installed.ts';
import { createSession, type NetworkSession } from '../../models/sessions.ts';
import { openSpeech, speechRate } from '../speech-sound.ts';

/** Samples that one probability is about: 32 ms. */
export const stepSamples = 512;
/** What the network hears again of the step before. */
const contextSamples = 64;
const stateLength = 128;
/** The network's memory reaches back seconds: a stretch begins listening this many steps early (12.8 s). */
const warmUpSteps = 400;
/** Read at a time. */
const stepsPerRead = 512;

export interface ActivityItem {
  readonly path: string;
  readonly modelFolders: readonly string[];
  /** Steps [fromStep, toStep) of the recording. */
  readonly fromStep: number;
  readonly toStep: number;
}

let session: Promise<NetworkSession> | undefined;

async function loadSession(folders: readonly string[]): Promise<NetworkSession> {
  const model = await requireInstalled('silero-vad', folders);
  return createSession('silero-vad', model.file('silero_vad.onnx'));
}

/** How likely each step is speech, 0 to 1. */
export async function voiceProbabilities({
  item: { path, modelFolders, fromStep, toStep },
  cancelled,
  transfer,
}: FanOutTask<ActivityItem>): Promise<Float32Array<ArrayBuffer>> {
  const network = await (session ??= loadSession(modelFolders));
  const sound = openSpeech(path);
  try {
    const probabilities = new Float32Array(toStep - fromStep);
    const rate = { data: BigInt64Array.of(BigInt(speechRate)), dims: [] };
    let state = new Float32Array(2 * stateLength);
    const first = Math.max(0, fromStep - warmUpSteps);
    for (let from = first; from < toStep; from += stepsPerRead) {
      const steps = Math.min(stepsPerRead, toStep - from);
      const heard = sound.read(from * stepSamples - contextSamples, steps * stepSamples + contextSamples);
      for (let step = 0; step < steps && !cancelled(); step += 1) {
        const input = heard.slice(step * stepSamples, (step + 1) * stepSamples + contextSamples);
        const { output, stateN } = await network.run(
          {
            input: { data: input, dims: [1, input.length] },
            state: { data: state, dims: [2, 1, stateLength] },
            sr: rate,
          },
          ['output', 'stateN'],
        );
        state = stateN?.data as typeof state;
        if (from + step >= fromStep) probabilities[from + step - fromStep] = output?.data[0] ?? 0;
      }
    }
    transfer(probabilities.buffer);
    return probabilities;
  } finally {
    sound.close();
  }
}
