/** The named peer of the peaks kernel: the same binning as one would write it in JavaScript. */
export function peaksInJavaScript(): {
  push(planes: readonly Float32Array[], frames: number, rate: number): void;
  finish(): Int8Array;
} {
  const bins: number[] = [];
  let frame = 0;
  return {
    push(planes, frames, rate) {
      for (let at = 0; at < frames; at += 1, frame += 1) {
        const bin = Math.floor((frame * 500) / rate);
        for (const plane of planes) {
          const value = plane[at] as number;
          const low = bins[2 * bin];
          const high = bins[2 * bin + 1];
          if (low === undefined || value < low) bins[2 * bin] = value;
          if (high === undefined || value > high) bins[2 * bin + 1] = value;
        }
      }
    },
    finish: () => Int8Array.from(bins, (value) => Math.max(-127, Math.min(127, Math.round(value * 127)))),
  };
}
