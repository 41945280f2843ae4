import { EarshotError } from '../../../library/core/errors/errors.ts';
import { hashSecret } from '../accounts/access.ts';
import { newId } from '../shared/ids.ts';
import { readAddress } from '../accounts/mail-addresses.ts';
import type { Mail } from '../mails/mailer.ts';
import { addressChangedMail, addressRestoredMail, newAddressMail } from '../mails/mails.ts';
import { makeOneTimeToken } from '../accounts/one-time.ts';
import type { AddressChange } from '../accounts/sign-in-store.ts';
import type { SignIn } from './sign-in-use-cases.ts';
import type { SignInDeps } from './deps.ts';

const linkMinutes = 30;
const linksAtOnce = 3;

/** How long the old address may take a change back. */
const undoMs = 7 * 86_400_000;
/**
 * Passkeys and keys of so long before a change go with its undo: anyone who stole the account may have begun with them.
 */
const distrustedMs = 7 * 86_400_000;

type AddressChanges = Pick<SignIn, 'requestAddress' | 'confirmAddress' | 'undoableChange' | 'undoAddress'>;

/**
 * Changes of addresses. An address is linked to an account only after a link sent to it was opened; the address before
 * it
 * can take that back for a week.
 */
export function createAddressChanges(deps: SignInDeps): AddressChanges {
  const { accounts, signIn, mailer, fresh, log, baseUrl, now } = deps;

  /** The change is made, whether or not a mail is sent: the old mailbox may be gone. */
  async function tell(mail: Mail): Promise<void> {
    await mailer?.send(mail).catch((err: unknown) => log.warn({ err }, 'Could not send a mail'));
  }

  async function changeOf(token: string): Promise<AddressChange> {
    const data = await signIn.peekToken(hashSecret(token), 'undo-address', now());
    const change = data?.change === undefined ? null : await signIn.pendingChange(data.change, now());
    if (change === null) throw gone();
    return change;
  }

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
      const at = now();
      const peeked = await signIn.peekToken(hash, 'email', at);
      // Another signed-in user must not use it up.
      const data = peeked?.accountId === account.id ? await signIn.takeToken(hash, 'email', at) : null;
      if (data?.email === undefined)
        throw new EarshotError('not_found', 'This link does not work any more, or belongs to another account', {
          nextAction: 'Ask for a new one on the account page.',
        });
      const change = await signIn.changeEmail({
        id: newId('chg'),
        accountId: account.id,
        email: data.email,
        since: new Date(at.getTime() - distrustedMs),
        at,
        expiresAt: new Date(at.getTime() + undoMs),
      });
      if (change !== null) {
        const url = await undoLink(deps, change);
        await tell(addressChangedMail(change, data.email, url, account.language));
      }
      return data.email;
    },

    async undoableChange(token) {
      const { oldEmail, changedAt, expiresAt } = await changeOf(token);
      return { email: oldEmail, changedAt, expiresAt };
    },

    async undoAddress(token) {
      const change = await changeOf(token);
      const undone = await signIn.undoChange(change.id, now());
      if (undone === null) throw gone();
      const language = (await accounts.get(undone.accountId))?.language ?? 'en';
      // The address that lost the account is told, too: the old mailbox may be the one that was stolen.
      for (const to of [undone.email, undone.takenEmail])
        if (to !== null) await tell(addressRestoredMail(to, undone.email, change, baseUrl(), language));
      return undone.email;
    },
  };
}

/** A link that undoes the change. Each mail has its own; all end with the change. */
export async function undoLink({ signIn, baseUrl }: SignInDeps, { id, expiresAt }: AddressChange): Promise<string> {
  const { token, hash } = makeOneTimeToken();
  await signIn.addToken({ hash, purpose: 'undo-address', subject: null, data: { change: id }, expiresAt });
  return `${baseUrl()}/account/address/undo/${token}`;
}

const gone = (): EarshotError =>
  new EarshotError('not_found', 'This link does not work any more: it was used, or a week has passed', {
    details: { reason: 'no_undo' },
    nextAction: 'If somebody else has your account, ask the operator of this service.',
  });
