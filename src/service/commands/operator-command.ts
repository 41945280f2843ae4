import type { Command } from 'commander';
import { badValue } from '../../library/core/checks/schema.ts';
import { type Config, parseConfig, type SettingName } from '../rules/settings/config.ts';
import type { Page, PageRequest } from '../rules/shared/page.ts';
import { exitCodes } from '../../cli/terminal/exit.ts';
import type { CommandContext } from '../../cli/terminal/command-context.ts';
import { addSettingFlags, settingsOf, storageSettings } from './setting-flags.ts';

/** The output of a command. */
export interface OperatorAnswer {
  /** For `--json`, and for programs. */
  readonly json: unknown;
  readonly text: string;
}

/** The work of a command. */
export type Opened = Awaited<ReturnType<typeof import('../serve/backend.ts').openOperator>> & {
  readonly config: Config;
};

type Work = (
  opened: Opened,
  args: readonly string[],
  flags: Readonly<Record<string, string | undefined>>,
) => Promise<OperatorAnswer>;

/**
 * Defines an operator command: opens the service's database, does its work, and prints the output. The service need not
 * be running.
 * @param settings further settings to accept as flags
 */
export const addOperatorCommand = (
  parent: Command,
  context: CommandContext,
  usage: string,
  description: string,
  work: Work,
  settings: readonly SettingName[] = [],
): Command => defineOperatorCommand(parent.command(usage).description(description), context, work, settings);

/** Likewise, of a command that has its name. */
export function defineOperatorCommand(
  command: Command,
  context: CommandContext,
  work: Work,
  settings: readonly SettingName[] = [],
): Command {
  command.option('--json', 'write one JSON object');
  addSettingFlags(command, [...storageSettings, ...settings]).action(async () => {
    const config = parseConfig(settingsOf(command));
    const flags = command.opts<Readonly<Record<string, string | undefined>>>();
    // Loaded here: the tools' commands must not wait for a database driver.
    const { openOperator } = await import('../serve/backend.ts');
    await using opened = await openOperator(config);
    const { json, text } = await work({ ...opened, config }, command.args, flags);
    process.stdout.write(command.opts<{ json?: boolean }>().json ? `${JSON.stringify(json)}\n` : `${text}\n`);
    context.finish(exitCodes.ok);
  });
  return command;
}

export function whole(field: string, text: string): number {
  if (!/^-?\d+$/.test(text)) throw badValue(field, 'whole number', text);
  return Number(text);
}

/** All pages of a list. */
export async function everything<Item>(list: (page: PageRequest) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await list({ cursor, limit: 100 });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}
