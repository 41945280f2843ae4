import { EarshotError } from '../../../library/core/errors/errors.ts';
import { createAddressChanges } from './address-changes.ts';
import { createDeletion } from './delete-account.ts';
import { createBeginSession } from './begin-session.ts';
import type { SignInDeps } from './deps.ts';
import { createSignInLinks } from './links.ts';
import { createPasskeys } from './passkeys.ts';
import type { SignIn } from './sign-in-use-cases.ts';

/** All use cases of signing in. */
export function createSignIn(deps: SignInDeps): SignIn {
  const { accounts, signIn, config, mailer, fresh, now } = deps;
  const beginSession = createBeginSession(deps);
  return {
    mails: mailer !== null,
    open: config.signUp === 'open',
    isFresh: (session) => fresh.isFresh(session),
    ...createSignInLinks(deps, beginSession),
    ...createAddressChanges(deps),
    ...createPasskeys(deps, beginSession),
    ...createDeletion(deps),
    sessions: (account) => accounts.listSessions(account.id, now()),
    async endSession(account, id) {
      if (!(await accounts.endSession(account.id, id))) throw new EarshotError('not_found', 'There is no such session');
    },
    endOtherSessions: (account, kept) => accounts.endOtherSessions(account.id, kept.id),
    setLanguage: (account, language) => signIn.setLanguage(account.id, language),
  };
}
