// @module-tag slow
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { spawnJobProcess } from '../../../../src/library/runtime/process/spawn.ts';

it(
  'a process that stands back does so among processes and, ' +
    'where Linux shares cores by session first, among sessions',
  async () => {
    const [usual, back] = [spawnJobProcess({ bounds: null }), spawnJobProcess({ bounds: null, niceness: 7 })];
    try {
      // The tests themselves may have been started with nice(1).
      const expected = Math.min(19, getPriority() + 7);
      expect([getPriority(usual.pid), getPriority(back.pid)]).toEqual([getPriority(), expected]);
      if (existsSync('/proc/self/autogroup')) {
        const own = readFileSync('/proc/self/autogroup', 'utf8');
        const read = (pid: number | undefined): string => readFileSync(`/proc/${pid}/autogroup`, 'utf8');
        expect(read(usual.pid)).toBe(own);
        expect(read(back.pid)).not.toBe(own);
        expect(read(back.pid)).toMatch(new RegExp(`nice ${expected}$`, 'mu'));
      } else console.log('No autogroups here (/proc/self/autogroup): sessions not looked at');
    } finally {
      usual.kill();
      back.kill();
      await Promise.all([usual.exit, back.exit]);
    }
  },
);

it('a host that ends while its processes do ends well', async () => {
  const startUrl = new URL('../../../../src/library/runtime/process/start-process.ts', import.meta.url).href;
  // They end from before the host's end to after it: Node 22 aborted in 22 of 25 such hosts, Node 24 in 9 of 30.
  const script = `
    import { startProcess } from ${JSON.stringify(startUrl)};
    for (let n = 0; n < 60; n += 1)
      startProcess({ command: ['/bin/sleep', String(0.02 + n / 300)], environment: {}, pipes: 1, session: false })
        .setHeld(false);
    setTimeout(() => {}, 100);`;
  const hosts = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  const ends = await Promise.all(hosts.map((host) => once(host, 'exit')));
  expect(ends).toEqual(hosts.map(() => [0, null]));
});

it.runIf(process.platform === 'linux')(
  'a worker thread that is ended leaves no process in the table of its host',
  async () => {
    const startUrl = new URL('../../../../src/library/runtime/process/start-process.ts', import.meta.url).href;
    const script = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { Worker } from 'node:worker_threads';
    const thread = \`
      import { parentPort } from 'node:worker_threads';
      import { startProcess } from ${JSON.stringify(startUrl)};
      for (let n = 0; n < 30; n += 1)
        startProcess({ command: ['/bin/sleep', String(0.02 + n / 300)], environment: {}, pipes: 1, session: false });
      parentPort.postMessage('started');\`;
    for (let round = 0; round < 3; round += 1) {
      const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(thread)));
      await new Promise((resolve) => worker.once('message', resolve));
      await new Promise((resolve) => setTimeout(resolve, 60));
      await worker.terminate();
    }
    const childStates = () => readdirSync('/proc').flatMap((entry) => {
      try {
        const [state, parent] = readFileSync('/proc/' + entry + '/stat', 'latin1').split(') ')[1].split(' ');
        return Number(parent) === process.pid ? [state] : [];
      } catch {
        return [];
      }
    });
    while (childStates().some((state) => state !== 'Z')) await new Promise((resolve) => setTimeout(resolve, 20));
    // Their threads have a moment to notice.
    for (let count = 0; count < 250 && childStates().length > 0; count += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    console.log(childStates().length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout).toBe('0\n');
  },
);
