// Times of answers without the tails of binary fractions: 13.333708333333334 s is said as 13.333708.

/** To the microsecond: a tenth of a frame at 192 kHz, so that frames are found again by rounding. */
export const roundTime = <Seconds extends number | null>(seconds: Seconds): Seconds =>
  (seconds !== null && Number.isFinite(seconds) ? Math.round(seconds * 1e6) / 1e6 : seconds) as Seconds;

/** Fields that hold seconds, or lists of them. */
const isTime = (name: string): boolean => /(?:Seconds|Ranges)$/.test(name);

/** A tool's answer with its times rounded: fields that end in `Seconds` or `Ranges`, and all numbers in them. */
export function withRoundTimes<Value>(value: Value, inTime = false): Value {
  if (typeof value === 'number') return inTime ? roundTime(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => withRoundTimes(each, inTime)) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]: [string, unknown]) => [name, withRoundTimes(each, isTime(name))]),
  ) as Value;
}
