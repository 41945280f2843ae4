// ffmpeg and ffprobe, which a run of all tests starts many hundred times, at hand: each waits with its 215 libraries
// loaded, and a start is a fork of it (test/fixtures/at-hand). 17 ms of processor time in place of 75. vitest's global
// set-up of `npm test`; without it, or where this cannot be had, tests start the programs themselves.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const source = (name: string): string => fileURLToPath(new URL(`fixtures/at-hand/${name}`, import.meta.url));
const compile = (...words: readonly string[]): boolean => spawnSync('cc', ['-O1', ...words]).status === 0;

function installed(command: string): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, command));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** After run-folder.ts, whose folder all this goes with. */
export async function setup(): Promise<() => Promise<void>> {
  const waiting: { readonly child: ChildProcess; readonly ended: Promise<void> }[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'at-hand-'));
  const library = join(folder, 'waiting.so');
  if (compile('-shared', '-fPIC', '-o', library, source('waiting.c'), '-ldl')) {
    for (const command of ['ffmpeg', 'ffprobe']) {
      const program = installed(command);
      const socket = join(folder, `${command}.socket`);
      const constant = (name: string, path: string): string => `-D${name}="${path}"`;
      const places = [constant('SOCKET', socket), constant('PROGRAM', program ?? '')];
      if (program === undefined || !compile(...places, '-o', join(folder, command), source('asking.c'))) continue;
      const environment = { ...process.env, LD_PRELOAD: library, AT_HAND_SOCKET: socket };
      const child = spawn(program, [], { stdio: 'ignore', env: environment });
      const ended = new Promise<void>((resolve) => {
        for (const end of ['error', 'exit']) child.once(end, () => resolve());
      });
      waiting.push({ child, ended });
      // Where it cannot wait, its stand-in becomes the program itself.
      const lives = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
      while (lives() && !existsSync(socket)) await sleep(10);
    }
    process.env['PATH'] = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
  }
  return async () => {
    for (const { child, ended } of waiting) {
      child.kill('SIGKILL');
      await ended;
    }
  };
}
