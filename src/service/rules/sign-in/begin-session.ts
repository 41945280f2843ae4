import { hashSecret, makeSessionToken } from '../accounts/access.ts';
import { makeOneTimeToken } from '../accounts/one-time.ts';
import type { BeginSession } from './sign-in-use-cases.ts';
import type { SignInDeps } from './deps.ts';

/** Begins sessions, and keeps the browsers that have one in mind. */
export function createBeginSession({
  accounts,
  signIn,
  config,
  notices,
  now,
}: Pick<SignInDeps, 'accounts' | 'signIn' | 'config' | 'notices' | 'now'>): BeginSession {
  return async (account, method, { browser, device }, isNew) => {
    const at = now();
    // Fresh secrets at every sign-in: somebody may have planted those that the browser had.
    const { token, hash } = makeSessionToken();
    const fresh = makeOneTimeToken();
    const isKnown = await signIn.keepBrowser(
      account.id,
      { before: browser === null ? null : hashSecret(browser), hash: fresh.hash },
      at,
    );
    const idleSeconds = Math.round(config.sessionDays * 86_400);
    const expiresAt = new Date(at.getTime() + idleSeconds * 1000);
    await accounts.addSession({ hash, accountId: account.id, expiresAt, idleSeconds, method, device });
    if (!isKnown && !isNew) notices.tell(account, { kind: 'device', name: device, device });
    return { token, browser: fresh.token, expiresAt, account };
  };
}
