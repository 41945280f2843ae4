// @module-tag slower
// Lines that people type who have not read anything: each does what it looks like, or says the right command.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { blindCommands, filesAtHand, type BlindCommand } from '../fixtures/cli/blind-commands.ts';
import { slower } from '../fixtures/rounds.ts';
import { type CliRun, earshot, useFolder } from './support.ts';

const folder = useFolder();
const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
const judged: { readonly line: string; readonly isRight: boolean; readonly was: string }[] = [];

const ffmpeg = (cwd: string, ...args: readonly string[]): void =>
  void execFileSync('ffmpeg', ['-v', 'error', '-y', ...args], { cwd });

function atHand(): string {
  const cwd = folder();
  for (const name of filesAtHand.filter((each) => each.endsWith('.wav')))
    copyFileSync(join(cwd, 'clip.wav'), join(cwd, name));
  ffmpeg(cwd, '-i', 'clip.wav', 'music.mp3');
  ffmpeg(cwd, '-f', 'lavfi', '-i', 'testsrc=s=128x72:r=10:d=12', '-i', 'clip.wav', '-shortest', 'video.mp4');
  return cwd;
}

const newFiles = (cwd: string): string[] =>
  readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(cwd.length + 1))
    .filter((name) => name !== 'clip.wav' && !filesAtHand.includes(name))
    .sort();

/** The commands in a message, as they would be pasted. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/earshot ((?:'[^']*'|[^';.]|\.(?=\w))+)/g)].map(([, line = '']) => line.trim());

/** Why a line is not right; '': it is. */
async function wrongWith({ makes = [], prints, says }: BlindCommand, cwd: string, run: CliRun): Promise<string> {
  const made = newFiles(cwd);
  if (says === undefined) {
    if (run.code !== 0) return `exit ${run.code}: ${run.stderr.slice(0, 200)}`;
    if (JSON.stringify(made) !== JSON.stringify(makes)) return `made ${made.join(', ')}`;
    return prints === undefined || prints.test(run.stdout) ? '' : `printed ${run.stdout.slice(0, 200)}`;
  }
  if (run.code !== 2 || made.length > 0) return `exit ${run.code}, made ${made.join(', ')}`;
  if (!says.test(run.stderr)) return `said ${run.stderr.slice(0, 300)}`;
  for (const command of commandsIn(run.stderr)) {
    const [name = ''] = words(command);
    const dry = await earshot(cwd, [...words(command), ...(name === 'help' ? [] : ['--dry-run'])]);
    if (dry.code !== 0) return `suggests ${command}: exit ${dry.code}, ${dry.stderr.slice(0, 200)}`;
  }
  return '';
}

describe('what people type', () => {
  afterAll(() => {
    if (judged.length < 10) return;
    const right = judged.filter(({ isRight }) => isRight).length;
    const rows = judged.map(({ line, isRight, was }) => `${isRight ? 'right' : 'WRONG'}  ${line}${was && `: ${was}`}`);
    process.stdout.write(`${rows.join('\n')}\n${right} of ${judged.length} lines are right\n`);
  });

  const tried = async (each: BlindCommand): Promise<void> => {
    const cwd = atHand();
    const was = await wrongWith(each, cwd, await earshot(cwd, words(each.line)));
    judged.push({ line: each.line, isRight: was === '', was });
    expect(was).toBe('');
  };
  const told = blindCommands.filter(({ says }) => says !== undefined);
  const done = blindCommands.filter(({ says, listens }) => says === undefined && listens !== true);
  const heard = blindCommands.filter(({ listens }) => listens === true);

  it.each(told)('$line is told the right command', slower, tried);
  it.each(done)('$line is done', slower, tried);
  it.each(heard)('$line is done, by listening', slower, tried);
});
