// What we write, read back by our decoder and by ffmpeg's.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openEncoder } from '../../../src/library/media/write/encode.ts';
import { outputFormatIds, type OutputFormatId } from '../../../src/library/media/formats.ts';
import {
  decodeByFfmpeg,
  ffprobe,
  hasFfmpeg,
  needFfmpeg,
  readAll,
  scratch,
  thrownBy,
  writeAll,
  type WriteOptions,
} from '../../fixtures/media/media.ts';
import { quantised, writeWav } from '../../fixtures/media/pcm-files.ts';
import { difference, lagOf, make, maxAbs, noise, rms, tone, toneLevelDb, voice } from '../../fixtures/media/signals.ts';
import { eachOf, slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 44_100;
const frames = 2 * rate + 1234;
const stereo = [voice(frames, rate, 1), voice(frames, rate, 2)];
const full = [noise(frames, 3, 1), noise(frames, 4, 1)];

describe('lossless round trips, bit for bit', () => {
  const cases: [WriteOptions, 's16' | 's24' | 'f32'][] = [
    [{ format: 'wav' }, 's16'],
    [{ format: 'wav', bitDepth: '24' }, 's24'],
    [{ format: 'wav', bitDepth: '32f' }, 'f32'],
    [{ format: 'flac' }, 's16'],
    [{ format: 'flac', bitDepth: '24' }, 's24'],
    [{ format: 'aiff' }, 's16'],
    [{ format: 'aiff', bitDepth: '24' }, 's24'],
  ];
  it.each(cases)('%o', slow, (options, kind) => {
    const exact = full.map((plane) => plane.map((x) => quantised(x, kind)));
    const { path, warnings } = writeAll(at(`exact.${options.format}`), exact, rate, options);
    expect(warnings).toEqual([]);
    const own = readAll(path);
    expect(own.frames).toBe(frames);
    expect(own.warnings).toEqual([]);
    for (const [c, plane] of own.planes.entries()) expect(difference(plane, exact[c]!)).toBe(0);
    if (hasFfmpeg)
      for (const [c, plane] of decodeByFfmpeg(path).planes.entries()) expect(difference(plane, exact[c]!)).toBe(0);
  });

  it('samples over full scale clip in integers and stay in floats', () => {
    const loud = make(1000, (i) => (i - 500) / 250);
    expect(
      difference(
        readAll(writeAll(at('over.wav'), [loud], rate, { format: 'wav', bitDepth: '32f' }).path).planes[0]!,
        loud,
      ),
    ).toBe(0);
    const clipped = readAll(writeAll(at('clip.wav'), [loud], rate, { format: 'wav' }).path).planes[0]!;
    expect(
      difference(
        clipped,
        loud.map((x) => quantised(x, 's16')),
      ),
    ).toBe(0);
  });
});

describe('broken samples', () => {
  const broken = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e30];
  const planes = stereo.map((plane, c) =>
    plane.map((x, i) => (i % 5000 === 77 * (c + 1) ? (broken[(i / 5000) & 3] as number) : x)),
  );
  const mended = planes.map((plane) => plane.map((x) => (Math.abs(x) < 2 ? x : 0)));

  it.each(outputFormatIds)('%s: silence in their place, the sound around them as it was, and a warning', (format) => {
    const { path, warnings } = writeAll(at(`broken.${format}`), planes, rate, { format });
    expect(warnings.filter(({ code }) => code === 'broken_samples')).toHaveLength(1);
    const wanted = writeAll(at(`mended.${format}`), mended, rate, { format });
    expect(wanted.warnings.map(({ code }) => code)).not.toContain('broken_samples');
    expect(readAll(path).planes).toEqual(readAll(wanted.path).planes);
    expect(maxAbs(readAll(path).planes[0]!)).toBeGreaterThan(0.1);
  });

  it('wma takes what is over full scale, and says which bit rate cannot hold it', async () => {
    const over = [noise(rate, 6, 4)];
    const { path, warnings } = writeAll(at('over.wma'), over, rate, { format: 'wma', bitrateKbps: 128 });
    expect(warnings.map(({ code }) => code)).toEqual(['over_full_scale']);
    expect(maxAbs(readAll(path).planes[0]!)).toBeGreaterThan(0.5);
    expect(await thrownBy(() => writeAll(path, over, rate, { format: 'wma', bitrateKbps: 32 }))).toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('at 32 kbit/s'),
    });
  });

  // LAME said "Internal bug, should not have happened", and the AAC encoder never ended.
  it.each(outputFormatIds)('%s takes samples of any magnitude', (format) => {
    for (const magnitude of [1.5e3, 9e4, 9e5, 3e38, Number.POSITIVE_INFINITY]) {
      const loud = noise(rate, 5, 1).map((sample, i) => (i % 3 === 0 ? Math.sign(sample) * magnitude : sample));
      const beyond = writeAll(at(`beyond.${format}`), [loud, stereo[0]!.subarray(0, rate)], rate, { format });
      expect(beyond.warnings.map(({ code }) => code)).toContain('broken_samples');
      const { planes } = readAll(beyond.path);
      expect(planes.every((plane) => Number.isFinite(maxAbs(plane)))).toBe(true);
      expect(maxAbs(planes[0]!)).toBeGreaterThan(0.5);
    }
  });

  it.each(['wav', 'aiff'] as const)(
    'float %s has silence in their place, and holds all others bit for bit',
    (format) => {
      const { path, warnings } = writeAll(at(`broken-f32.${format}`), planes, rate, { format, bitDepth: '32f' });
      expect(warnings.map(({ code }) => code)).toEqual(['broken_samples']);
      expect(readAll(path).planes).toEqual(mended);
    },
  );
});

