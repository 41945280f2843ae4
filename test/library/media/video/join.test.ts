// @module-tag slow
// Every picture of a joined video is read back by its number; clicks and flashes must stay together in every part.
import { writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { ffmpeg, ffprobe, needFfmpeg, scratch, thrownBy } from '../../../fixtures/media/media.ts';
import { expectedJoin, join, clicksIn, payloadHashes, type Joined } from './joining.ts';
import { makeAllNumbered, makeNumbered, type NumberedOptions } from './numbered.ts';
import { seenIn, watch, type Seen, type Watched } from './watch.ts';

const at = scratch();
const x264 = (...more: string[]): string[] => ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '25', ...more];
/** One thread: several of VP8 wait for each other spinning. */
const vpx = (codec: string): string[] => [
  '-c:v',
  codec,
  '-g',
  '25',
  '-deadline',
  'realtime',
  '-threads',
  '1',
  '-cpu-used',
  '8',
  '-b:v',
  '500k',
];

beforeEach((context) => needFfmpeg(context));

/** Numbers exactly; times but for one shift of all (container clocks begin where the sound's priming begins). */
function hold(seen: readonly Seen[], wanted: readonly { number: number; seconds: number }[], off: number): void {
  expect(seen.map((one) => one.number)).toEqual(wanted.map((one) => one.number));
  const shifts = seen.map((one, n) => one.seconds - (wanted[n] as { seconds: number }).seconds);
  expect(Math.max(...shifts) - Math.min(...shifts)).toBeLessThan(2 * off);
}

/** A flash within a frame of every click that has its picture, in the file as players show it. */
function inSync(path: string, seen: readonly Seen[], frame: number, least: number, fromNumber = 0): void {
  const flashes = seen
    .filter((one, n, all) => one.flash && one.number >= fromNumber && all[n - 1]?.flash !== true)
    .map((one) => one.seconds);
  const clicks = clicksIn(path);
  expect(flashes.length).toBeGreaterThanOrEqual(least);
  for (const flash of flashes) expect(Math.min(...clicks.map((click) => Math.abs(click - flash)))).toBeLessThan(frame);
}

/** Every picture of the files is there, at its time, in step with its sound. */
function holdJoined(
  out: string,
  files: readonly string[],
  joined: Joined,
  { off, flashes }: { readonly off: number; readonly flashes: number },
): void {
  const [{ seen }, ...sources] = watch(out, ...files);
  const clocks = sources.map((source) => source.seen);
  hold(seen, expectedJoin(clocks, joined), off);
  inSync(out, seen, 0.04, flashes);
}

interface Case {
  readonly name: string;
  readonly extension: string;
  readonly make: Omit<NumberedOptions, 'count'>;
  readonly off?: number;
}

