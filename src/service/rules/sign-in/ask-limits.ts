import { EarshotError } from '../../../library/core/errors/errors.ts';
import { hashSecret } from '../accounts/access.ts';
import type { SignInStore } from '../accounts/sign-in-store.ts';

/** Who asks for a mail: the limits are theirs, so that no one keeps the owner of an address from signing in. */
export interface Asker {
  /** Secret in the browser's cookie. */
  readonly browser: string;
  /** Network address, as rate limits count it. */
  readonly network: string;
}

const mailSeconds = 600;
/** Mails to one address for one asker. */
const mailsToOne = 3;
/** Mails for one network address: an office has many people behind it. */
const mailsFromOne = 30;

const daySeconds = 86_400;
/**
 * Tries of codes for one address by browsers that never signed in to it. Of six digits, 20 tries a day
 * find one with an even chance in 95 years. Links and known browsers go on working above it.
 */
const strangersTries = 20;

/** The limits of sign-in mails and codes. */
export interface AskLimits {
  /** Counts a mail. @throws EarshotError rate_limited, with `details.retryAfterSeconds` */
  countMail(asker: Asker, email: string): Promise<void>;
  /** Counts a try of a code; false: too many strangers guessed at this address today. */
  mayTryCode(browser: string, email: string): Promise<boolean>;
}

export function createAskLimits(signIn: Pick<SignInStore, 'knowsBrowser' | 'countAsked'>): AskLimits {
  async function take(key: string, quota: number): Promise<void> {
    const { count, secondsLeft } = await signIn.countAsked(key, mailSeconds);
    if (count <= quota) return;
    const seconds = Math.max(1, Math.ceil(secondsLeft));
    throw new EarshotError('rate_limited', `Expected at most ${quota} mails in ${mailSeconds / 60} minutes`, {
      details: { retryAfterSeconds: seconds },
      nextAction: 'Use the last mail that came, or wait.',
    });
  }

  return {
    async countMail({ browser, network }, email) {
      const hash = hashSecret(browser);
      // Strangers behind the same network address do not take the turns of a browser that has signed in before.
      if (await signIn.knowsBrowser(hash, email)) return take(`mails:${hash}:${email}`, mailsToOne);
      await take(`mails:${network}`, mailsFromOne);
      return take(`mails:${network}:${email}`, mailsToOne);
    },
    async mayTryCode(browser, email) {
      if (await signIn.knowsBrowser(hashSecret(browser), email)) return true;
      return (await signIn.countAsked(`codes:${email}`, daySeconds)).count <= strangersTries;
    },
  };
}
