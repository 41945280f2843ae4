// How alike two sounds are that are faded into each other. The website's editor fades by the same.

/** Chance makes no unlike sounds more alike than so many standard deviations of the correlation of noise. */
const byChance = 3;

/** How alike two sounds are: 0 for those that have nothing in common, 1 for one sound at two levels. */
export function likeness(one: readonly Float32Array[], other: readonly Float32Array[], frames: number): number {
  let [both, first, second] = [0, 0, 0];
  for (const [channel, plane] of one.entries()) {
    const beside = other[channel] as Float32Array;
    for (let frame = 0; frame < frames; frame += 1) {
      const [a, b] = [plane[frame] as number, beside[frame] as number];
      both += a * b;
      first += a * a;
      second += b * b;
    }
  }
  const correlation = both / Math.sqrt(Math.max(1e-30, first * second));
  return correlation < byChance / Math.sqrt(Math.max(1, frames)) ? 0 : Math.min(1, correlation);
}

/** Of a frame of an equal-power crossfade between sounds that are alike, which would be louder in the middle. */
export const likenessGain = (alike: number, frame: number, frames: number): number =>
  1 / Math.sqrt(1 + alike * Math.sin(((frame + 0.5) / frames) * Math.PI));
