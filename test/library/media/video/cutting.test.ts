// @module-tag slow
// Every output picture's number is read back and held against the list of those that must be there.
import { beforeEach, describe, expect, it } from 'vitest';
import { throwIfAborted } from '../../../../src/library/core/abort.ts';
import type { VideoEdit } from '../../../../src/library/media/video/video-edit.ts';
import {
  decodeByFfmpeg,
  ffprobe,
  needFfmpeg,
  packetHashes,
  readAll,
  scratch,
  thrownBy,
} from '../../../fixtures/media/media.ts';
import { rounds } from '../../../fixtures/rounds.ts';
import { openVideoEdit } from '../../../../src/library/media/video/video-edit.ts';
import { cut, makeNumbered, rateOf, type Keep, type NumberedOptions } from './numbered.ts';
import { expected, hold, seenIn, watch } from './watch.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';

const at = scratch();
const x264 = (...more: string[]): string[] => ['-c:v', 'libx264', '-preset', 'veryfast', ...more];
const usual: readonly Keep[] = [
  { startSeconds: 0.48, endSeconds: 4.12 }, // begins inside the first group
  { startSeconds: 5, endSeconds: 5.04 }, // one picture
  { startSeconds: 6.32, endSeconds: 7 }, // no keyframe inside
  { startSeconds: 9, endSeconds: 15.2 },
];

/** FFmpeg's name of the picture's samples, such as yuv420p10le. */
const pixelsOf = (path: string): unknown => ffprobe(path).streams.find((one) => one.codec_type === 'video')?.pix_fmt;

interface Case {
  readonly name: string;
  readonly file: string;
  readonly make: Omit<NumberedOptions, 'count'>;
  readonly approach: 'copy' | 'encode';
  /** Most that a picture may be off its time, seconds. */
  readonly off?: number;
  readonly leastCopied?: number;
}

