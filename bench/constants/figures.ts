// What a measure answers with: a few figures, each with a direction.

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** Digits behind the point, of what is printed and compared. */
  readonly digits: number;
}

/** @returns figures, the most telling first; the same for the same code */
export type Measure = () => Promise<readonly Figure[]>;

export const figure = (
  name: string,
  value: number,
  unit: string,
  better: Figure['better'],
  digits = unit === 's' ? 2 : 0,
): Figure => ({ name, value, unit, better, digits });

export const shown = ({ value, digits }: Figure): string => value.toFixed(digits);

/** "no change", or what became of the figures that changed: "words cut 1.20 to 1.31 s (worse)". */
export function difference(was: readonly Figure[], now: readonly Figure[]): string {
  const changed = was.flatMap((before, index) => {
    const after = now[index];
    if (after === undefined || shown(before) === shown(after)) return [];
    const isBetter = Number(shown(after)) > Number(shown(before)) === (before.better === 'higher');
    return [
      `${before.name} ${shown(before)} to ${`${shown(after)} ${before.unit}`.trim()} ` +
        `(${isBetter ? 'better' : 'worse'})`,
    ];
  });
  return changed.length > 0 ? changed.join('; ') : 'no change';
}

/** Thrown by a measurement that loads no file with the constant. */
export const notLoaded = 'The measure does not load this file';
