// The first seconds of files: what comes out is read again by us and by ffmpeg, sample by sample.
import { readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { trim, type Trimmed } from '../../../src/library/media/write/trim.ts';
import type { OutputFormatId } from '../../../src/library/media/formats.ts';
import {
  decodeByFfmpeg,
  ffmpeg,
  ffprobe,
  needFfmpeg,
  packetHashes,
  readAll,
  scratch,
  thrownBy,
  writeAll,
} from '../../fixtures/media/media.ts';
import { amrBytes, writeWav } from '../../fixtures/media/pcm-files.ts';
import { difference, seeded, voice } from '../../fixtures/media/signals.ts';
import { makeAvi, makeVideo } from '../../fixtures/media/videos.ts';
import { slow, someOf, tableOptions } from '../../fixtures/rounds.ts';

const path = scratch();
const rate = 44_100;
const window = 3.3;
const planes = [voice(8 * rate, rate, 11), voice(8 * rate, rate, 12)];
const signal = new AbortController().signal;
const cutAt = (source: string, seconds = window): Promise<Trimmed> =>
  trim(source, path(`first-${extname(source).slice(1)}-${Math.round(seconds * 1000)}`), seconds, { signal });

/** The longest packet of each, seconds: so much may come behind the window. */
const packets: Readonly<Record<string, number>> = {
  wav: 0,
  aiff: 0,
  mp3: 1152 / rate,
  m4a: 1024 / rate,
  aac: 1024 / rate,
  flac: 4608 / rate,
  ogg: 2048 / rate,
  opus: 0.02,
  wma: 2048 / rate,
};

describe.each(someOf(Object.entries(packets)))('the first seconds of %s', tableOptions, (format, packetSeconds) => {
  const name = `whole.${format}`;
  let written: string | undefined;
  const source = (): string =>
    (written ??= writeAll(path(name), planes, format === 'opus' ? 48_000 : rate, {
      format: format as OutputFormatId,
      tags: { title: 'A title' },
    }).path);

  it('are the same samples, and at most a packet more of them', async () => {
    const whole = source();
    const cut = await cutAt(whole);
    expect(cut).toMatchObject({ cut: true, path: expect.stringMatching(new RegExp(`\\.${format}$`)) as string });
    const [all, first] = [readAll(whole), readAll(cut.path)];
    const { sampleRate } = all.format;
    const seconds = first.frames / sampleRate;
    expect(first.format).toEqual(all.format);
    expect(first.facts.audio?.codec).toBe(all.facts.audio?.codec);
    expect(seconds).toBeGreaterThanOrEqual(window - 1 / sampleRate);
    // ASF counts milliseconds and holds several frames a packet.
    expect(seconds).toBeLessThanOrEqual(window + packetSeconds + (format === 'wma' ? 0.06 : 1 / sampleRate));
    expect(Math.abs(cut.seconds - seconds)).toBeLessThan(format === 'wma' ? 0.06 : 0.002);
    const compared = Math.floor(window * sampleRate);
    for (const channel of [0, 1])
      expect(
        difference(
          (first.planes[channel] as Float32Array).subarray(0, compared),
          (all.planes[channel] as Float32Array).subarray(0, compared),
        ),
      ).toBe(0);
    expect(first.warnings).toEqual([]);
    if (format !== 'aac') expect(Object.values(first.facts.tags)).toContain('A title');
    expect(Math.abs((first.expectedFrames ?? 0) / sampleRate - seconds)).toBeLessThan(format === 'aac' ? 0.3 : 0.08);
  });

  it('are as long for ffmpeg', async (context) => {
    needFfmpeg(context);
    const cut = await cutAt(source(), 2);
    const decoded = decodeByFfmpeg(cut.path);
    const seconds = (decoded.planes[0]?.length ?? 0) / decoded.rate;
    expect(seconds).toBeGreaterThanOrEqual(2 - (format === 'wma' ? 0.01 : 1e-3));
    // Raw AAC and old ffmpegs know nothing of the encoder's delay.
    expect(seconds).toBeLessThanOrEqual(2 + packetSeconds + (format === 'aac' || format === 'wma' ? 0.08 : 1e-3));
    if (format !== 'aac') expect(Math.abs(Number(ffprobe(cut.path).format.duration) - seconds)).toBeLessThan(0.08);
  });

  it('are the file itself where it is no longer than that', async () => {
    const whole = source();
    const kept = await cutAt(whole, 60);
    expect(kept).toMatchObject({ path: whole, cut: false });
    expect(Math.abs(kept.seconds - readAll(whole).frames / (format === 'opus' ? 48_000 : rate))).toBeLessThan(0.06);
  });
});

describe('uncompressed sound', () => {
  it.each(['u8', 's16', 's24', 's32', 'f32', 'f64'] as const)(
    'of %s keeps its bits and ends at the frame',
    async (kind) => {
      const whole = writeWav(path(`${kind}.wav`), planes, rate, kind);
      const cut = await cutAt(whole, 1.23457);
      const frames = Math.round(1.23457 * rate);
      const bytes = readFileSync(whole);
      const first = readFileSync(cut.path);
      const data = bytes.subarray(44, 44 + (frames * (bytes.length - 44)) / (8 * rate));
      expect(first.includes(data)).toBe(true);
      expect(readAll(cut.path).frames).toBe(frames);
    },
  );
});

describe('what goes along', () => {
  const cover = (): Promise<Buffer> =>
    sharp({ create: { width: 32, height: 32, channels: 3, background: '#c04040' } })
      .jpeg()
      .toBuffer();

  it.for(['mp3', 'm4a', 'flac', 'ogg'] as const)('cover art of %s', async (format, context) => {
    needFfmpeg(context);
    const source = path(`with-cover.${format}`);
    const picture = path('cover.mp3');
    writeFileSync(path('cover.jpg'), await cover());
    writeAll(path('plain.mp3'), planes, rate, { format: 'mp3' });
    ffmpeg(
      '-i',
      path('plain.mp3'),
      '-i',
      path('cover.jpg'),
      '-map',
      '0',
      '-map',
      '1',
      '-c',
      'copy',
      '-disposition:v',
      'attached_pic',
      picture,
    );
    writeAll(source, planes, rate, { format, coverFrom: picture });
    const cut = await cutAt(source);
    expect(cut.cut).toBe(true);
    expect(readAll(cut.path).facts.cover).toMatchObject({ width: 32, height: 32 });
  });

  it('chapters that begin in the window, the last one shortened', async () => {
    const chapters = [
      { startSeconds: 0, endSeconds: 2, title: 'One' },
      { startSeconds: 2, endSeconds: 5, title: 'Two' },
      { startSeconds: 5, endSeconds: 8, title: 'Three' },
    ];
    const { path: source } = writeAll(path('chapters.m4a'), planes, rate, { format: 'm4a', chapters });
    const cut = await cutAt(source);
    expect(readAll(cut.path).facts.chapters.map(({ startSeconds, title }) => [startSeconds, title])).toEqual([
      [0, 'One'],
      [2, 'Two'],
    ]);
  });
});

describe('a video', () => {
  it.for(['mp4', 'mov', 'mkv', 'webm', 'avi', 'ts', 'mpg', 'flv', 'wmv'])(
    'in %s is cut with its picture, whose packets are copied',
    slow,
    async (extension, context) => {
      needFfmpeg(context);
      const source = makeVideo(path(`film.${extension}`), planes, rate);
      const cut = await cutAt(source);
      expect(cut).toMatchObject({ cut: true, path: expect.stringMatching(new RegExp(`\\.${extension}$`)) as string });
      const first = readAll(cut.path);
      expect(first.frames / first.format.sampleRate).toBeGreaterThan(window - 0.08);
      expect(first.frames / first.format.sampleRate).toBeLessThan(window + 0.12);
      const all = readAll(source);
      const compared = Math.floor((window - 0.1) * first.format.sampleRate);
      expect(
        difference(
          (first.planes[0] as Float32Array).subarray(0, compared),
          (all.planes[0] as Float32Array).subarray(0, compared),
        ),
      ).toBe(0);
      const pictures = packetHashes(cut.path, 'v').length;
      expect(pictures).toBeGreaterThanOrEqual(Math.floor(window * 25) - 1);
      expect(pictures).toBeLessThanOrEqual(Math.ceil(window * 25) + 4);
      expect(Number(ffprobe(cut.path).format.duration)).toBeLessThan(window + 0.25);
      const [copied, original] = [packetHashes(cut.path, 'v'), packetHashes(source, 'v')];
      // Some muxers write parameter sets before key pictures; most packets are byte for byte the source's.
      expect(copied.filter((hash) => original.includes(hash)).length).toBeGreaterThan(pictures * 0.9);
    },
  );

  it('made by hand is cut where no ffmpeg is installed, too', async () => {
    const cut = await cutAt(await makeAvi(path('hand.avi'), [voice(4 * 16_000, 16_000)], 16_000), 1.5);
    const first = readAll(cut.path);
    expect(first.frames).toBe(24_000);
    expect(first.facts.video?.durationSeconds).toBeCloseTo(1.52, 1);
  });

  it('keeps all its sound streams and subtitles', slow, async (context) => {
    needFfmpeg(context);
    const film = makeVideo(path('two.mp4'), planes, rate);
    writeFileSync(
      path('two.srt'),
      '1\n00:00:00,500 --> 00:00:02,000\nHello\n\n2\n00:00:05,000 --> 00:00:06,000\nLater\n',
    );
    const source = path('two.mkv');
    ffmpeg(
      '-i',
      film,
      '-i',
      path('two.srt'),
      '-map',
      '0',
      '-map',
      '0:a',
      '-map',
      '1',
      '-c',
      'copy',
      '-c:s',
      'srt',
      source,
    );
    const cut = await cutAt(source);
    expect(ffprobe(cut.path).streams.map(({ codec_type }) => codec_type)).toEqual([
      'video',
      'audio',
      'audio',
      'subtitle',
    ]);
    expect(packetHashes(cut.path, 's')).toHaveLength(1);
  });
});

describe('what cannot be copied', () => {
  it('a sound file in a container that we do not write is encoded again, exact to the frame', async (context) => {
    needFfmpeg(context);
    writeWav(path('whole.wav'), planes, rate);
    ffmpeg('-i', path('whole.wav'), path('whole.wv'));
    const cut = await cutAt(path('whole.wv'));
    expect(cut).toMatchObject({ cut: true, path: expect.stringMatching(/\.flac$/) as string, seconds: window });
    const [all, first] = [readAll(path('whole.wv')), readAll(cut.path)];
    expect(first.frames).toBe(Math.round(window * rate));
    expect(difference(first.planes[1] as Float32Array, (all.planes[1] as Float32Array).subarray(0, first.frames))).toBe(
      0,
    );
    expect(await cutAt(path('whole.wv'), 60)).toMatchObject({ cut: false, path: path('whole.wv') });
  });

  it('AMR is copied', async () => {
    writeFileSync(path('call.amr'), amrBytes(200, seeded(5)));
    const cut = await cutAt(path('call.amr'), 1);
    expect(cut).toMatchObject({ cut: true, seconds: 1 });
    expect(readAll(cut.path).frames).toBe(8000);
  });

  it('what is no medium is refused', async () => {
    writeFileSync(path('text.txt'), 'nothing to hear');
    expect((await thrownBy(() => cutAt(path('text.txt')))).code).toBe('unsupported_format');
  });

  it('an aborted copy stops', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(
      trim(writeWav(path('x.wav'), planes, rate), path('y'), 1, { signal: controller.signal }),
    ).rejects.toMatchObject({ name: 'AbortError' });
  });
});
