import { EarshotError } from '../../../library/core/errors.ts';
import { hashSecret, makeSessionToken } from '../access.ts';
import { newId } from '../ids.ts';
import { signInMail } from '../mails/mails.ts';
import { readAddress } from '../mail-addresses.ts';
import type { SignInDeps } from './deps.ts';
import { makeOneTimeToken } from '../one-time.ts';
import type { BeginSession, SignIn } from '../sign-in-use-cases.ts';

const linkMinutes = 10;
/** Most links to one address in that time, so that mailboxes are not flooded. */
const linksAtOnce = 3;

type Links = Pick<SignIn, 'requestLink' | 'openLink' | 'linkState' | 'followLink'> & {
  readonly beginSession: BeginSession;
  missing(what: 'link' | 'session' | 'passkey'): EarshotError;
};

/** Sign-in links. */
export function createSignInLinks(deps: SignInDeps): Links {
  const { accounts, signIn, mailer, config, log, baseUrl, now } = deps;

  /** A fresh token at every sign-in, against session fixation. */
  const beginSession: BeginSession = async (account, method, device) => {
    const { token, hash } = makeSessionToken();
    const idleSeconds = Math.round(config.sessionDays * 86_400);
    const expiresAt = new Date(now().getTime() + idleSeconds * 1000);
    await accounts.addSession({ hash, accountId: account.id, expiresAt, idleSeconds, method, device });
    return { token, expiresAt, account };
  };

  async function sendLink(email: string, wanted: Parameters<SignIn['requestLink']>[0]): Promise<void> {
    if (mailer === null) return;
    const at = now();
    const known = await signIn.accountByEmail(email);
    if (known === null && config.signUp === 'closed') return;
    const since = new Date(at.getTime() - linkMinutes * 60_000);
    if ((await signIn.countTokens(email, since)) >= linksAtOnce) return;
    const { token, hash } = makeOneTimeToken();
    const { browser, next, language, device } = wanted;
    await signIn.addToken({
      hash,
      purpose: 'sign-in',
      subject: email,
      data: { email, browser: hashSecret(browser), language, ...(next === null ? {} : { next }) },
      expiresAt: new Date(at.getTime() + linkMinutes * 60_000),
    });
    const url = `${baseUrl()}/sign-in/${token}`;
    await mailer.send(signInMail({ to: email, url, language, device, minutes: linkMinutes, at }));
  }

  return {
    beginSession,
    missing,

    requestLink(wanted) {
      const email = readAddress(wanted.email);
      // Not awaited: its duration would reveal whether the address is known.
      void sendLink(email, wanted).catch((err: unknown) => log.warn({ err }, 'Could not send a sign-in link'));
    },

    async openLink(token, browser) {
      await signIn.bindToken(hashSecret(token), 'sign-in', hashSecret(browser), now());
      return this.linkState(token, browser);
    },

    async linkState(token, browser) {
      const data = await signIn.peekToken(hashSecret(token), 'sign-in', now());
      if (data === null) throw missing('link');
      return data.browser === undefined || (browser !== null && hashSecret(browser) === data.browser)
        ? 'ready'
        : 'other_browser';
    },

    async followLink(token, browser, device) {
      // Checked before it is used up: after a try in the wrong browser it still works in the right one.
      if ((await this.linkState(token, browser)) === 'other_browser')
        throw new EarshotError(
          'forbidden',
          'This link only works in the browser that asked for it, or opened it first',
          {
            nextAction: 'Open it there, or ask for a new link here.',
          },
        );
      const data = await signIn.takeToken(hashSecret(token), 'sign-in', now());
      if (data === null) throw missing('link');
      const account = await accountOf(data.accountId, data.email);
      if (data.language !== undefined) await signIn.setLanguage(account.id, data.language);
      return { ...(await beginSession(account, 'link', device)), next: data.next ?? null };
    },
  };

  async function accountOf(id: string | undefined, email: string | undefined) {
    if (id !== undefined) {
      const account = await accounts.get(id);
      if (account === null) throw missing('link');
      return account;
    }
    if (email === undefined) throw missing('link');
    return signIn.accountForEmail({ id: newId('acc'), email });
  }
}

function missing(what: 'link' | 'session' | 'passkey'): EarshotError {
  return what === 'link'
    ? new EarshotError('not_found', 'This link does not work any more: it was used, or is too old', {
        nextAction: 'Ask for a new one.',
      })
    : new EarshotError('not_found', `There is no such ${what}`);
}
