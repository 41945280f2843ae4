import { CodecParameters } from 'node-av/lib';
import { AV_PIX_FMT_YUV420P } from 'node-av/constants';
import { expect, it } from 'vitest';
import { recipeFor } from '../../../../src/library/media/video/encoders.ts';
import { PictureEncoder } from '../../../../src/library/media/video/picture-encoder.ts';

// Found by `npm run fuzz -- --seed=1 --only=3703`: an AVI whose header says so, and whose cut ended in an error of ours.
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
