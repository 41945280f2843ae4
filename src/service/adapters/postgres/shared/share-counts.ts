import type { BeatingHeart } from './heartbeat.ts';

/** A limit may be exceeded by what other APIs accept in this time. */
const shareMs = 1000;

/**
 * Exchanges counts with the other APIs on the database once a second, and not while this API is alone. Returns a
 * function that stops.
 * @param exchange one statement; not called again before it has ended
 * @param alone called when the others are gone, or the database is: what was learned no longer counts. Default: nothing
 */
export function shareCounts(
  heartbeat: Pick<BeatingHeart, 'onBeat'>,
  exchange: () => Promise<void>,
  alone: () => void = () => undefined,
): () => void {
  let otherApis = 0;
  let sharing = false;
  const leave = heartbeat.onBeat((news) => {
    otherApis = news.otherApis;
    if (otherApis === 0) alone();
  });
  const share = async (): Promise<void> => {
    if (sharing || otherApis === 0) return;
    sharing = true;
    try {
      await exchange();
    } catch {
      // Counting continues locally; the heartbeat logs that the database is unavailable.
      alone();
    } finally {
      sharing = false;
    }
  };
  const timer = setInterval(() => void share(), shareMs).unref();
  return () => {
    clearInterval(timer);
    leave();
  };
}
