import { randomInt, timingSafeEqual } from 'node:crypto';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { hashSecret } from '../accounts/access.ts';
import type { OneTimeData } from '../accounts/sign-in-store.ts';
import type { AskLimits } from './ask-limits.ts';
import type { SignInDeps } from './deps.ts';

/** Tries of the code of one mail. */
const codeTries = 5;

/** The code beside a link: it is typed in the browser that asked, wherever the mail is read. */
export const makeCode = (): string => String(randomInt(1_000_000)).padStart(6, '0');

/** The browser's secret is not stored, so the code cannot be found from its hash. */
export const hashCode = (browser: string, code: string): string => hashSecret(`${browser}:${code}`);

/**
 * Uses the request of this browser that has the code up.
 * @throws EarshotError bad_request, forbidden when the code is wrong, not_found when the browser has no request left
 */
export async function takeCode(
  { signIn, now }: Pick<SignInDeps, 'signIn' | 'now'>,
  limits: AskLimits,
  given: string,
  browser: string | null,
): Promise<OneTimeData> {
  const code = given.slice(0, 40).replaceAll(/[\s-]/gu, '');
  if (!/^\d{6}$/.test(code))
    throw new EarshotError('bad_request', 'Expected a code of six digits', { details: { reason: 'no_code' } });
  // Counted before it is compared: tries at the same time are tries, too.
  const asked = browser === null ? [] : await signIn.tryCodes(hashSecret(browser), codeTries, now());
  if (browser === null || asked.length === 0) throw noRequest();
  const emails = new Set(asked.flatMap(({ data }) => (data.email === undefined ? [] : [data.email])));
  for (const email of emails) if (!(await limits.mayTryCode(browser, email))) throw noRequest();
  const hash = hashCode(browser, code);
  const fitting = asked.find(({ data }) => data.code !== undefined && isSame(data.code, hash));
  if (fitting === undefined)
    throw new EarshotError('forbidden', 'This is not the code of the mail', {
      details: { reason: 'wrong_code' },
      nextAction: 'Look again, or use the link of the mail in this browser.',
    });
  const data = await signIn.takeToken(fitting.hash, 'sign-in', now());
  if (data === null) throw noRequest();
  return data;
}

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

const noRequest = (): EarshotError =>
  new EarshotError('not_found', 'Codes are not taken here any more: too old, used, or tried too often', {
    details: { reason: 'no_request' },
    nextAction: 'Use the link of the mail in this browser, or ask for a new mail.',
  });
