// docs/reference/command-line.md: what `--help` says, of every command.
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { fenced, madeBy, table } from './markdown.ts';

const widthCharacters = 110;

/** As a terminal of a fixed width shows it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (more) => void (text += more), getOutHelpWidth: () => widthCharacters });
  command.outputHelp();
  return text;
}

/** A command with those under it, by their whole names. */
const withInner = (command: Command, prefix: string): { readonly name: string; readonly command: Command }[] =>
  command.commands.flatMap((inner) => {
    const name = `${prefix} ${inner.name()}`;
    return [...(inner.commands.length === 0 ? [{ name, command: inner }] : []), ...withInner(inner, name)];
  });

export async function cliPage(): Promise<string> {
  const program = await createProgram({ signal: new AbortController().signal, finish: () => undefined });
  const commands = withInner(program, 'earshot');
  return [
    madeBy(
      'Command line reference',
      'What `earshot <command> --help` says. Where results go, pipes, batches and presets: ' +
        '[../command-line.md](../command-line.md).',
    ),
    table(
      ['Command', 'What it does'],
      commands.map(({ name, command }) => [
        `[${name}](#${name.replaceAll(' ', '-')})`,
        command.description().split(/(?<=\.)\s/)[0] ?? '',
      ]),
    ),
    ...commands.map(({ name, command }) => `## ${name}\n\n${fenced('text', helpOf(command))}`),
    '',
  ].join('\n\n');
}
