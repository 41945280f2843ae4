import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { spawnJobProcess } from '../../../src/library/runtime/spawn.ts';

it(
  'a process that stands back does so among processes and, ' +
    'where Linux shares cores by session first, among sessions',
  async () => {
    const [usual, back] = [spawnJobProcess({ bounds: null }), spawnJobProcess({ bounds: null, niceness: 7 })];
    try {
      expect([getPriority(usual.pid), getPriority(back.pid)]).toEqual([getPriority(), 7]);
      if (existsSync('/proc/self/autogroup')) {
        const own = readFileSync('/proc/self/autogroup', 'utf8');
        const read = (pid: number | undefined): string => readFileSync(`/proc/${pid}/autogroup`, 'utf8');
        expect(read(usual.pid)).toBe(own);
        expect(read(back.pid)).not.toBe(own);
        expect(read(back.pid)).toMatch(/nice 7$/m);
      } else console.log('No autogroups here (/proc/self/autogroup): sessions not looked at');
    } finally {
      usual.kill();
      back.kill();
      await Promise.all([usual.exit, back.exit]);
    }
  },
);