describe('lossy round trips', () => {
  /** Delay and padding are written down in these, so that length and place are exact in any decoder that reads them. */
  it.each(['mp3', 'm4a', 'ogg', 'opus', 'aac', 'wma'] as OutputFormatId[])('%s: length and place', slow, (format) => {
    const [hz, source] =
      format === 'opus' ? [48_000, [voice(99_876, 48_000, 1), voice(99_876, 48_000, 2)]] : [rate, stereo];
    const { path, format: written } = writeAll(at(`lossy.${format}`), source, hz, { format });
    expect(written.sampleRate).toBe(hz);
    const length = source[0]!.length;
    const own = readAll(path);
    // ADTS and ASF have no place for delay and padding: there the sound starts a codec frame late and ends at a frame.
    const bare = format === 'aac' || format === 'wma';
    if (bare) expect(Math.abs(own.frames - length)).toBeLessThanOrEqual(2 * 2048);
    else expect(own.frames).toBe(length);
    const delay = format === 'aac' ? 1024 : 0;
    if (format !== 'wma') for (const [c, plane] of own.planes.entries()) expect(lagOf(source[c]!, plane)).toBe(delay);
    expect(
      rms(make(length - 5000, (i) => (own.planes[0]![i + delay] ?? 0) - source[0]![i]!)) / rms(source[0]!),
    ).toBeLessThan(format === 'wma' ? 2 : 0.12);
    if (!hasFfmpeg || bare) return;
    const other = decodeByFfmpeg(path);
    expect(other.rate).toBe(hz);
    expect(lagOf(source[0]!, other.planes[0]!)).toBe(0);
    // ffmpeg 5.1 keeps the padding of an MP4's last frame.
    const surplus = other.planes[0]!.length - length;
    expect(surplus).toBeGreaterThanOrEqual(0);
    expect(surplus).toBeLessThanOrEqual(format === 'm4a' ? 1024 : 0);
  });

  it.each([1, 100, 1151, 1152, 1153, 4096, 44_100, 50_001])('%i frames come back as many', (length) => {
    for (const format of ['mp3', 'm4a', 'ogg', 'opus', 'flac', 'wav', 'aiff'] as const) {
      const hz = format === 'opus' ? 48_000 : rate;
      const got = readAll(writeAll(at(`length.${format}`), [voice(length, hz)], hz, { format }).path).frames;
      // Two limits of FFmpeg's own: LAME's tag cannot say that a last frame has under 47 samples, and an Ogg Vorbis
      // file of one page is read with its first block counted or not.
      const slack =
        format === 'mp3' && length % 1152 > 0 && length % 1152 < 47
          ? 46
          : format === 'ogg' && length < 30_000
            ? 128
            : 0;
      expect(Math.abs(got - length), `${format}: ${got}`).toBeLessThanOrEqual(slack);
    }
  });

  it('block size changes nothing', () => {
    for (const format of outputFormatIds) {
      const one = readFileSync(writeAll(at(`one.${format}`), stereo, rate, { format }, 44_100).path);
      const many = readFileSync(writeAll(at(`many.${format}`), stereo, rate, { format }, 777).path);
      expect(one.equals(many), format).toBe(true);
    }
  });

  it('two encodes are the same bytes', slow, () => {
    for (const format of outputFormatIds) {
      const options = { format, tags: { title: 'x' } };
      expect(
        readFileSync(writeAll(at(`twice1.${format}`), stereo, rate, options).path).equals(
          readFileSync(writeAll(at(`twice2.${format}`), stereo, rate, options).path),
        ),
        format,
      ).toBe(true);
    }
  });
});

