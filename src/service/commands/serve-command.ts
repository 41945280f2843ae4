import type { Command } from 'commander';
import { parseConfig } from '../rules/config.ts';
import { exitCodes } from '../../cli/terminal/exit.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import { addSettingFlags, settingsOf } from './setting-flags.ts';

/** `earshot serve`: the service on this machine. */
export function addServeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('serve')
    .summary('Run the service')
    .description(
      'Run the service: the REST API, the supervisor with its jobs, and, unless DATABASE_URL is given, a ' +
        'PostgreSQL of its own. Everything lies in one folder. Ctrl-C finishes what runs and ends.',
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
      await launch(config, context.signal, (text) => process.stdout.write(text));
      context.finish(exitCodes.ok);
    });
}