const cases: readonly Case[] = [
  {
    name: 'B-frames',
    file: 'b.mp4',
    make: { codec: x264('-g', '50', '-bf', '3') },
    approach: 'copy',
    leastCopied: 0.7,
  },
  {
    name: 'no B-frames, baseline',
    file: 'p.mp4',
    make: { codec: x264('-g', '50', '-bf', '0', '-profile:v', 'baseline') },
    approach: 'copy',
    leastCopied: 0.7,
  },
  {
    name: 'long groups',
    file: 'long.mp4',
    make: { codec: x264('-g', '200', '-bf', '2', '-sc_threshold', '0') },
    approach: 'copy',
  },
  {
    name: 'one group in all',
    file: 'one.mp4',
    make: { codec: x264('-g', '9999', '-sc_threshold', '0') },
    approach: 'copy',
  },
  {
    name: 'open groups',
    file: 'open.mp4',
    make: { codec: x264('-g', '50', '-bf', '3', '-x264-params', 'open-gop=1') },
    approach: 'copy',
  },
  {
    name: 'matroska',
    file: 'b.mkv',
    make: { codec: x264('-g', '50') },
    approach: 'copy',
    leastCopied: 0.7,
    off: 0.0015,
  },
  { name: 'transport stream', file: 'b.ts', make: { codec: x264('-g', '50') }, approach: 'copy', leastCopied: 0.7 },
  { name: 'quicktime', file: 'b.mov', make: { codec: x264('-g', '50') }, approach: 'copy', leastCopied: 0.7 },
  {
    name: 'flash video',
    file: 'b.flv',
    make: { codec: x264('-g', '50'), soundRate: 44_100 },
    approach: 'copy',
    leastCopied: 0.7,
    off: 0.0015,
  },
  {
    name: '29.97 a second',
    file: 'ntsc.mp4',
    make: { rate: '30000/1001', codec: x264('-g', '60') },
    approach: 'copy',
    leastCopied: 0.5,
  },
  {
    name: 'varying rate',
    file: 'vfr.mp4',
    make: {
      codec: x264('-g', '50', '-enc_time_base', '1:90000'),
      filter: "settb=1/90000,setpts='(N*0.04+0.015*sin(N))/TB'",
    },
    approach: 'copy',
    leastCopied: 0.6,
  },
  {
    name: 'VP9',
    file: 'nine.webm',
    make: {
      codec: ['-c:v', 'libvpx-vp9', '-g', '50', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '500k'],
      audio: ['-c:a', 'libopus'],
    },
    approach: 'copy',
    leastCopied: 0.4,
    off: 0.0015,
  },
  {
    name: 'VP8',
    file: 'eight.webm',
    make: {
      // One thread: several wait for each other spinning.
      codec: ['-c:v', 'libvpx', '-g', '50', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '500k', '-threads', '1'],
      audio: ['-c:a', 'libopus'],
    },
    approach: 'copy',
    leastCopied: 0.4,
    off: 0.0015,
  },
  {
    name: 'Motion JPEG',
    file: 'm.mov',
    make: { codec: ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p'] },
    approach: 'copy',
    leastCopied: 1,
  },
  {
    name: 'MPEG-4 in AVI',
    file: 'four.avi',
    make: { codec: ['-c:v', 'mpeg4', '-q:v', '3', '-g', '50'], audio: ['-c:a', 'libmp3lame'] },
    approach: 'encode',
    off: 0.04,
  },
  {
    name: 'MPEG-4 with B-frames',
    file: 'four.mp4',
    make: { codec: ['-c:v', 'mpeg4', '-q:v', '3', '-g', '50', '-bf', '2'] },
    approach: 'encode',
  },
  {
    name: 'H.263 in 3GP',
    file: 'h.3gp',
    make: { codec: ['-c:v', 'h263', '-q:v', '3', '-g', '50', '-s', '352x288'] },
    approach: 'encode',
  },
  {
    name: 'WMV',
    file: 'w.wmv',
    make: { codec: ['-c:v', 'wmv2', '-q:v', '3'], audio: ['-c:a', 'wmav2'] },
    approach: 'encode',
    off: 0.0015,
  },
  {
    name: '10 bits',
    file: 'ten.mkv',
    make: { codec: x264('-g', '50', '-pix_fmt', 'yuv420p10le') },
    approach: 'copy',
    leastCopied: 0.4,
    off: 0.0015,
  },
  {
    name: '4:2:2 of 10 bits, as cameras write it',
    file: 'camera.mov',
    make: { codec: x264('-g', '50', '-pix_fmt', 'yuv422p10le'), audio: ['-c:a', 'pcm_s24le'] },
    approach: 'copy',
    leastCopied: 0.4,
  },
  {
    name: 'all pictures of their own, 4:2:2 of 10 bits',
    file: 'intra.mov',
    make: { codec: x264('-g', '1', '-pix_fmt', 'yuv422p10le'), audio: ['-c:a', 'pcm_s24le'] },
    approach: 'copy',
    leastCopied: 0.99,
  },
  {
    name: '4:4:4 in a transport stream',
    file: 'whole.ts',
    make: { codec: x264('-g', '50', '-pix_fmt', 'yuv444p') },
    approach: 'copy',
    leastCopied: 0.4,
  },
  {
    name: 'interlaced',
    file: 'i.mp4',
    make: { codec: x264('-g', '50', '-flags', '+ildct', '-x264-params', 'interlaced=1') },
    approach: 'encode',
  },
];

beforeEach(needFfmpeg);

describe('pictures that stay, exactly', () => {
  it.each(cases)('$name ($file)', async ({ file, make, approach, off = 0.0002, leastCopied = 0 }) => {
    const source = makeNumbered(at(file), { count: 400, ...make });
    const out = at(`cut-${file}`);
    // Ranges stand on the source's pictures, away from where rounding of millisecond clocks could tip them.
    const keeps = usual.map((keep) => ({
      startSeconds: keep.startSeconds - 0.011,
      endSeconds: keep.endSeconds - 0.011,
    }));
    const sink = await cut(source, out, keeps);
    const [before, after] = watch(source, out);
    expect(before.seen.every((one) => one.number >= 0)).toBe(true);
    const wanted = expected(before.seen, keeps);
    expect(sink.approach).toBe(approach);
    hold(after.seen, wanted, off);
    if (approach === 'copy') expect(pixelsOf(out)).toBe(pixelsOf(source));
    const counts = sink.pictures();
    expect(counts.copied + counts.encoded).toBeGreaterThanOrEqual(wanted.length);
    if (approach === 'copy') {
      expect(counts.copied / wanted.length).toBeGreaterThanOrEqual(leastCopied);
      expect(sink.warnings.map((one) => one.code)).not.toContain('picture_reencoded');
    } else {
      expect(sink.warnings.map((one) => one.code)).toContain('picture_reencoded');
    }
  });

  it('copies byte for byte', async () => {
    const source = makeNumbered(at('bytes.mp4'), { count: 400, codec: x264('-g', '25', '-bf', '2') });
    const sink = await cut(source, at('bytes-cut.mp4'), usual);
    const originals = new Set(packetHashes(source, 'v'));
    const same = packetHashes(at('bytes-cut.mp4'), 'v').filter((hash) => originals.has(hash)).length;
    expect(same).toBeGreaterThanOrEqual(sink.pictures().copied);
    expect(sink.pictures().copied / (sink.pictures().copied + sink.pictures().encoded)).toBeGreaterThan(0.75);
  });

  it('keeps everything', async () => {
    const source = makeNumbered(at('whole.mp4'), { count: 200, codec: x264('-g', '50') });
    const sink = await cut(source, at('whole-cut.mp4'), [{ startSeconds: 0, endSeconds: 8 }]);
    expect(sink.pictures()).toEqual({ copied: 200, encoded: 0 });
    expect(packetHashes(at('whole-cut.mp4'), 'v')).toEqual(packetHashes(source, 'v'));
    const [before, after] = watch(source, at('whole-cut.mp4'));
    hold(after.seen, before.seen, 1e-4);
  });

  it('the last pictures of an AVI with B-frames, to which decoders give no time', async () => {
    const codec = x264('-g', '50', '-bf', '2');
    const source = makeNumbered(at('late.avi'), { count: 200, codec, audio: ['-c:a', 'pcm_s16le'] });
    const sink = await cut(source, at('late-cut.avi'), [{ startSeconds: 2, endSeconds: 8.1 }]);
    const [after] = watch(at('late-cut.avi'));
    expect(after?.seen.map(({ number }) => number)).toEqual(Array.from({ length: 152 }, (_, index) => 48 + index));
    expect(sink.pictures().encoded).toBe(152);
  });

  it('one picture at a time', async () => {
    const source = makeNumbered(at('single.mp4'), { count: 250, codec: x264('-g', '50', '-bf', '3') });
    const keeps = Array.from({ length: 60 }, (_, n) => ({ startSeconds: n * 0.16, endSeconds: n * 0.16 + 0.04 }));
    await cut(source, at('single-cut.mp4'), keeps);
    const [before, after] = watch(source, at('single-cut.mp4'));
    hold(after.seen, expected(before.seen, keeps), 1e-3);
  });

  it('takes out single pictures', async () => {
    const source = makeNumbered(at('punched.mp4'), { count: 250, codec: x264('-g', '25', '-bf', '3') });
    const keeps = Array.from({ length: 60 }, (_, n) => ({ startSeconds: n * 0.16, endSeconds: n * 0.16 + 0.12 }));
    await cut(source, at('punched-cut.mp4'), keeps);
    const [before, after] = watch(source, at('punched-cut.mp4'));
    hold(after.seen, expected(before.seen, keeps), 1e-3);
  });

  it('shows the slide that stands where a keep begins', async () => {
    // Picture n stands at 3n seconds.
    const source = makeNumbered(at('slides.mp4'), { count: 6, rate: '1/3', codec: x264('-g', '3', '-bf', '0') });
    const keeps = [
      { startSeconds: 1, endSeconds: 2 },
      { startSeconds: 7, endSeconds: 10 },
      { startSeconds: 13, endSeconds: 14 },
    ];
    await cut(source, at('slides-cut.mp4'), keeps);
    await cut(source, at('slides-all.mp4'), keeps, { encodeAll: true });
    const [copied, encoded] = watch(at('slides-cut.mp4'), at('slides-all.mp4'));
    expect(copied.seen.map((one) => [one.number, Math.round(one.seconds * 100) / 100])).toEqual([
      [0, 0],
      [2, 1],
      [3, 3],
      [4, 4],
    ]);
    expect(encoded.seen.map((one) => one.number)).toEqual([0, 2, 3, 4]);
  });

  it('sound that begins late', async () => {
    const source = makeNumbered(at('late.mp4'), {
      count: 250,
      codec: x264('-g', '50'),
      flashEvery: 25,
      soundDelay: 0.8,
    });
    await cut(source, at('late-a.mp4'), [
      { startSeconds: 0, endSeconds: 2 },
      { startSeconds: 4, endSeconds: 6 },
    ]);
    await cut(source, at('late-b.mp4'), [{ startSeconds: 1, endSeconds: 2 }]);
    const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);
    const [two, one] = watch(at('late-a.mp4'), at('late-b.mp4'));
    expect(two.seen.map(({ number }) => number)).toEqual([...numbers(0, 50), ...numbers(100, 150)]);
    expect(one.seen.map(({ number }) => number)).toEqual(numbers(25, 50));
  });
});

