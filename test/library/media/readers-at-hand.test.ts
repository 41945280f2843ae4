// What stands for ffmpeg in `npm test` (test/readers-at-hand.ts) does as ffmpeg does.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { needFfmpeg } from '../../fixtures/media/media.ts';
import { skipForMissing } from '../../fixtures/missing-part.ts';
import { until } from '../../fixtures/until.ts';
import { setup } from '../../readers-at-hand.ts';

const before = process.env['PATH'] ?? '';
let end = (): Promise<void> => Promise.resolve();
let ffmpeg = '';
let isAtHand = false;

beforeAll(async () => {
  end = await setup();
  const [folder = ''] = (process.env['PATH'] ?? '').split(delimiter);
  ffmpeg = `${folder}/ffmpeg`;
  isAtHand = process.env['PATH'] !== before;
});
afterAll(async () => {
  process.env['PATH'] = before;
  await end();
});
beforeEach((context) => {
  needFfmpeg(context);
  if (!isAtHand) skipForMissing(context, 'no C compiler of a Linux');
});

const children = (pid: number | 'self'): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

describe('ffmpeg at hand', () => {
  it('writes the same, to every file it was handed, in the same folder', () => {
    const tone = ['-v', 'error', '-f', 'lavfi', '-i', 'sine=duration=1', '-f', 's16le', 'pipe:1', '-f', 'u8', 'pipe:5'];
    const [plain, atHand] = ['ffmpeg', ffmpeg].map((program) =>
      spawnSync(program, tone, {
        stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'pipe'],
        env: { PATH: before },
        maxBuffer: 1 << 24,
      }),
    );
    expect(atHand?.stdout.length).toBe(88_200);
    expect(atHand?.output).toEqual(plain?.output);
    const here = spawnSync(ffmpeg, ['-v', 'error', '-i', 'none.wav', '-f', 'null', '-'], { cwd: tmpdir() });
    expect([here.status, here.stderr.toString()]).toEqual([1, 'none.wav: No such file or directory\n']);
    const echo = spawnSync(ffmpeg, '-v error -f u8 -i - -f u8 -'.split(' '), { input: Buffer.alloc(1 << 20, 7) });
    expect(echo.stdout).toEqual(Buffer.alloc(1 << 20, 7));
  });

  it('ends with the one that asked for it, and by the same signal', async () => {
    const runs = (): number[] => children('self').flatMap((pid) => children(pid));
    const asking = spawn(ffmpeg, '-re -f lavfi -i anullsrc -f null -'.split(' '), { stdio: 'ignore' });
    await until('it runs', () => runs().length === 1);
    asking.kill('SIGKILL');
    await until('nothing runs', () => runs().length === 0);

    const again = spawn(ffmpeg, '-re -f lavfi -i anullsrc -f null -'.split(' '), { stdio: 'ignore' });
    const signal = new Promise((resolve) => again.once('exit', (_, name) => resolve(name)));
    await until('it runs again', () => runs().length === 1);
    process.kill(runs()[0] as number, 'SIGSEGV');
    expect(await signal).toBe('SIGSEGV');
  });

  it('starts where none waits any more', async () => {
    await end();
    const run = spawnSync(ffmpeg, ['-version']);
    expect(run.stdout.toString()).toMatch(/^ffmpeg version/u);
    expect(realpathSync(ffmpeg)).toContain(realpathSync(tmpdir()));
  });
});
