import { EarshotError } from '../../../library/core/errors/errors.ts';
import { deletedMail } from '../mails/mails.ts';
import type { Account } from '../accounts/account.ts';
import { cancelChain } from '../chains/chains.ts';
import { terminalJobStatuses } from '../jobs/stored-job.ts';
import type { SignInDeps } from './deps.ts';
import type { SignIn } from './sign-in-use-cases.ts';

const pageSize = 100;

export function createDeletion(deps: SignInDeps): Pick<SignIn, 'deleteAccount'> {
  const { signIn, jobs, chains, files, mailer, log, fresh, baseUrl, now } = deps;

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

  async function cancelChains(accountId: string): Promise<void> {
    for (let cursor: string | null = null; ;) {
      const { items, nextCursor } = await chains.list(accountId, { cursor, limit: pageSize });
      for (const { chain } of items)
        if (!terminalJobStatuses.includes(chain.status))
          await cancelChain({ chains, jobs }, chain.id).catch(() => undefined);
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
      await cancelJobs(account.id);
      await cancelChains(account.id);
      await removeFiles(account);
      if (account.email !== null && mailer !== null)
        await mailer
          .send(deletedMail(account.email, account.language, baseUrl()))
          .catch((err: unknown) => log.warn({ err }, 'Could not send a mail'));
    },
  };
}