describe('in step with the sound', () => {
  // What shifts at each cut shows at the end of many.
  const cuts = rounds(30, 100);
  it.each([
    ['sync.mp4', '25', 'encode'],
    ['sync-c.mp4', '30000/1001', 'copy'],
    ['sync.mkv', '25', 'copy'],
    ['sync.avi', '25', 'grid'],
  ])(`%s at %s over ${cuts} cuts`, async (file, rate, how) => {
    const avi = how === 'grid';
    const source = makeNumbered(at(file), {
      count: 30 * cuts,
      rate,
      flashEvery: 12,
      codec: avi ? ['-c:v', 'mpeg4', '-q:v', '3', '-bf', '0'] : x264('-g', '40'),
      ...(avi ? { audio: ['-c:a', 'pcm_s16le'] } : {}),
    });
    let state = 7;
    const random = (): number => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
    const each = 30 / rateOf(rate);
    const keeps = Array.from({ length: cuts }, (_, n) => ({
      startSeconds: n * each + random() * 0.1,
      endSeconds: (n + 0.75) * each + random() * 0.15,
    }));
    await cut(source, at(`cut-${file}`), keeps, { encodeAll: how === 'encode' });
    const frame = 1 / rateOf(rate);
    const sound = decodeByFfmpeg(at(`cut-${file}`));
    const plane = sound.planes[0] as Float32Array;
    const clicks: number[] = [];
    for (let n = 1; n < plane.length; n += 1)
      if (Math.abs(plane[n] as number) > 0.3 && n / sound.rate - (clicks.at(-1) ?? -1) > 0.1)
        clicks.push(n / sound.rate);
    const flashes = seenIn(at(`cut-${file}`))
      .filter((one) => one.flash)
      .map((one) => one.seconds);
    expect(clicks.length).toBeGreaterThan(cuts);
    // Each flash that is whole in a keep has its click within a frame; clicks cut in two may lack a flash.
    const signed = flashes.map((flash) =>
      clicks.map((click) => click - flash).reduce((best, one) => (Math.abs(one) < Math.abs(best) ? one : best)),
    );
    const middle = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;
    // MP3 in AVI has no place to write its delay down: 1105 samples at least, the same throughout.
    const delay = avi ? middle(signed) : 0;
    expect(delay).toBeLessThan(0.06);
    const apart = signed.map((one) => Math.abs(one - delay));
    const matched = apart.filter((one) => one < frame).length;
    expect(matched / flashes.length).toBeGreaterThan(0.97);
    // No drift: as good in the last tenth as in the first.
    const tenth = Math.floor(apart.length / 10);
    expect(Math.abs(middle(apart.slice(-tenth)) - middle(apart.slice(0, tenth)))).toBeLessThan(frame / 2);
  });
});

