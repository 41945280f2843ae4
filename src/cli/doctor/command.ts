import type { Command } from 'commander';
import type { CommandContext } from '../terminal/command-context.ts';

/** `earshot doctor`: checks whether this installation works, and what protects the machine from the files it opens. */
export function defineDoctor(command: Command, context: CommandContext): void {
  command
    .description(
      'Check that everything works here: native kernels, media library, every byte of the models, and by trying, ' +
        'what isolates jobs from this machine. Changes nothing. Exit code 1 when something does not work.',
    )
    .option('--json', 'write one JSON object')
    .option('--fleet', 'check the database of DATABASE_URL: does it allow all connections that the fleet opens?')
    .action(async (flags: { json?: boolean; fleet?: boolean }) =>
      context.finish(await (await import('./doctor.ts')).doctor(flags)),
    );
}