const alike: readonly Case[] = [
  { name: 'H.264 with B-frames', extension: 'mp4', make: { codec: x264('-bf', '3') } },
  { name: 'H.264 in quicktime', extension: 'mov', make: { codec: x264() } },
  { name: 'H.264 in matroska', extension: 'mkv', make: { codec: x264() }, off: 0.045 },
  { name: 'H.264 in a transport stream', extension: 'ts', make: { codec: x264() }, off: 0.045 },
  {
    name: 'H.264 interlaced',
    extension: 'mp4',
    make: { codec: x264('-flags', '+ildct', '-x264-params', 'interlaced=1') },
  },
  {
    name: 'HEVC',
    extension: 'mp4',
    make: { codec: ['-c:v', 'libx265', '-preset', 'ultrafast', '-g', '25', '-x265-params', 'log-level=none'] },
  },
  { name: 'VP9', extension: 'webm', make: { codec: vpx('libvpx-vp9'), audio: ['-c:a', 'libopus'] }, off: 0.045 },
  { name: 'VP8', extension: 'webm', make: { codec: vpx('libvpx'), audio: ['-c:a', 'libopus'] }, off: 0.045 },
  { name: 'Motion JPEG', extension: 'mov', make: { codec: ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p'] } },
  {
    name: 'Motion JPEG in AVI',
    extension: 'avi',
    make: { codec: ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p'], audio: ['-c:a', 'pcm_s16le'] },
    off: 0.045,
  },
  { name: 'MPEG-4', extension: 'mp4', make: { codec: ['-c:v', 'mpeg4', '-q:v', '3', '-g', '25'] } },
];

describe('files with the same picture parameters', () => {
  it.each(alike)(
    'are copied, packet for packet: $name ($extension)',
    async ({ name, extension, make, off = 0.0002 }) => {
      const key = name.replaceAll(/[^\w]/gu, '');
      const files = makeAllNumbered(
        [60, 50, 75].map((count, n) => ({ path: at(`${key}-${n}.${extension}`), count })),
        { flashEvery: 20, ...make },
      );
      const out = at(`${key}-out.${extension}`);
      const joined = await join(files, out);
      expect(joined.sink.approaches).toEqual(['copy', 'copy', 'copy']);
      expect(joined.sink.pictures()).toEqual({ copied: 185, encoded: 0 });
      expect(joined.sink.warnings).toEqual([]);
      const [hashes, ...sources] = payloadHashes(out, ...files);
      expect(hashes).toEqual(sources.flat());
      holdJoined(out, files, joined, { off, flashes: 8 });
    },
  );

  it('are copied but for the groups at the seams when they overlap; the picture changes in the middle', async () => {
    const files = makeAllNumbered(
      [200, 175, 200].map((count, n) => ({ path: at(`over-${n}.mp4`), count })),
      { flashEvery: 20, codec: x264('-bf', '2') },
    );
    const out = at('over-out.mp4');
    const joined = await join(files, out, 0.5);
    expect(joined.sink.approaches).toEqual(['copy', 'copy', 'copy']);
    const { copied, encoded } = joined.sink.pictures();
    expect(encoded).toBeGreaterThan(0);
    expect(encoded).toBeLessThanOrEqual(4 * 25);
    expect(copied).toBeGreaterThan(400);
    holdJoined(out, files, joined, { off: 0.0002, flashes: 20 });
  });
});

describe('files that differ', () => {
  const first = (name: string): string => makeNumbered(at(name), { count: 60, flashEvery: 20, codec: x264() });

  it('come to the first one’s size and keep their own times; copies stay copies', async () => {
    const files = [
      first('a.mp4'),
      makeNumbered(at('b.mkv'), {
        count: 70,
        rate: '30000/1001',
        flashEvery: 20,
        codec: ['-c:v', 'mpeg4', '-q:v', '2'],
        filter: 'scale=320:192',
      }),
      first('c.mp4'),
      makeNumbered(at('d.webm'), {
        count: 50,
        rate: '15',
        flashEvery: 10,
        codec: vpx('libvpx-vp9'),
        audio: ['-c:a', 'libopus'],
        filter: 'scale=640:384',
      }),
      makeNumbered(at('e.avi'), {
        count: 50,
        flashEvery: 10,
        codec: ['-c:v', 'mjpeg', '-q:v', '2', '-pix_fmt', 'yuvj422p'],
        audio: ['-c:a', 'pcm_s16le'],
      }),
    ];
    const out = at('mixed.mp4');
    const joined = await join(files, out);
    expect(joined.sink.approaches).toEqual(['copy', 'encode', 'copy', 'encode', 'encode']);
    expect(joined.sink.pictures()).toEqual({ copied: 120, encoded: 170 });
    expect(joined.sink.warnings.map((one) => one.code)).toEqual(['picture_reencoded']);
    const seen = watch(out)[0].seen;
    expect(seen.map((one) => one.number)).toEqual(
      [60, 70, 60, 50, 50].flatMap((count) => Array.from({ length: count }, (_, n) => n)),
    );
    const steps = (from: number, count: number): number[] =>
      seen.slice(from + 1, from + count - 1).map((one, n) => one.seconds - (seen[from + n] as Seen).seconds);
    for (const step of steps(62, 64)) expect(Math.abs(step - 1001 / 30_000)).toBeLessThan(0.0015);
    for (const step of steps(192, 46)) expect(Math.abs(step - 1 / 15)).toBeLessThan(0.0015);
    inSync(out, seen, 0.034, 18);
  });

  /** Made once; what their pictures and sounds say is read once, too. */
  let everyKind: Readonly<Record<string, string>> | undefined;
  let clocks: Readonly<Record<string, readonly Seen[]>> | undefined;

  function makeEveryKind(): Readonly<Record<string, string>> {
    return {
      mp4: first('o.mp4'),
      mpg: makeNumbered(at('o.mpg'), {
        count: 60,
        flashEvery: 20,
        codec: ['-c:v', 'mpeg2video', '-q:v', '3'],
        audio: ['-c:a', 'mp2'],
      }),
      webm: makeNumbered(at('o.webm'), { count: 60, flashEvery: 20, codec: vpx('libvpx'), audio: ['-c:a', 'libopus'] }),
      avi: makeNumbered(at('o.avi'), {
        count: 60,
        flashEvery: 20,
        codec: ['-c:v', 'mpeg4', '-q:v', '3'],
        audio: ['-c:a', 'libmp3lame'],
      }),
      wmv: makeNumbered(at('o.wmv'), {
        count: 60,
        flashEvery: 20,
        codec: ['-c:v', 'wmv2', '-q:v', '3'],
        audio: ['-c:a', 'wmav2'],
      }),
      ts: makeNumbered(at('o.ts'), { count: 60, flashEvery: 20, codec: x264() }),
      mov: makeNumbered(at('o.mov'), {
        count: 60,
        flashEvery: 20,
        codec: ['-c:v', 'prores_ks', '-pix_fmt', 'yuv422p10le'],
      }),
      mkv: makeNumbered(at('o.mkv'), { count: 60, flashEvery: 20, codec: x264('-pix_fmt', 'yuv420p10le') }),
    };
  }

  it.each([0, 0.3])('work in every order and container, overlapping by %d s', async (overlap) => {
    const files = (everyKind ??= makeEveryKind());
    const extensions = Object.keys(files);
    clocks ??= Object.fromEntries(watch(...Object.values(files)).map(({ seen }, n) => [extensions[n] as string, seen]));
    const orders: { extension: string; out: string; wanted: ReturnType<typeof expectedJoin> }[] = [];
    for (const [n, extension] of extensions.entries()) {
      const chosen = [
        extension,
        extensions[(n + 1) % extensions.length] as string,
        extensions[(n + 3) % extensions.length] as string,
      ];
      const out = at(`order-${n}.${extension}`);
      const joined = await join(
        chosen.map((one) => files[one] as string),
        out,
        overlap,
      );
      const wanted = expectedJoin(
        chosen.map((one) => clocks?.[one] as readonly Seen[]),
        joined,
      );
      orders.push({ extension, out, wanted });
    }
    const watched = watch(...orders.map(({ out }) => out));
    for (const [n, { extension, out, wanted }] of orders.entries()) {
      const seen = (watched[n] as Watched).seen;
      // Grids and clocks of a millisecond may move a picture over a cut.
      expect(Math.abs(seen.length - wanted.length), extension).toBeLessThanOrEqual(2);
      expect(
        seen.every((one) => one.number >= 0),
        extension,
      ).toBe(true);
      // MP3 in AVI is late by itself, AVI's pictures stand on a grid, and some encoders swallow a click at the very
      // start.
      // Where a start code lies across two packs of a programme stream, ffmpeg takes the time for the next picture's.
      const most = extension === 'mpg' ? 0.13 : 0.085;
      inSync(out, seen, most, 5, 1);
      const flashes = seen.filter((one) => one.flash).map((one) => one.seconds);
      const off = wanted
        .filter((one) => one.number % 20 === 0)
        .map(
          (one) =>
            flashes.map((flash) => flash - one.seconds).toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] as number,
        );
      expect(Math.max(...off) - Math.min(...off), extension).toBeLessThan(
        extension === 'avi' || extension === 'mpg' ? most : 0.045,
      );
    }
  });

  it('keep their shape: bars fill what is left of the first one’s size', async () => {
    const wide = makeNumbered(at('wide.mp4'), { count: 30, codec: x264(), filter: 'scale=320:96,setsar=1' });
    const out = at('bars.mp4');
    const joined = await join([first('bars-a.mp4'), wide], out);
    expect(joined.sink.approaches).toEqual(['copy', 'encode']);
    const inner = at('inner.mkv');
    ffmpeg(
      '-i',
      out,
      '-map',
      '0:v',
      '-vf',
      "select='gte(n,60)',crop=160:48:0:24,scale=160:96",
      '-fps_mode',
      'passthrough',
      '-c:v',
      'ffv1',
      inner,
    );
    expect(seenIn(inner).map((one) => one.number)).toEqual(Array.from({ length: 30 }, (_, n) => n));
    const bars = ffmpeg(
      '-i',
      out,
      '-map',
      '0:v',
      '-vf',
      "select='gte(n,60)',crop=160:20:0:0",
      '-fps_mode',
      'passthrough',
      '-pix_fmt',
      'gray',
      '-f',
      'rawvideo',
      '-',
    );
    expect(bars.length).toBe(30 * 160 * 20);
    expect(Math.max(...bars.subarray(0, 160 * 20))).toBeLessThan(24);
  });

  it('honours oblong pixels', async () => {
    // Half as wide in pixels, each twice as wide: fills the first one's picture.
    const narrow = makeNumbered(at('narrow.mp4'), { count: 30, codec: x264(), filter: 'scale=80:96,setsar=2' });
    const out = at('oblong.mp4');
    await join([first('oblong-a.mp4'), narrow], out);
    expect(seenIn(out).map((one) => one.number)).toEqual([
      ...Array.from({ length: 60 }, (_, n) => n),
      ...Array.from({ length: 30 }, (_, n) => n),
    ]);
  });

  it.each([90, 180, 270])('are turned as the first one is (%d degrees)', async (degrees) => {
    const upright = first(`up-${degrees}.mp4`);
    const stored = makeNumbered(at(`stored-${degrees}.mp4`), {
      count: 30,
      codec: x264(),
      filter: { 90: 'transpose=clock', 180: 'hflip,vflip', 270: 'transpose=cclock' }[degrees] ?? '',
    });
    const turned = at(`turned-${degrees}.mp4`);
    // FFmpeg 5 counts this anticlockwise.
    ffmpeg('-i', stored, '-c', 'copy', '-metadata:s:v:0', `rotate=${degrees}`, turned);
    for (const [n, files] of [
      [upright, turned],
      [turned, upright],
    ].entries()) {
      const out = at(`turn-${degrees}-${n}.mp4`);
      await join(files, out);
      const shown = at(`shown-${degrees}-${n}.mkv`);
      ffmpeg('-i', out, '-map', '0:v', '-fps_mode', 'passthrough', '-c:v', 'ffv1', shown);
      const counts = n === 0 ? [60, 30] : [30, 60];
      expect(seenIn(shown).map((one) => one.number)).toEqual(
        counts.flatMap((count) => Array.from({ length: count }, (_, number) => number)),
      );
    }
  });
});

describe('picture and sound of different length', () => {
  const make = (name: string, ...output: string[]): string =>
    makeNumbered(at(name), { count: 75, flashEvery: 20, codec: x264('-bf', '2'), output });

  it('cuts a picture that goes on past the join, and lets one that ends early stand', async () => {
    const whole = make('whole.mp4');
    const long = at('long.mp4');
    ffmpeg('-i', whole, '-c:v', 'copy', '-c:a', 'aac', '-af', 'atrim=0:2', long);
    const short = at('short.mp4');
    ffmpeg(
      '-t',
      '2',
      '-i',
      whole,
      '-i',
      whole,
      '-map',
      '0:v',
      '-map',
      '1:a',
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-g',
      '25',
      '-c:a',
      'copy',
      short,
    );
    const out = at('uneven.mp4');
    const joined = await join([long, short, whole], out);
    holdJoined(out, [long, short, whole], joined, { off: 0.0002, flashes: 8 });
  });

  it('presses pictures that hang over by a little inside, without encoding', async () => {
    const files = [0, 1].map((n) =>
      makeNumbered(at(`hang-${n}.mp4`), { count: 60, codec: x264(), flashEvery: 20, soundDelay: 0.03 }),
    );
    const out = at('hang.mp4');
    const joined = await join(files, out);
    expect(joined.sink.pictures()).toEqual({ copied: 120, encoded: 0 });
    expect(seenIn(out).map((one) => one.number)).toEqual([
      ...Array.from({ length: 60 }, (_, n) => n),
      ...Array.from({ length: 60 }, (_, n) => n),
    ]);
  });
});

describe('what goes along', () => {
  it('chapters of all files, moved', async () => {
    const plain = makeNumbered(at('chapters-0.mkv'), { count: 50, codec: x264() });
    writeFileSync(
      at('chapters.txt'),
      ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\n' +
        'START=1000\nEND=2000\ntitle=Two\n',
    );
    const described = at('chapters-1.mkv');
    ffmpeg('-i', plain, '-i', at('chapters.txt'), '-map', '0', '-map_metadata', '1', '-c', 'copy', described);
    const out = at('chapters-out.mkv');
    const { starts } = await join([described, described], out);
    const found = ffprobe(out).chapters.map((chapter) => [chapter.tags?.['title'], Number(chapter.start_time)]);
    expect(found.map(([title]) => title)).toEqual(['One', 'Two', 'One', 'Two']);
    expect(Math.abs((found[3]?.[1] as number) - ((starts[1] as number) + 1))).toBeLessThan(0.03);
  });

  it('tells what is left behind, stops when told, and wants pictures', async () => {
    const video = makeNumbered(at('stop.mp4'), { count: 50, codec: x264() });
    const controller = new AbortController();
    controller.abort();
    await expect(join([video, video], at('stopped.mp4'), 0, { signal: controller.signal })).rejects.toThrow(/aborted/u);
    const sound = at('sound.m4a');
    ffmpeg('-i', video, '-vn', '-c:a', 'copy', sound);
    expect((await thrownBy(() => join([video, sound], at('no-picture.mp4')))).code).toBe('bad_request');
  });
});
