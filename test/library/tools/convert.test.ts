// convert_audio: every option, measured in its output.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { convertAudio } from '../../../src/library/tools/convert_audio/tool.ts';
import { probe } from '../../../src/library/media/read/probe.ts';
import {
  decodeByFfmpeg,
  hasFfmpeg,
  needFfmpeg,
  readAll,
  scratch,
  thrownBy,
  writeAll,
} from '../../fixtures/media/media.ts';
import { recording } from '../../fixtures/recordings.ts';
import { quantised, writeWav } from '../../fixtures/media/pcm-files.ts';
import { runTool, type ToolRun } from '../../fixtures/media/run-context.ts';
import { difference, lagOf, make, noise, rms, tone, toneLevelDb, voice } from '../../fixtures/media/signals.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { eachOf, forOf, slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 44_100;
const stereo = [voice(3 * rate, rate, 1), voice(3 * rate, rate, 2)];
const source = writeWav(at('talk.show.wav'), stereo, rate);
const convert = (path: string, options: object = {}): Promise<ToolRun> =>
  runTool(convertAudio, path, options, at('work-'));

describe('formats', () => {
  it("default: mp3 at the input's rate and channels", async () => {
    const run = await convert(source);
    expect(run.outputs).toEqual([
      { path: run.path, filename: 'talk.show.mp3', contentType: 'audio/mpeg', format: 'mp3', durationSeconds: 3 },
    ]);
    expect(run.result).toEqual({ format: 'mp3', sampleRate: rate, channels: 2, bitrateKbps: 192, durationSeconds: 3 });
    expect(run).toMatchObject({ processedSeconds: 3, warnings: [] });
    expect(run.progress.at(-1)).toBe(1);
  });

  const kinds: Record<string, string> = {
    mp3: 'mp3',
    wav: 'pcm_s16le',
    m4a: 'aac',
    flac: 'flac',
    ogg: 'vorbis',
    opus: 'opus',
  };
  eachOf(Object.entries(kinds))('%s', async (format, codec) => {
    const run = await convert(source, { format });
    const sound = readAll(run.path);
    expect(sound.facts).toMatchObject({ format, audio: { codec, channels: 2 } });
    const hz = sound.format.sampleRate;
    expect(hz).toBe(format === 'opus' ? 48_000 : rate);
    expect(sound.frames).toBe(3 * hz);
    if (hz === rate) expect(lagOf(stereo[0]!, sound.planes[0]!)).toBe(0);
    // LAME scales by 0.95 to 0.98, by bit rate, and FFmpeg gives no way to stop it.
    expect(Math.abs(rms(sound.planes[0]!) / rms(stereo[0]!) - 1)).toBeLessThan(format === 'mp3' ? 0.055 : 0.02);
    if (hasFfmpeg) expect(decodeByFfmpeg(run.path).rate).toBe(hz);
  });

  it('16 bits survive wav -> flac -> wav bit for bit', async () => {
    const full = [noise(100_001, 1, 1), noise(100_001, 2, 1)];
    const wav = writeWav(at('bits.wav'), full, rate);
    const back = await convert((await convert(wav, { format: 'flac' })).path, { format: 'wav' });
    for (const [c, plane] of readAll(back.path).planes.entries())
      expect(
        difference(
          plane,
          full[c]!.map((x) => quantised(x, 's16')),
        ),
      ).toBe(0);
    expect(back.warnings).toEqual([]);
  });

  it('24 bits and floats are kept where the format can', async () => {
    const full = [noise(50_000, 3, 1)];
    const deep = writeWav(at('deep.wav'), full, rate, 's24');
    for (const format of ['flac', 'wav']) {
      const sound = readAll((await convert(deep, { format })).path);
      expect(sound.facts.audio?.bitsPerSample).toBe(24);
      expect(
        difference(
          sound.planes[0]!,
          full[0]!.map((x) => quantised(x, 's24')),
        ),
      ).toBe(0);
    }
    const float = writeWav(
      at('float.wav'),
      full.map((plane) => plane.map((x) => 2 * x)),
      rate,
      'f32',
    );
    const kept = readAll((await convert(float, { format: 'wav' })).path);
    expect(
      difference(
        kept.planes[0]!,
        full[0]!.map((x) => 2 * x),
      ),
    ).toBe(0);
  });

  it('eight bits become sixteen without dither', async () => {
    const low = writeWav(at('low.wav'), [noise(20_000, 4, 0.9)], rate, 'u8');
    expect(difference(readAll((await convert(low, { format: 'wav' })).path).planes[0]!, readAll(low).planes[0]!)).toBe(
      0,
    );
  });
});

