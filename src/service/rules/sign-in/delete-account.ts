import { EarshotError } from '../../../library/core/errors/errors.ts';
import { deletedMail } from '../mails/mails.ts';
import type { Account } from '../accounts/account.ts';
import { each, endWork } from '../chains/end-work.ts';
import type { SignInDeps } from './deps.ts';
import type { SignIn } from './sign-in-use-cases.ts';

export function createDeletion(deps: SignInDeps): Pick<SignIn, 'deleteAccount'> {
  const { signIn, jobs, chains, files, mailer, log, fresh, baseUrl, now } = deps;

  const removeFiles = (account: Account): Promise<void> =>
    each(
      (page) => files.list(account, { kind: null }, page),
      async ({ id }) => {
        await files.remove(account, id).catch((thrown: unknown) => {
          // It expired or was swept in the meantime.
          if (EarshotError.from(thrown).code === 'internal_error') throw thrown;
        });
      },
    );

  return {
    async deleteAccount(account, session) {
      fresh.require(session);
      const change = await signIn.latestChange(account.id, now());
      // Anyone who stole the account may not end it before its owner has taken it back.
      if (change !== null)
        throw new EarshotError('forbidden', 'The address of this account was changed a few days ago', {
          details: { reason: 'address_changed', until: change.expiresAt.toISOString() },
          nextAction: `Delete the account after ${change.expiresAt.toISOString().slice(0, 10)}, or ask the operator.`,
        });
      // Access first: the rest may take long, and nothing may be added in the meantime.
      await signIn.closeAccount(account.id, now());
      await endWork({ jobs, chains }, account.id);
      await removeFiles(account);
      if (account.email !== null && mailer !== null)
        await mailer
          .send(deletedMail(account.email, account.language, baseUrl()))
          .catch((err: unknown) => log.warn({ err }, 'Could not send a mail'));
    },
  };
}