describe('dither', () => {
  const lsb = 2 ** -15;
  const quiet = tone(5 * rate, rate, 997, -70);
  const errorOf = (dither: boolean): Float32Array => {
    const back = readAll(writeAll(at('dither.wav'), [quiet], rate, { format: 'wav', dither }).path).planes[0]!;
    return make(quiet.length, (i) => (back[i]! - quiet[i]!) / lsb);
  };

  it('TPDF: error power 3/12 LSB², no offset, no harmonics', () => {
    const error = errorOf(true);
    const mean = error.reduce((sum, x) => sum + x, 0) / error.length;
    const variance = error.reduce((sum, x) => sum + (x - mean) ** 2, 0) / error.length;
    expect(Math.abs(mean)).toBeLessThan(0.01);
    expect(variance).toBeGreaterThan(0.25 * 0.95);
    expect(variance).toBeLessThan(0.25 * 1.05);
    const odd = error.reduce((sum, x, i) => sum + x * Math.sin((2 * Math.PI * 997 * 3 * i) / rate), 0) / error.length;
    expect(Math.abs(odd)).toBeLessThan(0.01);
    // A tone far below one step is still there.
    const whisper = readAll(
      writeAll(at('whisper.wav'), [tone(10 * rate, rate, 997, -105)], rate, { format: 'wav', dither: true }).path,
    ).planes[0]!;
    expect(Math.abs(toneLevelDb(whisper, rate, 997) + 105)).toBeLessThan(0.7);
  });

  it('none unless asked for: plain rounding', () => {
    const error = errorOf(false);
    expect(maxAbs(error)).toBeLessThanOrEqual(0.5 + 1e-3);
    const silence = readAll(writeAll(at('silence.wav'), [new Float32Array(1000)], rate, { format: 'wav' }).path)
      .planes[0]!;
    expect(silence.every((x) => x === 0)).toBe(true);
  });

  it('leaves digital silence digital, and the sound around it as it was', () => {
    const sound = tone(rate, rate, 997, -40);
    // What a network leaves of silence, far under a step of 16 bits.
    const residue = tone(rate, rate, 3000, -130);
    const both = Float32Array.from({ length: 4 * rate }, (_, frame) =>
      frame < rate ? (sound[frame] ?? 0) : frame < 3 * rate ? 0 : (residue[frame - 3 * rate] ?? 0),
    );
    for (const format of ['wav', 'flac'] as const) {
      const path = writeAll(at(`silence.${format}`), [both, both], rate, { format, dither: true }).path;
      const [left, right] = decodeByFfmpeg(path).planes;
      for (const plane of [left, right]) {
        expect(plane?.subarray(rate).findIndex((sample) => sample !== 0)).toBe(-1);
        expect(
          plane?.subarray(0, rate).every((sample, frame) => Math.abs(sample - (sound[frame] ?? 0)) < 2 ** -14),
        ).toBe(true);
        expect(plane?.length).toBe(4 * rate);
      }
    }
  });

  it('no dither to 24 bits', () => {
    const exact = full.map((plane) => plane.map((x) => quantised(x, 's24')));
    const back = readAll(writeAll(at('d24.wav'), exact, rate, { format: 'wav', bitDepth: '24', dither: true }).path);
    expect(difference(back.planes[0]!, exact[0]!)).toBe(0);
  });
});

