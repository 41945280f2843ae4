import type { Command } from 'commander';
import { exitCodes } from '../../cli/terminal/exit.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import type { Reconciliation } from '../rules/operator/reconciliation.ts';
import { addOperatorCommand } from './operator-command.ts';
import { bucketSettings } from './setting-flags.ts';

/** `earshot database`: sets up an external PostgreSQL, and compares it with the files. */
export function defineDatabase(command: Command, context: CommandContext): void {
  command
    .command('create-roles <url>')
    .description(
      'Create the two roles of the service: one that owns the tables and runs migrations, and one that only reads ' +
        'and changes rows. Prints their addresses once; when called again, sets new passwords',
    )
    .option('--json', 'write one JSON object')
    .addHelpText(
      'after',
      "\n<url> is the service's database by a role that may make roles. Stop the service before; tables that another " +
        'role made are handed to the new owner.\n\nExamples:\n  earshot database create-roles ' +
        'postgres://postgres:secret@db.internal/earshot',
    )
    .action(async (url: string, flags: { readonly json?: boolean }) => {
      const { createRoles } = await import('../adapters/postgres/database/create-roles.ts');
      const { url: serviceUrl, ownerUrl } = await createRoles(url);
      process.stdout.write(
        flags.json
          ? `${JSON.stringify({ DATABASE_URL: serviceUrl, DATABASE_OWNER_URL: ownerUrl })}\n`
          : `DATABASE_URL=${serviceUrl}\nDATABASE_OWNER_URL=${ownerUrl}\n`,
      );
      context.finish(exitCodes.ok);
    });
  addOperatorCommand(
    command,
    context,
    'migrate',
    'Bring the tables up to date with DATABASE_OWNER_URL, before processes start that do not know it',
    async () => ({ json: { migrated: true }, text: 'The tables are up to date.' }),
  ).addHelpText('after', '\nExamples:\n  earshot database migrate');
  addOperatorCommand(
    command,
    context,
    'reconcile',
    'Compare the objects of the store with the records, and the ledger with balances and jobs. After a failover to a ' +
      'replica that missed the last moments, names what they held. Changes nothing',
    async ({ reconcile }, _words, { since }) => {
      const found = await reconcile(readTime(since));
      return { json: found, text: tell(found) };
    },
    bucketSettings,
  )
    .option('--since <time>', 'only objects that were written later, such as 2026-11-24T18:00:00Z; default: all')
    .addHelpText(
      'after',
      '\nExamples:\n  earshot database reconcile\n  earshot database reconcile --since 2026-11-24T18:00:00Z --json',
    );
}

function readTime(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new EarshotError(
      'bad_request',
      `Expected a time such as 2026-11-24T18:00:00Z in --since but received ${text}`,
    );
  return time;
}

const meanings: Readonly<Record<Reconciliation['unrecorded'][number]['means'], string>> = {
  unknown_job: 'its job is not in the database: it was ordered and run in what the database has lost',
  not_settled: 'being settled now, or its settlement is lost and the job runs again',
  left_over: 'another attempt settled the job, or it ended without outputs',
  upload: 'a file that was sent, without a record',
};

function tell({ objects, unrecorded, missing, books }: Reconciliation): string {
  const lines = [`${objects} objects in the store`];
  for (const { key, writtenAt, attempt, jobId, jobStatus, means } of unrecorded)
    lines.push(
      `no record: ${key}  ${writtenAt.toISOString()}  ` +
        `${jobId === null ? '' : `${jobId} (${jobStatus}), attempt ${attempt}: `}${meanings[means]}`,
    );
  for (const { fileId, key, jobId } of missing)
    lines.push(`no bytes: ${fileId}${jobId === null ? '' : ` of ${jobId}`}  ${key}`);
  for (const { accountId, balance, ledgerBalance, reserved, ledgerReserved } of books.accounts)
    lines.push(
      `account ${accountId}: balance ${balance}, by the ledger ${ledgerBalance}; reserved ${reserved}, by the ` +
        `ledger ${ledgerReserved}`,
    );
  for (const { jobId, status, charges } of books.charges)
    lines.push(`job ${jobId}: ${status}, with ${charges} charges`);
  for (const { jobId, status } of books.held) lines.push(`job ${jobId}: ${status}, and holds reserved credits`);
  if (lines.length === 1) lines.push('Every object has its record, every record its bytes, and the books are right.');
  return lines.join('\n');
}
