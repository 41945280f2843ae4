import { readdirSync, readFileSync } from 'node:fs';
import { CodecParameters } from 'node-av/lib';
import { AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV444P } from 'node-av/constants';
import { expect, it } from 'vitest';
import { av1, recipeFor } from '../../../../src/library/media/video/encoders.ts';
import { PictureEncoder } from '../../../../src/library/media/video/picture-encoder.ts';

/** "0": an ordinary one, "1": SCHED_FIFO, which keeps all others from a core for as long as the thread computes. */
const schedulingOfThreads = (): string[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const facts = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    // The 41st field; the second one, in brackets, may have spaces.
    return facts.slice(facts.lastIndexOf(')') + 2).split(' ')[38] ?? '';
  });

// SVT-AV1 asks for SCHED_FIFO at the highest priority where it runs as root, also for the thread that opens it; what
// this starts inherits that: a whole machine stood still.
it.runIf(process.platform === 'linux')('AV1 is encoded by threads of ordinary priority', () => {
  using parameters = new CodecParameters();
  parameters.alloc();
  const format = { width: 320, height: 240, pixelFormat: AV_PIX_FMT_YUV420P, rate: { num: 25, den: 1 } };
  const encoder = new PictureEncoder(av1, { ...format, interlaced: false, parameters }, false, () => undefined);
  try {
    expect([...new Set(schedulingOfThreads())]).toEqual(['0']);
  } finally {
    encoder.close();
  }
  expect([...new Set(schedulingOfThreads())]).toEqual(['0']);
});

// Found by `npm run fuzz -- --seed=1 --only=3703`: an AVI whose header says so, and whose cut ended in an error of
// ours.
it('an absurd size is refused for what the file says', () => {
  using parameters = new CodecParameters();
  parameters.alloc();
  const format = {
    height: 48,
    pixelFormat: AV_PIX_FMT_YUV420P,
    rate: { num: 25, den: 1 },
    interlaced: false,
    parameters,
  };
  const make = (width: number): PictureEncoder =>
    new PictureEncoder(recipeFor('mpeg4', 'avi', 500, 48), { ...format, width }, false, () => undefined);
  expect(() => make(67_108_928)).toThrow(
    expect.objectContaining({ code: 'unsupported_format', message: expect.stringContaining('67108928x48') }),
  );
  make(64).close();
});

// GIFs and recordings of a window become such videos; x264 refuses them where four pixels share a colour.
it.each([
  [321, 241, 320, 240],
  [1, 3, 2, 2],
  [322, 242, 322, 242],
])('H.264 of %i x %i pixels is one of %i x %i', (width, height, wide, high) => {
  using parameters = new CodecParameters();
  parameters.alloc();
  const rate = { num: 25, den: 1 };
  const format = { width, height, pixelFormat: AV_PIX_FMT_YUV444P, rate, interlaced: false, parameters };
  const encoder = new PictureEncoder(recipeFor('mpeg4', 'mp4', 500, height), format, false, () => undefined);
  expect([encoder.context.width, encoder.context.height]).toEqual([wide, high]);
  encoder.close();
});
