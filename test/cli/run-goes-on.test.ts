// @module-tag slow
// `earshot run` after a kill: the same command goes on at the step that was interrupted, and says so.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { earshot, jsonLines, useFolder } from './support.ts';

const folder = useFolder();
const steps = [{ tool: 'loudness' }, { tool: 'remove-silence' }, { tool: 'convert', options: { format: 'flac' } }];

it('goes on after kill -9 in the second step, and after Ctrl-C in the third, and gives the same bytes', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify({ name: 'mine', steps }));
  const args = ['run', 'mine.json', 'clip.wav'];
  const killed = await earshot(cwd, [...args, '--json'], {
    interruptWhen: /"stage":"remove-silence: /,
    signal: 'SIGKILL',
  });
  expect(killed.code).not.toBe(0);
  // With --json or without: it is the same chain.
  const stopped = await earshot(cwd, [...args, '--json'], { interruptWhen: /"stage":"convert: / });
  expect(stopped.code).not.toBe(0);
  expect(stopped.stdout).not.toContain('"stage":"loudness: ');
  expect(readdirSync(cwd).filter((name) => name.includes('.mine.'))).toEqual([]);
  const again = await earshot(cwd, args);
  expect(again.code).toBe(0);
  expect(again.stdout + again.stderr).toContain(
    'Goes on where an earlier run was interrupted; done before: loudness, remove-silence',
  );
  const whole = await earshot(cwd, [...args, '-o', 'whole.flac', '--json']);
  expect(jsonLines(whole).at(-1)).toMatchObject({ type: 'result', doneBefore: [] });
  expect(readFileSync(join(cwd, 'clip.mine.flac')).equals(readFileSync(join(cwd, 'whole.flac')))).toBe(true);
  expect(readdirSync(cwd).filter((name) => name.startsWith('.earshot'))).toEqual([]);
});
