import type { Language } from '../language/languages.ts';

/** "22 Nov 2026", in UTC. */
export const dateOf = ({ day }: Language, at: Date): string => day(at);

/** "22 Nov 2026, 22:03 UTC". */
export const timeOf = (language: Language, at: Date): string =>
  `${dateOf(language, at)}, ${at.toISOString().slice(11, 16)} UTC`;

/** "1:02:03" or "0:26.7", rounded to tenths under a minute, as players show it. */
export function lengthOf(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const whole = Math.floor(tenths / 10);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number): string => String(n).padStart(2, '0');
  if (hours > 0) return `${hours}:${two(minutes)}:${two(rest)}`;
  return `${minutes}:${two(rest)}${tenths < 600 ? `.${tenths % 10}` : ''}`;
}

/** "1.0 MB": decimal, as file managers show it. */
export function sizeOf({ number }: Language, bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${number(bytes / 1000 ** step, step === 0 ? 0 : 1)} ${units[step] ?? 'B'}`;
}
