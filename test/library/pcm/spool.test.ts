import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isDiskFull, noRoomToWork } from '../../../src/library/core/errors/disk-full.ts';
import type { AudioFormat } from '../../../src/library/pcm/block.ts';
import { createSpool } from '../../../src/library/pcm/spool.ts';
import { noise } from '../../fixtures/media/signals.ts';

const folders: string[] = [];
function fresh(): string {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-spool-'));
  folders.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const format: AudioFormat = { sampleRate: 48_000, channels: 2, layout: 'stereo' };

describe('a spool', () => {
  it('gives back every sample, as often as it is asked', () => {
    const path = join(fresh(), 'sound.f32');
    const spool = createSpool(path, format);
    const blocks = [480, 48_000, 1].map((frames, seed) => ({
      planes: [noise(frames, seed), noise(frames, seed + 9)],
      frames,
    }));
    for (const block of blocks) spool.write(block);
    for (let time = 0; time < 2; time += 1) {
      const reader = spool.read();
      expect(reader.expectedFrames).toBe(48_481);
      for (const { planes } of blocks) expect(reader.next()?.planes).toEqual(planes);
      expect(reader.next()).toBeNull();
      reader.close();
    }
    spool.remove();
    expect(existsSync(path)).toBe(false);
  });

  // The limit on file size is the one way to make real writes fail that needs no rights: EFBIG, treated as a full disk
  // is.
  it.skipIf(process.platform === 'win32')(
    'on a disk that takes no more says so and what to do, and its file goes',
    () => {
      const folder = fresh();
      const script = `
      import { createSpool } from '${join(import.meta.dirname, '../../../src/library/pcm/spool.ts')}';
      const spool = createSpool(${JSON.stringify(join(folder, 'sound.f32'))}, ${JSON.stringify(format)});
      const block = { planes: [new Float32Array(48_000), new Float32Array(48_000)], frames: 48_000 };
      let written = 0;
      try {
        for (;;) { spool.write(block); written += 1; }
      } catch (thrown) {
        process.stdout.write(JSON.stringify({ written, error: thrown.toJSON?.() ?? String(thrown) }));
      } finally {
        spool.remove();
      }`;
      const run = spawnSync(
        'bash',
        ['-c', 'ulimit -f 1024; exec "$0" --input-type=module-typescript -e "$1"', process.execPath, script],
        { encoding: 'utf8' },
      );
      expect(JSON.parse(run.stdout)).toMatchObject({
        written: 2,
        error: {
          code: 'internal_error',
          retryable: true,
          details: { folder },
          message: `There is no space left in ${folder} for temporary files (EFBIG)`,
          nextAction: expect.stringContaining('Make room') as string,
        },
      });
      expect(existsSync(join(folder, 'sound.f32'))).toBe(false);
    },
  );

  it.each(['ENOSPC', 'EDQUOT', 'EFBIG'] as const)('counts %s as a full disk', (code) => {
    const thrown = Object.assign(new Error(code), { code });
    expect(isDiskFull(thrown)).toBe(true);
    // As Node throws those that it has no name for.
    expect(isDiskFull({ code: 'Unknown system error', errno: -constants.errno[code] })).toBe(true);
    expect(noRoomToWork('/there', thrown)).toMatchObject({
      cause: thrown,
      message: expect.stringContaining(code) as string,
    });
  });

  it.each([Object.assign(new Error('broken'), { code: 'EIO' }), new Error('none'), null, undefined, 'text'])(
    'leaves %s as it is',
    (thrown) => {
      expect(isDiskFull(thrown)).toBe(false);
    },
  );
});
