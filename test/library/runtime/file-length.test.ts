// What a run may write bounds each of its files by itself, without anybody looking.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createUntypedEngine } from '../../../src/library/runtime/engine/engine.ts';
import type { UntypedEngine } from '../../../src/library/runtime/engine/engine-types.ts';
import { fixtureTool } from '../../fixtures/tools/source.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';
import { voice } from '../../fixtures/media/signals.ts';
import { listing, rejection, useEngines } from './support.ts';
import { slow } from '../../fixtures/rounds.ts';

const { folder, engine } = useEngines();
const megabyte = 1_000_000;
const refused = {
  code: 'limit_exceeded',
  message: 'The job needed more than its limit of 5 MB of disk space',
  details: { limit: 'maxOutputBytes', expected: 5 * megabyte, received: null },
};
const long = { behaviour: 'longFile', bytes: 20 * megabyte };
const allowed = { behaviour: 'longFile', bytes: 4 * megabyte };

describe.each(['best', 'off'] as const)('a run that writes a file beyond its bound, confinement %s', (confinement) => {
  it.each([false, true])('is refused the first byte too many (kept ready before: %j)', slow, async (prefork) => {
    const shared = engine({ confinement, prefork });
    const control = { outputDir: folder(), maxOutputBytes: 5 * megabyte };
    expect(await rejection(shared.run(fixtureTool, [], long, control))).toMatchObject(refused);
    expect(listing(control.outputDir)).toEqual([]);
    expect((await shared.run(fixtureTool, [], allowed, control)).result).toEqual({ written: 4 * megabyte });
  });

  it('keeps no later one in the same process from its own', async () => {
    const shared = engine({ confinement, concurrency: 1, runsPerProcess: 9 });
    const outputDir = folder();
    await shared.run(fixtureTool, [], allowed, { outputDir, maxOutputBytes: 5 * megabyte });
    expect((await shared.run(fixtureTool, [], long, { outputDir })).result).toEqual({ written: 20 * megabyte });
    await shared.run(fixtureTool, [], long, { outputDir, maxOutputBytes: 30 * megabyte });
    const again = shared.run(fixtureTool, [], long, { outputDir, maxOutputBytes: 5 * megabyte });
    expect(await rejection(again)).toMatchObject(refused);
  });
});

describe('a tool', () => {
  let shared: UntypedEngine | undefined;
  afterEach(async () => shared?.close());

  // What FFmpeg writes, and what is set aside meanwhile.
  it.each([
    ['convert_audio', { format: 'wav' }],
    ['convert_audio', { format: 'flac' }],
    ['remove_noise', {}],
  ])('says so, too: %s %j', slow, async (tool, options) => {
    const input = writeWav(join(folder(), 'talk.wav'), [voice(5 * 48_000, 48_000)], 48_000);
    shared = createUntypedEngine({ tempDir: folder() });
    const control = { outputDir: folder(), maxOutputBytes: 100_000 };
    const thrown = await rejection(shared.run(tool, [input], options, control));
    expect(thrown).toMatchObject({ ...refused, message: expect.any(String), details: { expected: 100_000 } });
    expect(listing(control.outputDir)).toEqual([]);
  });
});
