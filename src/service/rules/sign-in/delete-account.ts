import { EarshotError } from '../../../library/core/errors.ts';
import { deletedMail } from '../mails/mails.ts';
import { type Account, terminalJobStatuses } from '../records.ts';
import type { SignInDeps } from './deps.ts';
import type { SignIn } from '../sign-in-use-cases.ts';

/** A browser that was left open is not enough to delete an account. */
const freshMinutes = 15;
const pageSize = 100;

/** Is the session young enough for what cannot be undone? */
const isFresh = ({ createdAt }: { readonly createdAt: Date }, now: Date): boolean =>
  now.getTime() - createdAt.getTime() < freshMinutes * 60_000;

export function createDeletion(deps: SignInDeps): Pick<SignIn, 'deleteAccount'> {
  const { signIn, jobs, files, mailer, log, baseUrl, now } = deps;

  async function cancelJobs(accountId: string): Promise<void> {
    for (let cursor: string | null = null; ;) {
      const { items, nextCursor } = await jobs.list(accountId, { tool: null }, { cursor, limit: pageSize });
      for (const { id, status } of items)
        // It may end meanwhile, which is as good.
        if (!terminalJobStatuses.includes(status)) await jobs.requestCancel(id).catch(() => undefined);
      if (nextCursor === null) return;
      cursor = nextCursor;
    }
  }

  async function removeFiles(account: Account): Promise<void> {
    for (let cursor: string | null = null; ;) {
      const { items, nextCursor } = await files.list(account, { kind: null }, { cursor, limit: pageSize });
      for (const { id } of items)
        await files.remove(account, id).catch((thrown: unknown) => {
          // It has expired or was swept meanwhile.
          if (EarshotError.from(thrown).code === 'internal_error') throw thrown;
        });
      if (nextCursor === null) return;
      cursor = nextCursor;
    }
  }

  return {
    async deleteAccount(account, session) {
      if (!isFresh(session, now()))
        throw new EarshotError('forbidden', `Expected a sign-in within the last ${freshMinutes} minutes`, {
          nextAction: 'Sign in again, then delete the account.',
        });
      // Access first: what follows may take long, and nothing may be added meanwhile.
      await signIn.closeAccount(account.id, now());
      await cancelJobs(account.id);
      await removeFiles(account);
      if (account.email !== null && mailer !== null)
        await mailer
          .send(deletedMail(account.email, account.language, baseUrl()))
          .catch((err: unknown) => log.warn({ err }, 'Could not send a mail'));
    },
  };
}
