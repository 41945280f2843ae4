// Where axes have their marks, and what is written there.

/** A mark on an axis. */
export interface Tick {
  /** In the axis's unit. */
  readonly at: number;
  /** Empty between two labels. */
  readonly label: string;
}

/** Steps of a clock, seconds, and into how many parts unlabelled ticks divide each. */
const clockSteps: readonly (readonly [seconds: number, parts: number])[] = [
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5].map((step): [number, number] => [step, 5]),
  [1, 5],
  [2, 4],
  [5, 5],
  [10, 5],
  [15, 3],
  [30, 3],
  [60, 4],
  [120, 4],
  [300, 5],
  [600, 5],
  [900, 3],
  [1800, 3],
  [3600, 4],
  [7200, 4],
  [14_400, 4],
  [21_600, 6],
  [43_200, 4],
  [86_400, 4],
];

/** "0:05", "1:02:30"; with the decimals that a step needs, and hours where `longest` has them. */
export function clockLabel(seconds: number, step: number, longest: number): string {
  const decimals = step >= 1 ? 0 : Math.ceil(-Math.log10(step) - 1e-9);
  const whole = Math.floor(seconds + 1e-9);
  const minutes = Math.floor(whole / 60);
  const rest = (seconds - minutes * 60).toFixed(decimals).padStart(decimals === 0 ? 2 : decimals + 3, '0');
  if (longest < 3600) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

/**
 * Ticks of a stretch of time.
 * @param fits may labels stand so close? Called with a step in seconds and the longest label.
 */
export function timeTicks(
  fromSeconds: number,
  toSeconds: number,
  fits: (stepSeconds: number, label: string) => boolean,
): Tick[] {
  const [step, parts] = clockSteps.find(([each]) => fits(each, clockLabel(toSeconds, each, toSeconds))) ??
    clockSteps.at(-1) ?? [86_400, 4];
  const small = step / parts;
  const ticks: Tick[] = [];
  for (let count = Math.ceil(fromSeconds / small - 1e-9); count * small <= toSeconds + 1e-9; count += 1) {
    const at = count * small;
    ticks.push({ at, label: count % parts === 0 ? clockLabel(at, step, toSeconds) : '' });
  }
  return ticks;
}

/** "50", "1k", "2.5k", "16k". */
const hertzLabel = (hertz: number): string => (hertz < 1000 ? `${hertz}` : `${hertz / 1000}k`);

/**
 * Ticks of a frequency axis, in hertz.
 * @param fits may two labels stand at these frequencies?
 */
export function frequencyTicks(
  lowHz: number,
  highHz: number,
  scale: 'linear' | 'log',
  fits: (aHz: number, bHz: number) => boolean,
): Tick[] {
  if (scale === 'linear') {
    const steps = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];
    const step = steps.find((each) => fits(lowHz, lowHz + each)) ?? 200_000;
    const first = Math.ceil(lowHz / step);
    return Array.from({ length: Math.max(0, Math.floor(highHz / step) - first + 1) }, (_, index) => {
      const at = (first + index) * step;
      return { at, label: hertzLabel(at) };
    });
  }
  const ticks: Tick[] = [];
  let labelled = 0;
  for (let decade = 1; decade <= 100_000; decade *= 10)
    for (const digit of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      const at = decade * digit;
      if (at < lowHz || at > highHz) continue;
      const isRound = digit === 1 || digit === 2 || digit === 5;
      const label = isRound && (labelled === 0 || fits(labelled, at)) ? hertzLabel(at) : '';
      if (label !== '') labelled = at;
      ticks.push({ at, label });
    }
  return ticks;
}

/** Ticks of a scale in dB from the highest down. */
export function decibelTicks(lowDb: number, highDb: number, fits: (stepDb: number) => boolean): Tick[] {
  const step = [...(highDb - lowDb <= 40 ? [5] : []), 10, 20, 30, 40, 60].find(fits) ?? 120;
  const first = Math.floor(highDb / step);
  return Array.from({ length: Math.max(0, first - Math.ceil(lowDb / step) + 1) }, (_, index) => {
    const at = (first - index) * step;
    return { at, label: `${at === 0 ? 0 : at}` };
  });
}
