// The tests find processes by themselves, on systems without /proc, too: both ways see the same.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isGone, startedBy } from '../../fixtures/processes/listed.ts';
import { until } from '../../fixtures/until.ts';

describe.runIf(existsSync('/proc/self/stat')).each(['proc', 'ps'] as const)('processes listed by %s', (source) => {
  it('are those that run, with what started them', async () => {
    const shell = spawn('sh', ['-c', 'sleep 600 & echo $!; read -r _; wait'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [said] = (await once(shell.stdout, 'data')) as [Buffer];
    const sleeper = Number(said.toString());
    const found = (): number[] => startedBy(shell.pid ?? 0, source).map(({ pid }) => pid);
    expect(found()).toContain(sleeper);
    expect(startedBy(process.pid, source)).toContainEqual(
      expect.objectContaining({ pid: sleeper, parent: shell.pid, command: 'sleep 600' }),
    );
    expect(isGone(sleeper, source)).toBe(false);
    process.kill(sleeper, 'SIGKILL');
    // Its parent still reads and does not wait for it: a zombie counts as gone.
    await until('it is gone', () => isGone(sleeper, source));
    expect(found()).not.toContain(sleeper);
    shell.stdin.end('\n');
    await once(shell, 'exit');
  });
});
