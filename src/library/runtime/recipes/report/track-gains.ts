// With what gain each track is in a mix, found in the mix itself: the gains with which the tracks add up to it best.
import type { MediaFacts } from '../../../media/facts.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../../core/abort.ts';
import { gainToDb } from '../../../core/levels.ts';
import { openLockstep } from '../../../media/read/lockstep.ts';
import type { LevelChange } from './level-change.ts';

/** Voices and music have most of their power below 4 kHz. */
const rate = 8000;
const windowFrames = rate / 2;
const mostPoints = 500;
/** A mix of which less is explained has more in it than the tracks. */
const leastExplained = 0.8;
/** Less of a track in the mix is lost in the rest: -30 dB. */
const leastShare = 1e-3;
/** Mean square of a track that is silent. */
const silence = 1e-8;

/** Products of all signals with each other, summed up. The mix comes last. */
class Products {
  private readonly sums: Float64Array;
  private readonly count: number;
  private frames = 0;

  constructor(count: number) {
    this.count = count;
    this.sums = new Float64Array(count * count);
  }

  add(signals: readonly Float32Array[], from: number, to: number): void {
    for (const [row, a] of signals.entries())
      for (let column = row; column < signals.length; column += 1) {
        const b = signals[column] as Float32Array;
        let sum = 0;
        for (let i = from; i < to; i += 1) sum += (a[i] as number) * (b[i] as number);
        this.sums[row * this.count + column] = (this.sums[row * this.count + column] as number) + sum;
      }
    this.frames += to - from;
  }

  private of(a: number, b: number): number {
    return this.sums[Math.min(a, b) * this.count + Math.max(a, b)] as number;
  }

  /** Least squares; the gain of each track in dB, null where it cannot be told. Starts again. */
  take(): (number | null)[] {
    const tracks = Array.from({ length: this.count - 1 }, (_, index) => index);
    const mix = this.count - 1;
    const gains = this.solved(tracks, mix);
    const power = this.of(mix, mix);
    const explained = tracks.reduce((sum, track) => sum + (gains[track] as number) * this.of(track, mix), 0);
    const told = tracks.map((track) => {
      const gain = gains[track] as number;
      const own = this.of(track, track);
      const isThere = own > silence * this.frames && gain > 0 && gain * gain * own > leastShare * power;
      return isThere && explained > leastExplained * power ? gainToDb(gain) : null;
    });
    this.sums.fill(0);
    this.frames = 0;
    return told;
  }

  /** Gauss's elimination with pivots; silent tracks get nothing. */
  private solved(tracks: readonly number[], mix: number): number[] {
    const loudest = Math.max(...tracks.map((track) => this.of(track, track)));
    // What two tracks share cannot be told apart: a little of everything keeps the gains small.
    const rows = tracks.map((row) => [
      ...tracks.map((column) => this.of(row, column) + (row === column ? 1e-7 * loudest + 1e-12 : 0)),
      this.of(row, mix),
    ]);
    for (const step of tracks) {
      const best = tracks
        .slice(step)
        .reduce((a, b) => (Math.abs(rows[b]?.[step] ?? 0) > Math.abs(rows[a]?.[step] ?? 0) ? b : a));
      [rows[step], rows[best]] = [rows[best] as number[], rows[step] as number[]];
      const pivot = rows[step];
      for (const row of rows) {
        if (row === pivot) continue;
        const factor = (row[step] as number) / (pivot[step] as number);
        for (let column = step; column < row.length; column += 1)
          row[column] = (row[column] as number) - factor * (pivot[column] as number);
      }
    }
    return rows.map((row, index) => (row[mix] as number) / (row[index] as number));
  }
}

/**
 * The gain of each track in a mix over time, for tracks that begin with it.
 * @param seconds length of the mix
 * @returns for each track; null where it is silent, or the mix does not tell
 * @throws EarshotError as `openAudio`; AbortError
 */
export async function trackGains(
  tracks: readonly MediaFacts[],
  mix: MediaFacts,
  seconds: number,
  signal: AbortSignal,
): Promise<LevelChange[][]> {
  const windows = Math.max(1, Math.ceil((seconds * rate) / windowFrames / mostPoints));
  const curves = tracks.map((): LevelChange[] => []);
  const products = new Products(tracks.length + 1);
  const together = openLockstep([...tracks, mix], { sampleRate: rate, channels: 1 });
  let [start, at, filled] = [0, 0, 0];
  const tell = (): void => {
    if (filled === 0) return;
    const middle = (start + at) / 2 / rate;
    for (const [track, db] of products.take().entries()) curves[track]?.push({ seconds: middle, db });
    start = at;
    filled = 0;
  };
  try {
    for (let block = together.next(); block; block = together.next()) {
      const planes = block.tracks.map((track) => track.planes[0] as Float32Array);
      for (let from = 0; from < block.frames; from += windowFrames) {
        const to = Math.min(block.frames, from + windowFrames);
        products.add(planes, from, to);
        at += to - from;
        filled += 1;
        if (filled === windows) tell();
      }
      await turn();
      throwIfAborted(signal);
    }
    tell();
    return curves;
  } finally {
    together.close();
  }
}
