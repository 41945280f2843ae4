import { EarshotError } from '../../../library/core/errors/errors.ts';
import { hashSecret } from '../accounts/access.ts';
import { newId } from '../shared/ids.ts';
import { readAddress } from '../accounts/mail-addresses.ts';
import { formerAddressMail, noAccountMail, signInMail } from '../mails/mails.ts';
import { makeOneTimeToken } from '../accounts/one-time.ts';
import type { OneTimeData } from '../accounts/sign-in-store.ts';
import type { Arriving, BeginSession, SignedIn, SignIn } from './sign-in-use-cases.ts';
import { undoLink } from './address-changes.ts';
import { createAskLimits } from './ask-limits.ts';
import { hashCode, makeCode, takeCode } from './codes.ts';
import type { SignInDeps } from './deps.ts';

const linkMinutes = 10;

/** Sign-in by mail: a link for the browser that asked, and a code to type there when the mail is read elsewhere. */
export function createSignInLinks(
  deps: SignInDeps,
  beginSession: BeginSession,
): Pick<SignIn, 'requestLink' | 'openLink' | 'linkState' | 'followLink' | 'followCode'> {
  const { accounts, signIn, mailer, config, baseUrl, now } = deps;
  const limits = createAskLimits(signIn);

  async function accountOf({ accountId, email }: OneTimeData) {
    const id = newId('acc');
    const account =
      accountId !== undefined
        ? await accounts.get(accountId)
        : email === undefined
          ? null
          : await signIn.accountForEmail({ id, email }, now());
    if (account === null) throw missingLink();
    return { account, isNew: account.id === id };
  }

  async function begin(data: OneTimeData, arriving: Arriving): Promise<SignedIn> {
    const { account, isNew } = await accountOf(data);
    if (data.language !== undefined) await signIn.setLanguage(account.id, data.language);
    return { ...(await beginSession(account, 'link', arriving, isNew)), next: data.next ?? null };
  }

  return {
    async requestLink({ browser, network, next, language, device, email: given }) {
      const email = readAddress(given);
      if (mailer === null) return;
      await limits.countMail({ browser, network }, email);
      const at = now();
      const [known, former] = await Promise.all([signIn.accountByEmail(email), signIn.formerAddress(email, at)]);
      // Every address gets a mail, so that the page can say so without saying whether there is an account.
      if (known === null && former !== null) {
        const account = await accounts.get(former.accountId);
        const url = await undoLink(deps, former);
        return mailer.send(formerAddressMail(former, account?.email ?? null, url, language, at, device));
      }
      if (known === null && config.signUp === 'closed')
        return mailer.send(noAccountMail(email, baseUrl(), language, at, device));
      const { token, hash } = makeOneTimeToken();
      const code = makeCode();
      await signIn.addToken({
        hash,
        purpose: 'sign-in',
        subject: email,
        data: {
          email,
          browser: hashSecret(browser),
          code: hashCode(browser, code),
          language,
          ...(next === null ? {} : { next }),
        },
        expiresAt: new Date(at.getTime() + linkMinutes * 60_000),
      });
      const url = `${baseUrl()}/sign-in/${token}`;
      return mailer.send(signInMail({ to: email, url, code, language, device, minutes: linkMinutes, at }));
    },

    async openLink(token, browser) {
      await signIn.bindToken(hashSecret(token), 'sign-in', hashSecret(browser), now());
      return this.linkState(token, browser);
    },

    async linkState(token, browser) {
      const data = await signIn.peekToken(hashSecret(token), 'sign-in', now());
      if (data === null) throw missingLink();
      if (data.browser === undefined || (browser !== null && hashSecret(browser) === data.browser)) return 'ready';
      return data.code === undefined ? 'other_browser' : 'by_code';
    },

    async followLink(token, arriving) {
      // Checked before it is used up: after a try in the wrong browser it still works in the right one.
      if ((await this.linkState(token, arriving.browser)) !== 'ready')
        throw new EarshotError(
          'forbidden',
          'This link works only in the browser that asked for it, or opened it first',
          {
            nextAction: 'Open it there, or type the code of the mail there.',
          },
        );
      const data = await signIn.takeToken(hashSecret(token), 'sign-in', now());
      if (data === null) throw missingLink();
      return begin(data, arriving);
    },

    followCode: async (code, arriving) => begin(await takeCode(deps, limits, code, arriving.browser), arriving),
  };
}

const missingLink = (): EarshotError =>
  new EarshotError('not_found', 'This link does not work any more: it was used, or is too old', {
    nextAction: 'Ask for a new one.',
  });
