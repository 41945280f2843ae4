import type { Command } from 'commander';
import { parseConfig } from '../rules/settings/config.ts';
import { exitCodes } from '../../cli/terminal/exit.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import { addSettingFlags, settingsOf } from './setting-flags.ts';

/** `earshot serve`: the service on this machine. */
export function defineServe(command: Command, context: CommandContext): void {
  command.description(
    'Run the service: the API, the supervisor of jobs, and an embedded PostgreSQL unless DATABASE_URL is given. ' +
      'All data is in one folder. Ctrl-C finishes running jobs and stops.',
  );
  addSettingFlags(command)
    .addHelpText(
      'after',
      '\nExamples:\n  # On this machine alone\n  earshot serve\n  # For the network, with its public address\n  ' +
        'earshot serve --host 0.0.0.0 --base-url https://audio.example.org\n  # Jobs only, beside an API on ' +
        'another machine\n  earshot serve --role worker --database-url postgres://...',
    )
    .action(async () => {
      const config = parseConfig(settingsOf(command));
      // Loaded here: the tools' commands must not wait for a database driver.
      const { launch } = await import('../serve/launch.ts');
      // A closed standard output (`| head`) ends other commands, but not the service, which only prints messages there.
      process.stdout.removeAllListeners('error').on('error', () => undefined);
      await launch(config, context.signal, (text) => process.stdout.write(text));
      context.finish(exitCodes.ok);
    });
}
