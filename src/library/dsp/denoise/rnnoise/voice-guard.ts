/** Frames of the guard are RNNoise's. */
const frameSamples = 480;

/** Time constant of the running energies and of the running voice probability, in frames of 10 ms. */
const energyMemory = 100;
const voiceMemory = 70;

/**
 * Share of the energy removed while voices speak: nothing is restored below the first value, the maximum from the
 * second on.
 */
const removedShares = [0.75, 0.85] as const;
/** Mean probability of a voice. One talker pauses for breath and between words; many talkers do not. */
const voiceProbabilities = [0.7, 0.85] as const;
/** Greatest restored share of the original. */
const mostBack = 0.5;

/** 0 at and below the first, 1 from the second on. */
const between = (value: number, [low, high]: readonly [number, number]): number =>
  Math.min(1, Math.max(0, (value - low) / (high - low)));

function energyOf(samples: Float32Array): number {
  let energy = 0;
  for (let i = 0; i < samples.length; i += 1) energy += (samples[i] as number) ** 2;
  return energy;
}

/** Adds the original to a frame, by a share that goes from one value to the other. */
function addBack(result: Float32Array, original: Float32Array, [before, back]: readonly [number, number]): void {
  for (let i = 0; i < result.length; i += 1) {
    const share = before + ((back - before) * i) / frameSamples;
    result[i] = (result[i] as number) * (1 - share) + (original[i] as number) * share;
  }
}

/**
 * Among many voices the network loses the important one: it detects voices all the time and still removes nearly
 * everything. There, part of the original is added to `result`, so that no voice vanishes (eight talkers 5 dB louder
 * than the wanted one: SI-SDR 0.5 dB better than the recording instead of 2.8 dB worse). Otherwise the result is
 * unchanged. Our own method and figures: `node bench/quality/run.ts --only=voices`.
 * @param original the network's input
 * @param result its output, in step and equally long; changed in place
 * @param voice probability of a voice, 0 to 1, per frame of 480 samples, in step
 */
export function guardVoices(original: Float32Array, result: Float32Array, voice: Float32Array): void {
  const guard = createVoiceGuard();
  for (let at = 0, frame = 0; at < result.length; at += frameSamples, frame += 1) {
    const end = Math.min(at + frameSamples, result.length);
    guard(original.subarray(at, end), result.subarray(at, end), voice[frame] ?? 0);
  }
}

/** The same frame by frame, in order. */
export function createVoiceGuard(): (original: Float32Array, result: Float32Array, voiced: number) => void {
  const energyDecay = Math.exp(-1 / energyMemory);
  const voiceDecay = Math.exp(-1 / voiceMemory);
  let [heard, left, probability, before] = [1e-12, 1e-12, 0, 0];
  return (original, result, voiced) => {
    heard = energyDecay * heard + voiced * energyOf(original);
    left = energyDecay * left + voiced * energyOf(result);
    probability = voiceDecay * probability + (1 - voiceDecay) * voiced;
    const back = mostBack * between(1 - left / heard, removedShares) * between(probability, voiceProbabilities);
    if (back > 0 || before > 0) addBack(result, original, [before, back]);
    before = back;
  };
}