describe('bit rates, sample rates and channels that a codec cannot do', () => {
  it.each(['mp3', 'm4a', 'ogg', 'opus', 'aac'] as const)('%s at 16 and 320 kbit/s', slow, (format) => {
    for (const hz of [8000, 22_050, 48_000]) {
      for (const channels of [1, 2]) {
        for (const kbps of [16, 320]) {
          const what = `${format} ${hz} Hz, ${channels} channels, ${kbps} kbit/s`;
          const source = Array.from({ length: channels }, (_, n) => voice(hz * 2, hz, n));
          const {
            path,
            warnings,
            bitrateKbps,
            format: written,
          } = writeAll(at(`rate.${format}`), source, hz, { format, bitrateKbps: kbps });
          const codes = warnings.map((one) => one.code);
          expect(codes.includes('bitrate_changed'), what).toBe(bitrateKbps !== kbps);
          expect(codes.includes('sample_rate_changed'), what).toBe(written.sampleRate !== hz);
          const sound = readAll(path);
          // Opus always decodes at 48 kHz.
          expect(sound.format, what).toEqual(format === 'opus' ? { ...written, sampleRate: 48_000 } : written);
          expect(Math.abs(sound.frames / sound.format.sampleRate - 2), what).toBeLessThan(
            format === 'aac' ? 0.3 : 0.001,
          );
          // What the warning says is true: a constant rate codec keeps to it.
          if (format === 'mp3')
            expect(Math.abs((sound.facts.audio?.bitRateBps ?? 0) / 1000 - (bitrateKbps ?? 0)), what).toBeLessThan(2);
        }
      }
    }
  });

  it('the bit rate asked for is the one in the file', slow, () => {
    const [hz, seconds] = [48_000, 3];
    const noisy = [noise(hz * seconds, 1), noise(hz * seconds, 2)];
    for (const kbps of [32, 64, 128, 192, 320]) {
      for (const format of ['mp3', 'm4a', 'opus'] as const) {
        const { path, warnings } = writeAll(at(`kbps.${format}`), noisy, hz, { format, bitrateKbps: kbps });
        expect(warnings).toEqual([]);
        const actual = (readFileSync(path).length * 8) / seconds / 1000;
        expect(actual / kbps, `${format} ${kbps}`).toBeGreaterThan(0.75);
        expect(actual / kbps, `${format} ${kbps}`).toBeLessThan(1.25);
      }
    }
  });

  eachOf(outputFormatIds.map((format) => [format]))('odd rates in %s', (format) => {
    for (const hz of [7000, 11_025, 96_000, 192_000]) {
      const level = -6;
      const {
        path,
        warnings,
        format: written,
      } = writeAll(at(`odd.${format}`), [tone(2 * hz, hz, 440, level)], hz, { format });
      const sound = readAll(path);
      expect(sound.format.sampleRate, `${hz}`).toBe(format === 'opus' ? 48_000 : written.sampleRate);
      expect(
        warnings.some((one) => one.code === 'sample_rate_changed'),
        `${hz}`,
      ).toBe(written.sampleRate !== hz);
      expect(Math.abs(sound.frames / sound.format.sampleRate - 2), `${hz}`).toBeLessThan(
        ['aac', 'wma'].includes(format) ? 0.5 : 0.0003,
      );
      const middle = sound.planes[0]!.subarray(Math.floor(sound.frames * 0.3), Math.floor(sound.frames * 0.8));
      expect(Math.abs(toneLevelDb(middle, sound.format.sampleRate, 440) - level), `${hz}`).toBeLessThan(0.5);
    }
  });

  it.each(outputFormatIds.map((format) => [format]))('5.1 in %s', (format) => {
    const hz = 48_000;
    // A tone of its own in each channel tells where each has gone.
    const six = Array.from({ length: 6 }, (_, n) => tone(hz, hz, n === 3 ? 60 : 300 * (n + 1), -12));
    const { path, warnings, format: written } = writeAll(at(`six.${format}`), six, hz, { format }, 10_000, '5.1');
    const sound = readAll(path);
    const narrow = format === 'mp3' || format === 'wma';
    expect(warnings.map((one) => one.code)).toEqual(narrow ? ['channels_reduced'] : []);
    expect(sound.format.channels).toBe(narrow ? 2 : 6);
    expect(written.channels).toBe(sound.format.channels);
    const heard = (plane: number, hertz: number): number =>
      toneLevelDb(sound.planes[plane]!.subarray(hz / 4, (hz * 3) / 4), hz, hertz);
    if (narrow) {
      for (const [plane, hertz, share] of [
        [0, 300, 0],
        [1, 600, 0],
        [0, 900, -3.01],
        [1, 900, -3.01],
        [0, 1500, -3.01],
        [1, 1800, -3.01],
      ] as const) {
        expect(Math.abs(heard(plane, hertz) - (-12 + share))).toBeLessThan(0.6);
      }
      return;
    }
    for (const [n, hertz] of [300, 600, 900, 60, 1500, 1800].entries())
      expect(Math.abs(heard(n, hertz) + 12), `channel ${n}`).toBeLessThan(n === 3 ? 2 : 0.8);
    if (hasFfmpeg && format !== 'aiff') expect(ffprobe(path).streams[0]?.channel_layout).toMatch(/^5\.1/);
  });
});

