// The gain that minimises the mean square error of the log spectrum (Ephraim and Malah 1985, "Speech enhancement
// using a minimum mean-square error log-spectral amplitude estimator").

/** Euler's constant. */
const euler = 0.5772156649;
/** Coefficients of Abramowitz and Stegun, 5.1.56. */
const upper = [8.5733287401, 18.059016973, 8.6347608925, 0.2677737343];
const lower = [9.5733223454, 25.6329561486, 21.0996530827, 3.9584969228];

const polynomial = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((value, coefficient) => value * x + coefficient, 1);

/** The exponential integral E1 for x > 0 (Abramowitz and Stegun, 5.1.11 and 5.1.56; error below 5e-8). */
export function exponentialIntegral(x: number): number {
  if (x > 1) return (Math.exp(-x) / x) * (polynomial(upper, x) / polynomial(lower, x));
  let [sum, power] = [-euler - Math.log(x), 1];
  for (let n = 1; n <= 12; n += 1) {
    power *= -x / n;
    sum -= power / n;
  }
  return sum;
}

/** Ends of the table: below, the noise is louder than any gain can mend; above, the gain is the share of the voice. */
const leastLog = Math.log(1e-5);
const mostLog = Math.log(50);
const steps = 1024;
/** exp(E1(v) / 2) by the logarithm of v. */
const table = Float64Array.from({ length: steps + 1 }, (_, step) =>
  Math.exp(exponentialIntegral(Math.exp(leastLog + ((mostLog - leastLog) * step) / steps)) / 2),
);

/**
 * @param prior ratio of voice to noise that is expected, as power
 * @param posterior ratio of what is heard to noise, as power
 * @returns factor of the amplitude, 0 to 1
 */
export function logMmseGain(prior: number, posterior: number): number {
  const share = prior / (1 + prior);
  const place = ((Math.log(share * posterior) - leastLog) / (mostLog - leastLog)) * steps;
  if (place >= steps) return share;
  const at = Math.max(0, Math.floor(place));
  const rest = Math.min(1, Math.max(0, place - at));
  const grown = (table[at] as number) * (1 - rest) + (table[at + 1] as number) * rest;
  return Math.min(1, share * grown);
}
