import type { ToolOffer } from '../../../rules/jobs/tools.ts';
import { fill } from '../language/fill.ts';
import type { Language } from '../language/languages.ts';
import type { Page } from './site.ts';

/** "the first 2 minutes", for what a free run processes. null: the whole file. */
export function spokenLength({ language, t }: Page, seconds: number): string {
  if (seconds % 3600 === 0) return language.count(t.units.hours, seconds / 3600);
  return seconds % 60 === 0 ? language.count(t.units.minutes, seconds / 60) : language.count(t.units.seconds, seconds);
}

/** "2 credits a minute", as in prices. */
export const spokenRate = ({ language, t }: Page, { creditsPerMinute }: Pick<ToolOffer, 'creditsPerMinute'>): string =>
  language.count(t.units.creditsPerMinute, creditsPerMinute);

/** "100 MB". */
export function shownBytes({ language }: Page, bytes: number): string {
  const names = ['B', 'kB', 'MB', 'GB', 'TB'];
  // Limits are multiples of 2^20 bytes, shown as "100 MB".
  if (bytes % 2 ** 20 === 0 && bytes < 2 ** 30) return `${language.number(bytes / 2 ** 20)} MB`;
  let rest = bytes;
  let index = 0;
  while (rest >= 1000 && index < names.length - 1) {
    rest /= 1000;
    index++;
  }
  return `${language.number(rest, rest < 10 && index > 0 ? 1 : 0)} ${names[index]}`;
}

/** Visitors send all files of a run in one request; those of an account are sent in parts. */
export const mostBytes = ({ account, site: { config } }: Page): number =>
  account === null ? config.freeRequestBytes : config.maxFileBytes;

/** For so many hours the files of an account are kept. */
export const keptHours = ({ site }: Page): number => Math.round(site.config.retentionSeconds / 3600);

/** Texts of a bench: where credits are not sold, the button beside a price that is too high leads to who has them. */
export const benchTexts = ({ t, site }: Page): Page['t']['bench'] =>
  site.service.payments.possible ? t.bench : { ...t.bench, buy: t.credits.title };

/** How large files may be, and how long they are kept. */
export const fileLimits = (page: Page): string =>
  fill(page.account === null ? page.t.bench.limits : page.t.bench.ownLimits, {
    size: shownBytes(page, mostBytes(page)),
    hours: keptHours(page),
  });

/** How much of the smallest payment is for the file, and what stays; null: the file costs all of it. */
export function staysOf({ t, count, money }: Language, payCents: number, fileCents: number): string | null {
  const left = payCents - fileCents;
  if (left <= 0) return null;
  return fill(t.pay.stays, {
    pay: money(payCents),
    price: money(fileCents),
    left: money(left),
    credits: count(t.units.credits, left),
  });
}
