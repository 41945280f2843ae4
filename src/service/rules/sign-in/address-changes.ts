import { EarshotError } from '../../../library/core/errors.ts';
import { hashSecret } from '../access.ts';
import { newAddressMail } from '../mails/mails.ts';
import { readAddress } from '../mail-addresses.ts';
import type { SignInDeps } from './deps.ts';
import { makeOneTimeToken } from '../one-time.ts';
import type { SignIn } from '../sign-in-use-cases.ts';

const linkMinutes = 30;
const linksAtOnce = 3;

/** Changes of addresses. An address is linked to an account only after a link sent to it was opened. */
export function createAddressChanges(deps: SignInDeps): Pick<SignIn, 'requestAddress' | 'confirmAddress'> {
  const { signIn, mailer, fresh, baseUrl, now } = deps;
  return {
    async requestAddress(account, session, given) {
      fresh.require(session);
      const email = readAddress(given);
      if (mailer === null)
        throw new EarshotError('forbidden', 'This service sends no mail, so it cannot check an address', {
          details: { reason: 'no_mail' },
          nextAction: 'Ask the operator of this service.',
        });
      const at = now();
      if ((await signIn.countTokens(account.id, new Date(at.getTime() - linkMinutes * 60_000))) >= linksAtOnce)
        throw new EarshotError('rate_limited', 'Too many links were sent for this account', {
          nextAction: `Use one of them, or wait ${linkMinutes} minutes.`,
        });
      const { token, hash } = makeOneTimeToken();
      await signIn.addToken({
        hash,
        purpose: 'email',
        subject: account.id,
        data: { accountId: account.id, email },
        expiresAt: new Date(at.getTime() + linkMinutes * 60_000),
      });
      await mailer.send(newAddressMail(email, `${baseUrl()}/account/address/${token}`, account.language, linkMinutes));
    },

    async confirmAddress(account, token) {
      const hash = hashSecret(token);
      const peeked = await signIn.peekToken(hash, 'email', now());
      // Another signed-in user must not use it up.
      const data = peeked?.accountId === account.id ? await signIn.takeToken(hash, 'email', now()) : null;
      if (data?.email === undefined)
        throw new EarshotError('not_found', 'This link does not work any more, or belongs to another account', {
          nextAction: 'Ask for a new one on the account page.',
        });
      await signIn.setEmail(account.id, data.email);
      return data.email;
    },
  };
}
