import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { AuthorizationServer } from '../accounts/authorization-server.ts';
import type { Config } from '../settings/config.ts';
import type { ProgramStore } from '../accounts/program-store.ts';
import type { Programs } from './program-use-cases.ts';
import type { FreshSignIn } from './fresh-sign-in.ts';
import type { AccountNotices } from './notices.ts';

/**
 * Does the service issue access tokens itself? Not when the operator has an issuer, and not without the website, where
 * people sign in and consent.
 */
export const issuesTokens = ({
  oauthServer,
  site,
  oauthIssuer,
}: Pick<Config, 'oauthServer' | 'site' | 'oauthIssuer'>): boolean => oauthServer && site && oauthIssuer === null;

export function createPrograms({
  server,
  programs,
  fresh,
  notices,
}: {
  readonly server: AuthorizationServer;
  readonly programs: Pick<ProgramStore, 'list' | 'end'>;
  readonly fresh: FreshSignIn;
  readonly notices: AccountNotices;
}): Programs {
  return {
    answer: (request) => server.answer(request),
    question: (asked) => server.question(asked),
    async allow(account, session, asked) {
      fresh.require(session);
      const question = await server.question(asked);
      const to = (await server.decide(asked, account.id)) ?? gone();
      notices.tell(account, { kind: 'program', name: question?.name ?? '', device: session.device });
      return to;
    },
    refuse: async (asked) => (await server.decide(asked, null)) ?? gone(),
    list: (account) => programs.list(account.id),
    async end(account, id) {
      if (!(await programs.end(account.id, id))) throw new EarshotError('not_found', 'There is no such program');
    },
  };
}

function gone(): never {
  throw new EarshotError('not_found', 'This question was answered, is too old, or began in another browser', {
    nextAction: 'Connect again from the program.',
  });
}
