// Decibels and linear amplitude, full scale 1.0.

export const dbToGain = (db: number): number => 10 ** (db / 20);

/** -Infinity for 0. */
export const gainToDb = (gain: number): number => 20 * Math.log10(gain);

/** -Infinity for 0. */
export const powerToDb = (meanSquare: number): number => 10 * Math.log10(meanSquare);

/** For JSON: two decimals, null for what has no level (digital silence). */
export const roundedDb = (db: number | null): number | null =>
  db === null || !Number.isFinite(db) ? null : Math.round(db * 100) / 100;
