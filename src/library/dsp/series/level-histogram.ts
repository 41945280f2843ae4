/** Resolution in dB: finer than needed. */
const stepDb = 0.01;
const lowestDb = -200;
const highestDb = 40;

/** Percentiles of millions of levels without sorting or copying them. */
export interface LevelHistogram {
  readonly count: number;
  /**
   * The level below which a share of all levels (or of those from `fromDb` to `toDb`) are, to 0.01 dB.
   * @param share 0 to 1
   * @returns -Infinity without levels in the range
   */
  percentile(share: number, fromDb?: number, toDb?: number): number;
  /** The share of all levels over one, 0 to 1. */
  shareOver(db: number): number;
}

/** Counts the finite levels, dB; those outside -200 to +40 count at the ends. */
export function levelHistogram(
  levelsDb: Iterable<number> & ArrayLike<number>,
  toDb: (value: number) => number = (value) => value,
): LevelHistogram {
  const bins = new Uint32Array(Math.round((highestDb - lowestDb) / stepDb) + 1);
  const binOf = (db: number): number => Math.min(bins.length - 1, Math.max(0, Math.round((db - lowestDb) / stepDb)));
  let count = 0;
  for (let index = 0; index < levelsDb.length; index += 1) {
    const db = toDb(levelsDb[index] as number);
    if (!Number.isFinite(db)) continue;
    const bin = binOf(db);
    bins[bin] = (bins[bin] as number) + 1;
    count += 1;
  }
  return {
    count,
    percentile(share, fromDb = lowestDb, upToDb = highestDb) {
      const [first, last] = [binOf(fromDb), binOf(upToDb)];
      let total = 0;
      for (let bin = first; bin <= last; bin += 1) total += bins[bin] as number;
      if (total === 0) return Number.NEGATIVE_INFINITY;
      let left = Math.min(total - 1, Math.floor(share * total));
      for (let bin = first; bin <= last; bin += 1) {
        left -= bins[bin] as number;
        if (left < 0) return lowestDb + bin * stepDb;
      }
      return upToDb;
    },
    shareOver(db) {
      let over = 0;
      for (let bin = binOf(db) + 1; bin < bins.length; bin += 1) over += bins[bin] as number;
      return over / Math.max(1, count);
    },
  };
}
