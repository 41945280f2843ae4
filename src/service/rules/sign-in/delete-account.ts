import { EarshotError } from '../../../library/core/errors.ts';
import { deletedMail } from '../mails/mails.ts';
import { type Account, terminalJobStatuses } from '../records.ts';
import type { SignInDeps } from './deps.ts';
import type { SignIn } from '../sign-in-use-cases.ts';

/** Deletion needs a recent sign-in: a browser left open is not enough. */
const freshMinutes = 15;
const pageSize = 100;

/** Is the session recent enough for irreversible actions? */
const isFresh = ({ createdAt }: { readonly createdAt: Date }, now: Date): boolean =>
  now.getTime() - createdAt.getTime() < freshMinutes * 60_000;

export function createDeletion(deps: SignInDeps): Pick<SignIn, 'deleteAccount'> {
  const { signIn, jobs, files, mailer, log, baseUrl, now } = deps;

  async function cancelJobs(accountId: string): Promise<void> {
    for (let cursor: string | null = null; ;) {
      const { items, nextCursor } = await jobs.list(accountId, { tool: null }, { cursor, limit: pageSize });
      for (const { id, status } of items)
        // It may have ended in the meantime, which is fine.
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
          // It expired or was swept in the meantime.
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
          details: { reason: 'old_sign_in' },
          nextAction: 'Sign in again, then delete the account.',
        });
      // Access first: the rest may take long, and nothing may be added in the meantime.
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
