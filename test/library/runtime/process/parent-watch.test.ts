import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { nativeProcesses } from '../../../../src/library/kernels/processes.ts';
import { isAlive, useEngines } from '../support.ts';
import { until } from '../../../fixtures/until.ts';

const { folder } = useEngines();

// The native one: boundaries.test.ts, "a killed host takes its job along".
it('without the addon a thread of Node ends an orphan that never turns, and its folder', async () => {
  const made = join(folder(), 'work');
  mkdirSync(join(made, 'inner'), { recursive: true });
  writeFileSync(join(made, 'inner', 'partial'), 'partial');
  const orphan = fileURLToPath(new URL('../../../fixtures/processes/orphan.ts', import.meta.url));
  const shell = spawn('sh', ['-c', '"$0" "$1" "$2" & read -r _', process.execPath, orphan, made], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [said] = (await once(shell.stdout, 'data')) as [Buffer];
  const pid = Number(said.toString());
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect([isAlive(pid), existsSync(made)]).toEqual([true, true]);
  shell.kill('SIGKILL');
  await until('the orphan is gone', () => !isAlive(pid));
  expect(existsSync(made)).toBe(false);
});

it('the addon takes a watch on Linux and macOS, and checks its arguments', () => {
  const { parentWatchStart, parentWatchFolder } = nativeProcesses();
  if (process.platform === 'linux' || process.platform === 'darwin')
    expect(parentWatchStart(process.ppid, 60_000, undefined)).toBe(true);
  else console.log(`No native watch on ${process.platform}`);
  expect(() => parentWatchStart(-1, 250, undefined)).toThrow(TypeError);
  expect(() => parentWatchStart(1, 0, undefined)).toThrow(TypeError);
  expect(() => parentWatchFolder(1 as unknown as string)).toThrow(TypeError);
});
