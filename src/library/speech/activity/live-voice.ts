// Silero VAD over sound as it arrives.
import { searchFolders } from '../../models/folders.ts';
import type { NetworkSession } from '../../models/sessions.ts';
import { speechRate } from '../speech-sound.ts';
import {
  contextSamples,
  gainOfPowers,
  inputSamples,
  loadSession,
  raise,
  stateLength,
  stepSamples,
} from './activity-task.ts';

/** The level of soft sound is taken from this many steps, a minute. */
const levelSteps = 1875;
/** And looked at again after so many, half a second. */
const stepsPerLevel = 16;

export interface LiveVoice {
  /** @returns the probability of a voice in each step of 32 ms that this completes, and the step's sound */
  hear(samples: Float32Array): Promise<readonly HeardStep[]>;
}

export interface HeardStep {
  /** 0 to 1. */
  readonly probability: number;
  readonly samples: Float32Array<ArrayBuffer>;
}

const meanSquare = (samples: Float32Array): number =>
  samples.reduce((sum, value) => sum + value * value, 0) / samples.length;

/** @throws EarshotError tool_unavailable without the model silero-vad */
export const loadVoiceNetwork = (modelsDir: string | undefined): Promise<NetworkSession> =>
  loadSession(searchFolders(modelsDir));

/** @param network which others may use as well; the caller closes it */
export function openLiveVoice(network: NetworkSession): LiveVoice {
  const rate = { data: BigInt64Array.of(BigInt(speechRate)), dims: [] };
  const powers = new Float32Array(levelSteps);
  let state = new Float32Array(2 * stateLength);
  // The last samples of the step before, then those that no step has yet.
  let held = new Float32Array(contextSamples);
  let [steps, gain] = [0, 1];

  const look = async (from: number): Promise<HeardStep> => {
    const input = held.slice(from, from + inputSamples);
    const samples = input.slice(contextSamples);
    powers[steps % levelSteps] = meanSquare(samples);
    if (steps % stepsPerLevel === 0) gain = gainOfPowers(powers.subarray(0, Math.min(levelSteps, steps + 1)));
    steps += 1;
    raise(input, gain);
    const { output, stateN } = await network.run(
      {
        input: { data: input, dims: [1, inputSamples] },
        state: { data: state, dims: [2, 1, stateLength] },
        sr: rate,
      },
      ['output', 'stateN'],
    );
    state = stateN?.data as typeof state;
    return { probability: output?.data[0] ?? 0, samples };
  };

  return {
    async hear(samples) {
      const joined = new Float32Array(held.length + samples.length);
      joined.set(held);
      joined.set(samples, held.length);
      held = joined;
      const heard: HeardStep[] = [];
      let from = 0;
      for (; from + inputSamples <= held.length; from += stepSamples) heard.push(await look(from));
      held = held.slice(from);
      return heard;
    },
  };
}
