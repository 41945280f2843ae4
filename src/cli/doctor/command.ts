import type { Command } from 'commander';
import type { CommandContext } from '../terminal/command-context.ts';

/** `earshot doctor`: says whether this installation can work, and what protects the machine from the files it opens. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  program
    .command('doctor')
    .summary('Look whether everything works here')
    .description(
      'Look whether everything works here: native kernels, media library, models byte by byte, and what fences jobs off from this ' +
        'machine, found out by trying. Changes nothing. Exit code 1 when something does not work.',
    )
    .option('--json', 'write one JSON object')
    .action(async (flags: { json?: boolean }) => context.finish(await (await import('./doctor.ts')).doctor(flags)));
}
