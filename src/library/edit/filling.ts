// What is heard in place of sound that is taken out: nothing, a tone, or noise of the room's colour.

/** Sound for stretches, made in their order. */
export interface Filling {
  /**
   * The next frames of a stretch, without gaps from its start on.
   * @param from frame of the stretch; 0: its start
   * @returns a plane for each channel, valid until the next call
   */
  next(channels: number, from: number, frames: number): readonly Float32Array[];
}

/** The tone of broadcast's line-up, which every listener knows. */
const bleepHz = 1000;

/**
 * @param sampleRate of the sound, Hz
 * @param rms of the tone, full scale 1
 */
export function bleep(sampleRate: number, rms: number): Filling {
  const peak = Math.SQRT2 * rms;
  const step = (2 * Math.PI * bleepHz) / sampleRate;
  return {
    next(channels, from, frames) {
      const plane = Float32Array.from({ length: frames }, (_, at) => peak * Math.sin(step * (from + at)));
      return Array.from({ length: channels }, () => plane);
    },
  };
}
