// How long a recogniser takes once it is warm.
import type { FanOut } from '../../core/machine/fan-out.ts';

/** A first reading that takes longer is the measurement: loading the networks hardly counts in it. */
const longEnoughSeconds = 60;
/** The first one loads the networks on every core; of the others the faster one had the machine to itself. */
export const mostReadings = 3;

/**
 * The seconds of a reading with loaded networks.
 * @param read reads everything and says how many seconds it took; gets the number of readings before
 */
export async function secondsOfReading(read: (before: number) => Promise<number>): Promise<number> {
  const first = await read(0);
  if (first > longEnoughSeconds) return first;
  let least = Number.POSITIVE_INFINITY;
  for (let reading = 1; reading < mostReadings; reading += 1) least = Math.min(least, await read(reading));
  return least;
}

/** Long recordings release what threads keep from earlier stages, here the networks that have just been loaded. */
export const keepingNetworks = (fanOut: FanOut): FanOut => ({ ...fanOut, clearThreads: () => Promise.resolve() });
