// Numbers and times as people read them.

/** null and undefined, for digital silence or what was too short to measure: "none". */
export function withUnit(value: unknown, unit: string, digits = 1): string {
  return typeof value === 'number' ? `${Number(value.toFixed(digits))} ${unit}` : `none`;
}

/** 1 word, 2 words. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** 75 -> "1 min 15 s" */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** 3725.4 -> "1:02:05.40" */
export function formatClock(seconds: number): string {
  const hundredths = Math.round(seconds * 100);
  const whole = Math.floor(hundredths / 100);
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}.${two(hundredths % 100)}`;
}