describe('edges', () => {
  it.each(outputFormatIds.map((format) => [format]))(
    'no sound at all as %s: a file or an error of ours, never a crash',
    async (format) => {
      const outcome = await Promise.resolve()
        .then(() => writeAll(at(`none.${format}`), [new Float32Array(0)], rate, { format }))
        .then(
          () => 'written',
          (error: { code?: string }) => error.code,
        );
      expect(outcome).toBe('written');
      const error = await thrownBy(() => readAll(at(`none.${format}`)));
      expect(['file_invalid', 'unsupported_format', 'no_audio']).toContain(error.code);
    },
  );

  it.each(outputFormatIds)('%s of a few samples, at rates that it cannot hold, too', (format) => {
    for (const length of [1, 3, 40])
      for (const sampleRate of [44_100, 192_000]) {
        const path = at(`few-${length}-${sampleRate}.${format}`);
        writeAll(path, [new Float32Array(length).fill(0.5)], sampleRate, { format });
        expect(readAll(path).frames, `${length} at ${sampleRate}`).toBeGreaterThanOrEqual(1);
      }
  });

  it('a path that cannot be written', async () => {
    const shape = { sampleRate: rate, channels: 1, layout: 'mono' };
    for (const path of [at('no/such/folder/x.wav'), at('.'), '/proc/x.wav']) {
      expect((await thrownBy(() => openEncoder(path, shape, { format: 'wav' }))).code, path).toBe('bad_request');
    }
  });

  it('a sink that is closed early, or twice, does no harm', () => {
    const sink = openEncoder(at('early.m4a'), { sampleRate: rate, channels: 1, layout: 'mono' }, { format: 'm4a' });
    sink.write({ planes: [voice(5000, rate)], frames: 5000 });
    sink.close();
    sink.close();
    const done = writeAll(at('late.m4a'), [voice(5000, rate)], rate, { format: 'm4a' });
    expect(readAll(done.path).frames).toBe(5000);
  });

  it('sampleRate and channels of the options', () => {
    const { path, format } = writeAll(at('shape.flac'), stereo, rate, {
      format: 'flac',
      sampleRate: 16_000,
      channels: 1,
    });
    expect(format).toEqual({ sampleRate: 16_000, channels: 1, layout: 'mono' });
    expect(readAll(path).format).toEqual(format);
  });

  it('an odd number of mono bytes: the chunk is padded, the length exact', (context) => {
    needFfmpeg(context);
    const path = writeAll(at('odd.wav'), [noise(1001, 5)], rate, { format: 'wav', bitDepth: '24' }).path;
    expect(readFileSync(path).length % 2).toBe(0);
    expect(decodeByFfmpeg(path).planes[0]!.length).toBe(1001);
    expect(readAll(writeWav(at('u8.wav'), [noise(1001, 5)], rate, 'u8')).frames).toBe(1001);
  });
});
