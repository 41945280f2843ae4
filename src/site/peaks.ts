// Peaks: what a waveform is drawn from.

/** Pairs of minimum and maximum, -1 to 1. */
export type Peaks = Float32Array;

/** Smallest and largest sample of `count` equal stretches, over all channels. */
export function peaksOf(channels: readonly Float32Array[], count: number): Peaks {
  const frames = channels[0]?.length ?? 0;
  const peaks = new Float32Array(count * 2);
  for (let bin = 0; bin < count; bin++) {
    const end = Math.max(Math.floor(((bin + 1) * frames) / count), Math.floor((bin * frames) / count) + 1);
    let [least, greatest] = [0, 0];
    for (const samples of channels)
      for (let frame = Math.floor((bin * frames) / count); frame < end; frame++) {
        const sample = samples[frame] ?? 0;
        if (sample < least) least = sample;
        else if (sample > greatest) greatest = sample;
      }
    peaks[2 * bin] = least;
    peaks[2 * bin + 1] = greatest;
  }
  return peaks;
}
