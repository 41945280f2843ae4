// Streams that change, have holes, lie about time, or are long.
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openAudio } from '../../../src/library/media/read/decode.ts';
import { ffmpeg, needFfmpeg, readAll, scratch, writeAll } from '../../fixtures/media/media.ts';
import { wavBytes, writeWav } from '../../fixtures/media/pcm-files.ts';
import { maxAbs, rms, tone, toneLevelDb, voice } from '../../fixtures/media/signals.ts';
import { makeVideo } from '../../fixtures/media/videos.ts';
import { slow } from '../../fixtures/rounds.ts';
import { probe } from '../../../src/library/media/read/probe.ts';

const at = scratch();
const rate = 44_100;

describe('the format changes in mid-stream', () => {
  it("ADTS of two rates and channel counts: all of it, at the first one's", () => {
    const first = writeAll(
      at('a.aac'),
      [tone(2 * 48_000, 48_000, 500, -12), tone(2 * 48_000, 48_000, 500, -12)],
      48_000,
      { format: 'aac' },
    ).path;
    const second = writeAll(at('b.aac'), [tone(2 * 24_000, 24_000, 1500, -12)], 24_000, { format: 'aac' }).path;
    writeFileSync(at('both.aac'), Buffer.concat([readFileSync(first), readFileSync(second)]));
    const sound = readAll(at('both.aac'));
    expect(sound.format).toMatchObject({ sampleRate: 48_000, channels: 2 });
    expect(Math.abs(sound.frames / 48_000 - 4)).toBeLessThan(0.25);
    // The second file's tone is 1500 Hz still, in both channels, and at its level.
    for (const plane of sound.planes) {
      expect(Math.abs(toneLevelDb(plane.subarray(24_000, 72_000), 48_000, 500) + 12)).toBeLessThan(0.3);
      expect(Math.abs(toneLevelDb(plane.subarray(125_000, 173_000), 48_000, 1500) + 12)).toBeLessThan(0.3);
    }
  });

  it.each(['mp3', 'ogg', 'flac'] as const)('two %s files one behind the other', (format) => {
    const one = writeAll(at(`one.${format}`), [tone(rate, rate, 500, -12)], rate, { format }).path;
    const two = writeAll(at(`two.${format}`), [tone(rate, rate, 1500, -12)], rate, { format }).path;
    writeFileSync(at(`chain.${format}`), Buffer.concat([readFileSync(one), readFileSync(two)]));
    const sound = readAll(at(`chain.${format}`));
    // FLAC says how long it is, so what comes behind may be left out; MP3 and Ogg chains are played to the end.
    expect(sound.frames).toBeGreaterThanOrEqual(format === 'flac' ? rate : 1.95 * rate);
    expect(sound.frames).toBeLessThan(2.1 * rate);
    expect(Math.abs(toneLevelDb(sound.planes[0]!.subarray(8000, 36_000), rate, 500) + 12)).toBeLessThan(0.6);
    if (format !== 'flac')
      expect(
        Math.abs(toneLevelDb(sound.planes[0]!.subarray(rate + 8000, rate + 36_000), rate, 1500) + 12),
      ).toBeLessThan(0.6);
  });
});

describe('holes in a recording', () => {
  it.for(['mkv', 'mp4', 'mov', 'ts'])(
    '%s: silence where sound is missing, so that time keeps its meaning',
    slow,
    (extension, context) => {
      needFfmpeg(context);
      // Sound from 0 to 2 s and from 3 to 5 s; the packets between are taken out.
      const film = makeVideo(at(`whole.${extension}`), [tone(5 * 48_000, 48_000, 440, -12)], 48_000, {
        output: ['-c:a', 'aac'],
      });
      const holed = at(`holed.${extension}`);
      ffmpeg('-i', film, '-map', '0', '-c', 'copy', '-bsf:a', "noise=drop='between(pts*tb,2,3)'", holed);
      const [whole, sound] = [readAll(film), readAll(holed)];
      expect(Math.abs(sound.frames - whole.frames)).toBeLessThan(0.06 * 48_000);
      const level = (from: number, to: number): number => rms(sound.planes[0]!.subarray(from * 48_000, to * 48_000));
      expect(level(0.5, 1.5)).toBeGreaterThan(0.1);
      expect(level(2.2, 2.8)).toBeLessThan(1e-4);
      expect(level(3.5, 4.5)).toBeGreaterThan(0.1);
    },
  );

  it.for(['mkv', 'ts', 'mov'])(
    '%s: a clock that jumps by ten hours makes no hours of silence and loses no sound',
    slow,
    (extension, context) => {
      needFfmpeg(context);
      const film = makeVideo(at('jump.mkv'), [tone(3 * 48_000, 48_000, 440, -12)], 48_000, { output: ['-c:a', 'aac'] });
      const lying = at(`lying.${extension}`);
      ffmpeg(
        '-i',
        film,
        '-map',
        '0:a',
        '-c',
        'copy',
        '-bsf:a',
        "setts=ts='if(between(PTS*TB,1.5,9),PTS+36000/TB,PTS)'",
        lying,
      );
      const source = openAudio(probe(lying));
      let [frames, heard] = [0, 0];
      for (let block = source.next(); block && frames < 48_000 * 30; block = source.next()) {
        frames += block.frames;
        heard += block.planes[0]!.filter((x) => Math.abs(x) > 0.01).length;
      }
      source.close();
      expect(frames).toBeLessThan(48_000 * 30);
      // A sine of -12 dBFS is over 0.01 nearly all the time.
      expect(heard).toBeGreaterThan(2.7 * 48_000);
    },
  );
});

it('memory is flat over an hour of sound', slow, () => {
  // An hour of 44.1 kHz stereo as a sparse file: the header, then zeros that take no disk.
  const bytes = 3600 * rate * 4;
  const path = at('hour.wav');
  const handle = openSync(path, 'w');
  writeSync(handle, wavBytes([new Float32Array(0), new Float32Array(0)], rate, 's16', bytes));
  writeSync(handle, Buffer.alloc(4), 0, 4, 44 + bytes - 4);
  closeSync(handle);
  const source = openAudio(probe(path));
  let [frames, loudest] = [0, 0];
  for (let n = 0; n < 30; n += 1) frames += source.next()?.frames ?? 0;
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  for (let block = source.next(); block; block = source.next()) {
    frames += block.frames;
    loudest = Math.max(loudest, maxAbs(block.planes[0]!.subarray(0, 100)));
    most = Math.max(most, process.memoryUsage.rss());
  }
  source.close();
  expect(frames).toBe(3600 * rate);
  expect(loudest).toBe(0);
  expect(source.warnings).toEqual([]);
  expect((most - before) / 2 ** 20, 'MB').toBeLessThan(60);
});

it('opening and closing five hundred times leaks nothing worth naming', slow, () => {
  const path = writeWav(at('small.wav'), [voice(2000, rate)], rate);
  const turn = (): void => {
    const source = openAudio(probe(path), { rate: 48_000 });
    source.next();
    source.close();
  };
  for (let n = 0; n < 100; n += 1) turn();
  const before = process.memoryUsage.rss();
  for (let n = 0; n < 500; n += 1) turn();
  expect((process.memoryUsage.rss() - before) / 2 ** 20).toBeLessThan(60);
});
