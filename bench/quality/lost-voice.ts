// How much of a voice is lost: blind scores take an erased whisper for an improvement, a reference does not.

const frame = 960;

/** Frames in which somebody speaks: within so many decibels of the loudest tenth. */
const speechRangeDb = 30;
/** A frame that lost more than this is gone, dB. */
const goneDb = 10;

export interface LostVoice {
  /** Level of the voice in the result over that in the reference, in frames of speech, dB. */
  readonly levelDb: number;
  /** Share of the frames of speech of which less than a tenth of the power is left. */
  readonly goneShare: number;
}

/**
 * The voice in `estimate` is its projection on the reference, frame by frame (20 ms), so that noise that is left does
 * not count; a level never counts above the reference's.
 */
export function lostVoice(estimate: Float32Array, reference: Float32Array): LostVoice {
  const count = Math.floor(reference.length / frame);
  const powers = Float64Array.from({ length: count }, (_, t) =>
    reference.subarray(t * frame, (t + 1) * frame).reduce((sum, x) => sum + x * x, 0),
  );
  const loud = powers.toSorted()[Math.floor(0.9 * count)] ?? 0;
  let [before, after, frames, gone] = [0, 0, 0, 0];
  for (const [t, power] of powers.entries()) {
    if (power <= loud * 10 ** (-speechRangeDb / 10)) continue;
    let dot = 0;
    for (let i = t * frame; i < (t + 1) * frame; i += 1) dot += (estimate[i] as number) * (reference[i] as number);
    const kept = Math.min(1, Math.max(0, dot / power)) ** 2;
    before += power;
    after += kept * power;
    frames += 1;
    if (kept < 10 ** (-goneDb / 10)) gone += 1;
  }
  return { levelDb: 10 * Math.log10(after / before + 1e-12), goneShare: frames === 0 ? 0 : gone / frames };
}
