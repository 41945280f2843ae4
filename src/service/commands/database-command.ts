import type { Command } from 'commander';
import { exitCodes } from '../../cli/terminal/exit.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';

/** `earshot database`: sets up an external PostgreSQL. */
export function addDatabaseCommand(program: Command, context: CommandContext): void {
  const command = program.command('database').description('Set up an external PostgreSQL');
  command
    .command('create-roles <url>')
    .description(
      'Create the two roles of the service: one that owns the tables and runs migrations, and one that only reads and ' +
        'changes rows. Prints their addresses once; when called again, sets new passwords',
    )
    .option('--json', 'write one JSON object')
    .addHelpText(
      'after',
      "\n<url> is the service's database by a role that may make roles. Stop the service before; tables that another role made " +
        'are handed to the new owner.\n\nExamples:\n  earshot database create-roles postgres://postgres:secret@db.internal/earshot',
    )
    .action(async (url: string, flags: { readonly json?: boolean }) => {
      const { createRoles } = await import('../adapters/postgres/create-roles.ts');
      const { url: serviceUrl, ownerUrl } = await createRoles(url);
      process.stdout.write(
        flags.json
          ? `${JSON.stringify({ DATABASE_URL: serviceUrl, DATABASE_OWNER_URL: ownerUrl })}\n`
          : `DATABASE_URL=${serviceUrl}\nDATABASE_OWNER_URL=${ownerUrl}\n`,
      );
      context.finish(exitCodes.ok);
    });
}
