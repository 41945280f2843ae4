// What pages show is run as a reader would: `earshot` is a command, and the folder is the reader's own.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mainPath } from '../fixtures/built/main-path.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Block {
  readonly language: string;
  readonly code: string;
  /** The nearest heading above. */
  readonly heading: string;
}

/** A page's fenced blocks, in order. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  for (const [, title, language = '', code = ''] of readFileSync(join(root, page), 'utf8').matchAll(
    /^(?:#+ (.*)|```(\w*)\n([\s\S]*?)^```)$/gm,
  )) {
    if (title === undefined) blocks.push({ language, code, heading });
    else heading = title;
  }
  return blocks;
}

/** Each line of a page's shell blocks that calls earshot, without its comment. */
export const commandsOf = (page: string): string[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => [...code.matchAll(/^(?:\.\/)?(earshot .*?)(?: {2,}#.*)?$/gm)])
    .map((match) => match[1] as string);

/** A folder in which `earshot` and `node` are programs of this checkout; for PATH. */
export function makePrograms(folder: string): string {
  const programs = join(folder, '.programs');
  mkdirSync(programs);
  for (const [name, command] of [
    ['earshot', `"${process.execPath}" --disable-warning=ExperimentalWarning "${mainPath}"`],
    ['node', `"${process.execPath}" --disable-warning=ExperimentalWarning`],
  ] as const) {
    writeFileSync(join(programs, name), `#!/bin/sh\nexec ${command} "$@"\n`);
    chmodSync(join(programs, name), 0o755);
  }
  return programs;
}

/** Runs a script in bash, which ends at the first command that fails. Answers both outputs in one. */
export function shell(
  script: string,
  {
    cwd,
    programs,
    environment = {},
  }: { cwd: string; programs: string; environment?: Readonly<Record<string, string>> },
): Promise<{ code: number; output: string }> {
  const env = { ...process.env, ...environment, PATH: `${programs}${delimiter}${process.env['PATH']}` };
  return new Promise((resolve) => {
    const child = execFile('bash', ['-ec', `exec 2>&1\n${script}`], { cwd, env, maxBuffer: 2 ** 24 }, (_, output) =>
      resolve({ code: child.exitCode ?? -1, output }),
    );
  });
}
