import type { Command } from 'commander';
import { parseConfig, settings, type ReadSetting, type Setting } from '../rules/settings/config.ts';
import { exitCodes } from '../../cli/terminal/exit.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import { addSettingFlags, settingsOf } from './setting-flags.ts';

/** `earshot config`: every setting of the service with its value and source. */
export function defineConfig(command: Command, context: CommandContext): void {
  command
    .description(
      'List every setting of the service: its variable, its value and the source of the value. Fails when a value ' +
        'is invalid.',
    )
    .option('--json', 'write one JSON object');
  addSettingFlags(command)
    .addHelpText(
      'after',
      '\nExamples:\n  # What would the service use here?\n  earshot config\n  # Would this do?\n  ' +
        'EARSHOT_PORT=8080 earshot config --max-seconds 7200',
    )
    .action((flags: { json?: boolean }) => {
      const read = settingsOf(command);
      parseConfig(read);
      process.stdout.write(flags.json ? `${JSON.stringify(asJson(read), null, 2)}\n` : asTable(read));
      context.finish(exitCodes.ok);
    });
}

/** Secrets are not shown. */
const shown = ({ name, value }: ReadSetting): string | null =>
  value !== null && settings[name].kind === 'secret' ? '(set)' : value;

function asJson(read: readonly ReadSetting[]): Record<string, unknown> {
  return Object.fromEntries(
    read.map((each) => {
      const { env, flag, description, ...setting }: Setting = settings[each.name];
      return [
        each.name,
        {
          value: shown(each),
          source: each.source,
          environment: env,
          flag: `--${flag}`,
          default: setting.default,
          description,
        },
      ];
    }),
  );
}

function asTable(read: readonly ReadSetting[]): string {
  const rows = read.map(
    (each) =>
      [settings[each.name].env, shown(each) ?? '(unset)', each.source, settings[each.name].description] as const,
  );
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`).join('');
}
