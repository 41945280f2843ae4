// What fuzzing found: pictures that are copied, and that the container's own reader refuses.
import type { FormatContext, Packet, Stream } from 'node-av/lib';
import { expect, it } from 'vitest';
import { expectWritten } from '../../../src/library/media/ffmpeg/ffmpeg.ts';
import { PictureWriter } from '../../../src/library/media/video/picture-writer.ts';

it.each([
  [
    -1_094_995_529,
    {
      code: 'file_invalid',
      message: expect.stringMatching(/^A stream of the file is damaged and cannot be copied/) as string,
    },
  ],
  [-5, { code: 'internal_error' }],
])('a container that answers %i to a copied picture blames whom it may', (answer, error) => {
  const context = { interleavedWriteFrameSync: () => answer } as unknown as FormatContext;
  const stream = { index: 0, timeBase: { num: 1, den: 90_000 } } as unknown as Stream;
  const writer = new PictureWriter(context, stream, 0, 0.04);
  const at = writer.announce(0);
  let thrown: unknown;
  try {
    writer.write({} as Packet, at, 1n);
  } catch (error_) {
    thrown = error_;
  }
  expect(thrown).toMatchObject(error);
});

it('the end of a file, where the last pictures are written, blames the file, too', () => {
  const blame = (answer: number) => () => expectWritten(answer, 'Completing the file');
  expect(blame(0)).not.toThrow();
  expect(blame(-1_094_995_529)).toThrow(expect.objectContaining({ code: 'file_invalid' }));
  expect(blame(-5)).toThrow(expect.objectContaining({ code: 'internal_error' }));
});
