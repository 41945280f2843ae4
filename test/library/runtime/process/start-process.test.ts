import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nativeProcesses } from '../../../../src/library/kernels/processes.ts';
import { type ProcessEnd, type Program, startProcess } from '../../../../src/library/runtime/process/start-process.ts';
import { slow } from '../../../fixtures/rounds.ts';

const shell = (script: string, more: Partial<Program> = {}): Program => ({
  command: ['/bin/sh', '-c', script],
  environment: { PATH: process.env['PATH'] },
  pipes: 2,
  session: false,
  ...more,
});
const endOf = (program: Program): Promise<ProcessEnd> => new Promise((resolve) => startProcess(program).onEnd(resolve));

describe('a started process', () => {
  it('ends with its code, or by its signal', async () => {
    expect(await endOf(shell('exit 0'))).toEqual({ exitCode: 0, signal: null });
    expect(await endOf(shell('exit 37'))).toEqual({ exitCode: 37, signal: null });
    expect(await endOf(shell('kill -s KILL $$'))).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect(await endOf(shell('kill -s TERM $$'))).toEqual({ exitCode: null, signal: 'SIGTERM' });
  });

  it('that cannot be started says why', async () => {
    const started = startProcess(shell('', { command: ['/nowhere/at-all'] }));
    expect(started.pid).toBeUndefined();
    const { cause, ...end } = await new Promise<ProcessEnd>((resolve) => started.onEnd(resolve));
    expect(end).toEqual({ exitCode: null, signal: null });
    expect(cause).toMatchObject({ code: 'ENOENT', syscall: expect.stringMatching('spawn') });
  });

  it('writes to and reads from its descriptors', async () => {
    const { pipes, onEnd } = startProcess(shell('read line <&3; echo "heard $line" >&3; echo complaint >&2'));
    const [stderr, link] = pipes;
    const said = { stderr: '', link: '' };
    stderr?.on('data', (bytes: Buffer) => (said.stderr += bytes.toString()));
    link?.on('data', (bytes: Buffer) => (said.link += bytes.toString()));
    link?.write('a word\n');
    await new Promise((resolve) => onEnd(resolve));
    await expect.poll(() => said).toEqual({ stderr: 'complaint\n', link: 'heard a word\n' });
  });

  it.runIf(process.platform === 'linux')(
    'has no other descriptor of its host, no blocked signal, and the environment given',
    async () => {
      const kept = spawn('sleep', ['60'], { stdio: ['pipe', 'pipe', 'pipe'] });
      try {
        const script = 'ls /proc/self/fd | sort -n | tr "\\n" " " >&3; cat /proc/self/status >&3; env >&3';
        const { pipes, onEnd } = startProcess(
          shell(script, { environment: { PATH: process.env['PATH'], WORD: 'ä=1' } }),
        );
        let said = '';
        pipes[1]?.on('data', (bytes: Buffer) => (said += bytes.toString()));
        await new Promise((resolve) => onEnd(resolve));
        await expect.poll(() => said).toContain('WORD=ä=1');
        // What whoever started the tests left open goes to every process; 3 or 4 is the folder that ls reads.
        const left = execFileSync('ls', ['/proc/self/fd'], { encoding: 'utf8' })
          .split('\n')
          .filter((fd) => Number(fd) > 3);
        expect(said.split('Name')[0]?.trim().split(' ')).toEqual(['0', '1', '2', '3', '4', ...left]);
        // 32 and 33 are the C library's own.
        expect(said).toMatch(/SigBlk:\s+0+\nSigIgn:\s+0000000[01][08]0000000\n/);
        expect(said).not.toContain('HOME=');
      } finally {
        kept.kill();
      }
    },
  );

  it.runIf(process.platform === 'linux')('has a session of its own where that is asked for', async () => {
    for (const session of [false, true]) {
      const started = startProcess(shell('sleep 60', { session }));
      const stat = readFileSync(`/proc/${started.pid}/stat`, 'latin1');
      const sessionId = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
      expect(sessionId === started.pid).toBe(session);
      process.kill(started.pid as number, 'SIGKILL');
      expect(await new Promise((resolve) => started.onEnd(resolve))).toEqual({ exitCode: null, signal: 'SIGKILL' });
      // Nothing is left behind, not even its number.
      expect(() => process.kill(started.pid as number, 0)).toThrow('ESRCH');
    }
  });

  it('holds its host, until it is let go', slow, () => {
    const module = JSON.stringify(
      fileURLToPath(new URL('../../../../src/library/runtime/process/start-process.ts', import.meta.url)),
    );
    const host = (lines: string): string =>
      execFileSync(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `
        import { startProcess } from ${module};
        const begun = performance.now();
        const one = startProcess({ command: ['/bin/sleep', '1'], environment: {}, pipes: 1, session: false });
        ${lines}
        process.on('exit', () => console.log(performance.now() - begun > 900 ? 'held' : 'let go'));
      `,
        ],
        { encoding: 'utf8' },
      ).trim();
    expect(host('one.pipes[0].unref();')).toBe('held');
    expect(host('one.pipes[0].unref(); one.setHeld(false);')).toBe('let go');
    expect(host('one.onEnd(() => { one.setHeld(true); one.setHeld(false); });')).toBe('held');
  });
});

it.runIf(process.platform === 'linux')('starting one costs no more where the host is large', slow, () => {
  const module = JSON.stringify(
    fileURLToPath(new URL('../../../../src/library/runtime/process/start-process.ts', import.meta.url)),
  );
  const script = `
    import { startProcess } from ${module};
    const cost = async () => {
      const all = [];
      for (let n = 0; n < 30; n += 1) {
        const before = process.cpuUsage();
        const one = startProcess({ command: ['/bin/true'], environment: {}, pipes: 1, session: false });
        const { user, system } = process.cpuUsage(before);
        all.push((user + system) / 1000);
        await new Promise((resolve) => one.onEnd(resolve));
      }
      return all.sort((a, b) => a - b)[15];
    };
    await cost();
    const small = await cost();
    const kept = Array.from({ length: 8 }, () => Buffer.alloc(100e6, 1));
    console.log(JSON.stringify({ small, large: await cost(), kept: kept.length }));
  `;
  expect(nativeProcesses().spawnProcess).toBeDefined();
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const { small, large } = JSON.parse(printed) as { small: number; large: number };
  console.log(`processor time of one start: ${small.toFixed(2)} ms, with 800 MB more ${large.toFixed(2)} ms`);
  // A fork takes 3 ms for each 100 MB.
  expect(large - small).toBeLessThan(8);
});
