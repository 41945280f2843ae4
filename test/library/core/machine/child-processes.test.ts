import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { ownSession } from '../../../../src/library/core/machine/child-processes.ts';

it('a process apart keeps its console and ends with us on Windows, and has its own session elsewhere', () => {
  expect(ownSession('win32')).toEqual({ detached: false, windowsHide: true });
  expect(ownSession('linux').detached).toBe(true);
  expect(ownSession('darwin').detached).toBe(true);
});

it('a process that leaves interruptions to its starter goes on after one', async () => {
  const module = new URL('../../../../src/library/core/machine/child-processes.ts', import.meta.url).href;
  const script = `
    import { leaveInterruptsToStarter } from ${JSON.stringify(module)};
    leaveInterruptsToStarter();
    process.emit('SIGBREAK');
    console.log('ready');
    process.stdin.once('data', () => process.exit(7));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const end = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  child.stdin.write('end\n');
  expect(await end).toEqual([7, null]);
});
