// Commands of which the program knows the head alone until they are typed: a command line needs one of fifty, and to
// define them all takes longer than most of them run.
import type { Command } from 'commander';

interface Later {
  /** What the list of commands shows behind the name, until the command itself can say it. */
  readonly term: string;
  define(): void | Promise<void>;
}

const later = new WeakMap<Command, Later>();

/**
 * @param term what it takes, "[options] <file>"
 * @param define adds description, flags and action
 */
export function defineLater(command: Command, term: string, define: Later['define']): void {
  later.set(command, { term, define });
}

export const termOfUndefined = (command: Command): string | undefined => later.get(command)?.term;

/** Defines a command, once. What it has below it, is defined with it. */
export async function defineNow(command: Command): Promise<void> {
  const { define } = later.get(command) ?? {};
  later.delete(command);
  await define?.();
}

/** Defines all commands of a program. */
export async function defineAll(program: Command): Promise<void> {
  for (const command of program.commands) await defineNow(command);
}
