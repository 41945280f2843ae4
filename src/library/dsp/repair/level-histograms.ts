/** A histogram for each line: levels from -160 dB up in steps of 1 dB. */
const lowestDb = -160;
const classes = 192;

export interface Histograms {
  addDb(line: number, db: number): void;
  /** @param fromDb lower levels are left out; default: none */
  percentileDb(line: number, share: number, fromDb?: number): number;
}

export function createHistograms(lines: number): Histograms {
  const counts = new Uint32Array(lines * classes);
  return {
    addDb(line, db) {
      counts[line * classes + Math.min(classes - 1, Math.max(0, Math.round(db) - lowestDb))]! += 1;
    },
    percentileDb(line, share, fromDb = lowestDb) {
      const first = Math.min(classes - 1, Math.max(0, Math.round(fromDb) - lowestDb));
      const own = counts.subarray(line * classes + first, (line + 1) * classes);
      const total = own.reduce((sum, count) => sum + count, 0);
      let seen = 0;
      for (const [place, count] of own.entries()) {
        seen += count;
        if (seen > share * total) return lowestDb + first + place;
      }
      return lowestDb;
    },
  };
}
