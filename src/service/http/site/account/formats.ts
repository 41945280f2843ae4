import { dollars } from '../../../rules/money/spoken-price.ts';
import { fill } from '../language/fill.ts';
import type { Language } from '../language/languages.ts';

/** US cents as "$5.00". Prices are in dollars in every language. */
export { dollars };

/** How much of the smallest payment is for the file, and what stays; null: the file costs all of it. */
export function staysOf({ t, count }: Language, payCents: number, fileCents: number): string | null {
  const left = payCents - fileCents;
  if (left <= 0) return null;
  return fill(t.pay.stays, {
    pay: dollars(payCents),
    price: dollars(fileCents),
    left: dollars(left),
    credits: count(t.units.credits, left),
  });
}

/** "22 Nov 2026", in UTC. */
export const dateOf = ({ day }: Language, at: Date): string => day(at);

/** "22 Nov 2026, 22:03 UTC". */
export const timeOf = (language: Language, at: Date): string =>
  `${dateOf(language, at)}, ${at.toISOString().slice(11, 16)} UTC`;

/** "1:02:03" or "0:26.7". */
export function lengthOf(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number): string => String(n).padStart(2, '0');
  if (hours > 0) return `${hours}:${two(minutes)}:${two(rest)}`;
  return `${minutes}:${two(rest)}${seconds < 60 ? `.${Math.floor((seconds - whole) * 10)}` : ''}`;
}

/** "1.0 MB": decimal, as file managers show it. */
export function sizeOf({ number }: Language, bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${number(bytes / 1000 ** step, step === 0 ? 0 : 1)} ${units[step] ?? 'B'}`;
}
