// Writes the manual page of the command line, from the program's own definitions: `man earshot` where the package is
// installed for all users. Part of `npm run build`. Usage: write-man.ts [file; default: dist/man/earshot.1]
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command, Option } from 'commander';
import { createProgram } from '../src/cli/program.ts';
import { packageVersion } from '../src/library/core/start/package-version.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Text as troff has it: no hyphens that a copied command would lose, no line that begins like a request. */
const plain = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll(/^([.'])/gm, String.raw`\&$1`);

const option = ({ flags, description }: Option): string => `.TP\n.B ${plain(flags)}\n${plain(description)}`;

function section(command: Command, above: readonly string[]): string[] {
  const help = command.createHelp();
  const path = [...above, command.name()];
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  return [
    `.SS ${plain(path.join(' '))}`,
    `.B ${plain(['earshot', ...path].join(' '))}`,
    plain(command.usage()),
    '.PP',
    plain(command.description()),
    ...options.map(option),
    ...help
      .visibleCommands(command)
      .filter((inner) => inner.name() !== 'help')
      .flatMap((inner) => section(inner, path)),
  ];
}

/** The page. */
export async function manualPage(): Promise<string> {
  const program = await createProgram({ signal: new AbortController().signal, finish: () => undefined });
  const commands = program.createHelp().visibleCommands(program);
  return [
    `.TH EARSHOT 1 "" "earshot ${packageVersion()}"`,
    '.SH NAME',
    `earshot ${String.raw`\-`} ${plain(program.description())}`,
    '.SH SYNOPSIS',
    '.B earshot',
    plain(program.usage()),
    '.SH COMMANDS',
    ...commands.flatMap((command) => section(command, [])),
    '.SH EXIT STATUS',
    '0 done, 1 failed, 2 wrong usage, 130 interrupted',
    '.SH SEE ALSO',
    plain('earshot --help; the folder docs of the package'),
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = process.argv[2] ?? join(root, 'dist/man/earshot.1');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, await manualPage());
}