describe('options', () => {
  eachOf([8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000])('sample_rate %i', async (hz) => {
    const sine = writeWav(at('sine.wav'), [tone(2 * rate, rate, 1000, -6)], rate);
    for (const format of ['wav', 'mp3', 'm4a', 'ogg', 'opus'] as const) {
      const run = await convert(sine, { format, sample_rate: hz });
      const sound = readAll(run.path);
      const written = format === 'opus' ? 48_000 : hz;
      expect(sound.format.sampleRate, format).toBe(written);
      expect(Math.abs(sound.frames - 2 * written), format).toBeLessThanOrEqual(6);
      expect(
        Math.abs(toneLevelDb(sound.planes[0]!.subarray(written / 2, written), written, 1000) + 6),
        format,
      ).toBeLessThan({ wav: 0.05, mp3: 0.5 }[format as string] ?? 0.3);
      // Opus has no 22 050, 32 000 and 44 100: it says what it took instead.
      const changed = format === 'opus' && [22_050, 32_000, 44_100].includes(hz);
      expect(
        run.warnings.some((one) => one.code === 'sample_rate_changed'),
        format,
      ).toBe(changed);
    }
  });

  it('channels mono and stereo', async () => {
    const mono = readAll((await convert(source, { format: 'flac', channels: 'mono' })).path);
    expect(mono.format.channels).toBe(1);
    // The mean of both sides, dithered to 16 bits (three half steps at most).
    const exact = make(
      stereo[0]!.length,
      (i) => (quantised(stereo[0]![i]!, 's16') + quantised(stereo[1]![i]!, 's16')) / 2,
    );
    expect(difference(mono.planes[0]!, exact)).toBeLessThan(1.51 / 32_768);
    const back = readAll(
      (await convert(writeWav(at('mono.wav'), [stereo[0]!], rate), { format: 'wav', channels: 'stereo' })).path,
    );
    expect(back.format.channels).toBe(2);
    expect(difference(back.planes[0]!, back.planes[1]!)).toBeLessThan(3.01 / 32_768);
  });

  eachOf([16, 64, 128, 320])('bitrate_kbps %i', async (kbps) => {
    for (const format of ['mp3', 'm4a', 'ogg', 'opus']) {
      const run = await convert(source, { format, bitrate_kbps: kbps });
      const told = run.result['bitrateKbps'];
      expect(
        run.warnings.some((one) => one.code === 'bitrate_changed'),
        format,
      ).toBe(told !== kbps);
      if (format === 'mp3') expect((await probe(run.path)).audio?.bitRateBps).toBe(Number(told) * 1000);
    }
  });

  it('bad options are refused before anything runs', async () => {
    for (const options of [
      { format: 'exe' },
      { bitrate_kbps: 15 },
      { bitrate_kbps: 321 },
      { bitrate_kbps: 128.5 },
      { sample_rate: 44_000 },
      { channels: '5.1' },
      { format: 'wav', bitrate_kbps: 128 },
      { unknown: 1 },
    ]) {
      expect((await thrownBy(() => convert(source, options))).code, JSON.stringify(options)).toBe('bad_request');
    }
  });
});

describe('inputs', () => {
  forOf(['mp4', 'mkv', 'webm', 'avi', 'ts'])('a %s becomes an mp3 of its sound', async (extension, context) => {
    needFfmpeg(context);
    const film = makeVideo(at(`film.${extension}`), stereo, rate);
    const run = await convert(film);
    const facts = await probe(run.path);
    expect(facts).toMatchObject({ format: 'mp3', hasVideo: false, hasAudio: true });
    expect(run.outputs[0]?.filename).toBe('film.mp3');
    const [before, after] = [readAll(film), readAll(run.path)];
    expect(after.frames).toBe(before.frames);
    expect(lagOf(before.planes[0]!, after.planes[0]!)).toBe(0);
  });

  it('tags go along', slow, async () => {
    const tagged = writeAll(at('tagged.flac'), stereo, rate, {
      format: 'flac',
      tags: { title: 'Hören', artist: 'A', album: 'B' },
    }).path;
    for (const format of ['mp3', 'm4a', 'ogg', 'opus']) {
      const { tags } = await probe((await convert(tagged, { format })).path);
      const lower = Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value]));
      expect(lower, format).toMatchObject({ title: 'Hören', artist: 'A', album: 'B' });
    }
  });

  it('5.1 to mp3 is mixed down and says so', async () => {
    const six = writeWav(
      at('six.wav'),
      Array.from({ length: 6 }, (_, n) => tone(rate, rate, 200 * (n + 1), -12)),
      rate,
    );
    const run = await convert(six);
    expect(run.warnings.map((one) => one.code)).toEqual(['channels_reduced']);
    expect(readAll(run.path).format.channels).toBe(2);
  });

  it('a cut-off input is converted as far as it goes, with its warning', async () => {
    const path = recording('um.flac');
    const bytes = readFileSync(path);
    writeFileSync(at('cut.flac'), bytes.subarray(0, bytes.length * 0.5));
    const run = await convert(at('cut.flac'), { format: 'wav' });
    expect(run.warnings.map((one) => one.code)).toContain('truncated');
    expect(readAll(run.path).frames).toBe(readAll(at('cut.flac')).frames);
  });

  it('aborts', async () => {
    await expect(runTool(convertAudio, source, {}, at('work-'), AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
