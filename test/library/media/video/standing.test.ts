// Pictures that stand long, and stretches shorter than a picture.
import { describe, expect, it } from 'vitest';
import { ffprobe, needFfmpeg, readAll, scratch, writeAll } from '../../../fixtures/media/media.ts';
import { runTool } from '../../../fixtures/media/run-context.ts';
import { make } from '../../../fixtures/media/signals.ts';
import { cutAudio } from '../../../../src/library/tools/cut_audio/tool.ts';
import { trim } from '../../../../src/library/media/write/trim.ts';
import { cut, makeNumbered } from './numbered.ts';
import { seenIn } from './watch.ts';

const at = scratch();
const x264 = (...more: string[]): string[] => [
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-pix_fmt',
  'yuv420p',
  ...more,
];
const pictureSeconds = (path: string): number =>
  Number(ffprobe(path).streams.find((one) => one.codec_type === 'video')?.duration);

describe('a slide show', () => {
  const cases: [string, { startSeconds: number; endSeconds: number }[], number][] = [
    ['in the middle of a slide', [{ startSeconds: 4, endSeconds: 5 }], 1],
    ['from one slide into the next', [{ startSeconds: 4, endSeconds: 7 }], 3],
    [
      'twice in the last slide',
      [
        { startSeconds: 15, endSeconds: 15.5 },
        { startSeconds: 16, endSeconds: 17 },
      ],
      1.5,
    ],
  ];
  it.for(cases)('%s: the last picture ends with the sound', async ([name, keeps, seconds], context) => {
    needFfmpeg(context);
    const source = makeNumbered(at('slides.mp4'), { count: 6, rate: '1/3', codec: x264('-g', '1', '-bf', '0') });
    const out = at('slides-cut.mp4');
    await cut(source, out, keeps);
    expect(Math.abs(pictureSeconds(out) - seconds), name).toBeLessThan(0.05);
    expect(Math.abs(Number(ffprobe(out).format.duration) - seconds)).toBeLessThan(0.1);
  });

  it('encoded again', async (context) => {
    needFfmpeg(context);
    const source = makeNumbered(at('slides.mp4'), { count: 6, rate: '1/3', codec: x264('-g', '1', '-bf', '0') });
    const out = at('slides-all.mp4');
    await cut(source, out, [{ startSeconds: 4, endSeconds: 5 }], { encodeAll: true });
    expect(Math.abs(pictureSeconds(out) - 1)).toBeLessThan(0.05);
  });
});

it('the first seconds of a slide show', async (context) => {
  needFfmpeg(context);
  const source = makeNumbered(at('slides.mp4'), { count: 6, rate: '1/3', codec: x264('-g', '1', '-bf', '0') });
  const trimmed = await trim(source, at('slides-trimmed'), 4, { signal: new AbortController().signal });
  expect(Math.abs(pictureSeconds(trimmed.path) - 4)).toBeLessThan(0.05);
});

it.for([false, true])(
  'a stretch shorter than a picture shows that picture, all encoded: %s',
  async (encodeAll, context) => {
    needFfmpeg(context);
    const source = makeNumbered(at('short.mp4'), { count: 100, codec: x264('-g', '25') });
    const out = at('short-cut.mp4');
    await cut(source, out, [{ startSeconds: 2.01, endSeconds: 2.02 }], { encodeAll });
    expect(seenIn(out).map((one) => one.number)).toEqual([50]);
  },
);

it('a range of sound shorter than a frame keeps that frame', async () => {
  const rate = 44_100;
  const plane = make(rate, (i) => (i % 1000) / 2000);
  const { path } = writeAll(at('frames.wav'), [plane], rate, { format: 'wav', bitDepth: '24' });
  const frame = 12_345;
  const ranges = [[(frame + 0.1) / rate, (frame + 0.3) / rate]];
  const kept = readAll((await runTool(cutAudio, path, { ranges, mode: 'keep' }, at('kept-'))).path);
  expect(kept.frames).toBe(1);
  expect(Math.abs(kept.planes[0]![0]! - plane[frame]!)).toBeLessThan(1e-6);
  const removed = readAll((await runTool(cutAudio, path, { ranges, mode: 'remove' }, at('left-'))).path);
  expect(removed.frames).toBe(rate);
  const last = [[(rate - 0.2) / rate, 1]];
  expect(readAll((await runTool(cutAudio, path, { ranges: last, mode: 'keep' }, at('last-'))).path).frames).toBe(1);
});