describe('refusals', () => {
  it('stops at the signal, leaves nothing open', async () => {
    const source = makeNumbered(at('stop.mp4'), { count: 100, codec: x264() });
    const stopped = AbortSignal.abort();
    await expect(cut(source, at('stop-cut.mp4'), usual, { signal: stopped })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(() => throwIfAborted(stopped)).toThrow();
    const controller = new AbortController();
    const { format } = readAll(source);
    const sink: VideoEdit = await openVideoEdit(at('stop-b.mp4'), probe(source), format, {
      keeps: [{ startSeconds: 0, endSeconds: 4 }],
      mapTime: (seconds) => seconds,
      signal: controller.signal,
    });
    controller.abort();
    expect(() => sink.write({ planes: [new Float32Array(48_000)], frames: 48_000 })).toThrow('aborted');
    sink.close();
    sink.close();
  });

  it('says what it wants', async () => {
    const source = makeNumbered(at('refused.mp4'), { count: 50, codec: x264() });
    const format = { sampleRate: 48_000, channels: 1, layout: 'mono' };
    const mapTime = (seconds: number): number => seconds;
    const overlapping = await thrownBy(() =>
      openVideoEdit(at('x.mp4'), probe(source), format, {
        keeps: [
          { startSeconds: 1, endSeconds: 2 },
          { startSeconds: 1.5, endSeconds: 3 },
        ],
        mapTime,
      }),
    );
    expect(overlapping.code).toBe('bad_request');
    const noVideo = await thrownBy(() =>
      openVideoEdit(at('x.mp4'), probe(`${source}.wav`), format, { keeps: [], mapTime }),
    );
    expect(noVideo.code).toBe('bad_request');
    const nowhere = await thrownBy(() =>
      openVideoEdit(at('none/x.mp4'), probe(source), format, { keeps: [{ startSeconds: 0, endSeconds: 1 }], mapTime }),
    );
    expect(nowhere.code).toBe('bad_request');
  });
});
