// Files that are whole, although their sound starts late or in the middle of a stream: no warning says otherwise.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readableLength } from '../../../src/library/media/read/readable-length.ts';
import {
  decodeByFfmpeg,
  ffmpeg,
  needFfmpeg,
  onFileClock,
  readAll,
  scratch,
  writeAll,
} from '../../fixtures/media/media.ts';
import { granuleOf, pagesOf } from '../../fixtures/media/ogg-pages.ts';
import { difference, voice } from '../../fixtures/media/signals.ts';

const at = scratch();
const rate = 48_000;
const sound = voice(4 * rate, rate, 2);
const wav = (): string => writeAll(at('sound.wav'), [sound], rate, { format: 'wav' }).path;

const picture = ['-f', 'lavfi', '-i', 'color=red:s=32x32:r=10:d=6'];

describe('sound that starts late', () => {
  // Other containers: time-line.test.ts.
  it('behind the picture of avi', (context) => {
    needFfmpeg(context);
    const path = at('late.avi');
    const codecs = ['-c:v', 'mpeg4', '-c:a', 'aac'];
    ffmpeg(...picture, '-itsoffset', '2.087', '-i', wav(), '-map', '0:v', '-map', '1:a', ...codecs, path);
    expect(readAll(path).warnings).toEqual([]);
  });

  it.for(['mka', 'opus', 'oga', 'ogg'])('alone, in %s', (extension, context) => {
    needFfmpeg(context);
    const path = at(`late.${extension}`);
    const codec = { mka: 'aac', opus: 'libopus', oga: 'flac', ogg: 'libvorbis' }[extension] as string;
    ffmpeg('-itsoffset', '2.087', '-i', wav(), '-c:a', codec, path);
    expect(readAll(path).warnings).toEqual([]);
  });
});

describe('an AVI whose header says when its sound starts', () => {
  it.for([
    ['pcm_s16le', 2.5 * rate],
    ['libmp3lame', 104],
  ] as const)('%s', ([codec, ticks], context) => {
    needFfmpeg(context);
    const path = at('stated.avi');
    ffmpeg(...picture, '-i', wav(), '-map', '0:v', '-map', '1:a', '-c:v', 'mpeg4', '-c:a', codec, path);
    const before = readAll(path).planes[0] as Float32Array;
    const bytes = readFileSync(path);
    bytes.writeUInt32LE(ticks, bytes.indexOf('auds') + 28);
    writeFileSync(path, bytes);
    const { warnings, planes, facts } = readAll(path);
    const [after = new Float32Array(0)] = planes;
    const lead = after.length - before.length;
    expect(Math.abs(lead / rate - 2.5)).toBeLessThan(0.03);
    expect(difference(after.subarray(lead), before)).toBe(0);
    expect(warnings).toEqual([]);
    expect(Math.abs((facts.audio?.startSeconds ?? 0) - lead / rate)).toBeLessThan(0.001);
    expect(readAll(path, { from: 3 }).planes[0]).toEqual(after.subarray(3 * rate));
  });
});

describe('an AVI with empty pieces of sound', () => {
  // FFmpeg writes them for sound that starts late, behind its first piece.
  const film = (name: string, blockAlign: number | null, initialFrames = 0): string => {
    const path = at(`${name}.avi`);
    const codecs = ['-c:v', 'mpeg4', '-c:a', 'mp2'];
    ffmpeg(...picture, '-itsoffset', '2', '-i', wav(), '-map', '0:v', '-map', '1:a', ...codecs, path);
    const bytes = readFileSync(path);
    const header = bytes.indexOf('auds');
    bytes.writeUInt32LE(initialFrames, header + 12);
    if (blockAlign !== null) bytes.writeUInt16LE(blockAlign, bytes.indexOf('strf', header) + 20);
    writeFileSync(path, bytes);
    return path;
  };
  const tickSeconds = 0.024;

  it('has silence for them where each counts', async (context) => {
    needFfmpeg(context);
    const path = film('pieces', 0);
    const [played = new Float32Array(0)] = decodeByFfmpeg(path, onFileClock(true)).planes;
    const { planes, warnings } = readAll(path);
    const [plane = new Float32Array(0)] = planes;
    expect(Math.abs(plane.length - played.length)).toBeLessThan(tickSeconds * rate);
    const start = Math.round(2.5 * rate);
    expect(difference(plane.subarray(start, start + 3 * rate), played.subarray(start, start + 3 * rate))).toBe(0);
    expect(warnings.map(({ code }) => code)).toEqual(['sound_missing']);
    expect(Math.abs(((await readableLength(path))?.seconds ?? 0) - 6)).toBeLessThan(0.1);
  });

  it('is read on where they have no size, as players do, whatever is interleaved how', (context) => {
    needFfmpeg(context);
    for (const initialFrames of [0, 20]) {
      const { planes, warnings } = readAll(film('blocks', null, initialFrames));
      expect(Math.abs((planes[0]?.length ?? 0) / rate - 4)).toBeLessThan(2 * tickSeconds);
      expect(warnings).toEqual([]);
    }
  });
});

describe('a clock that begins late', () => {
  it.for([
    ['mkv', 'mpeg4', 'aac'],
    ['webm', 'libvpx', 'libopus'],
    ['wma', null, 'wmav2'],
  ] as const)('%s', ([extension, video, codec], context) => {
    needFfmpeg(context);
    const path = at(`clock.${extension}`);
    const sounds = ['-itsoffset', '1.2', '-i', wav(), '-c:a', codec];
    ffmpeg(...(video === null ? sounds : [...picture, ...sounds, '-c:v', video]), '-output_ts_offset', '7', path);
    expect(readAll(path).warnings).toEqual([]);
  });
});

/** The headers of an Ogg file and its last pages, as a listener of a radio station gets them. */
function tunedIn(bytes: Buffer): Buffer {
  const pages = pagesOf(bytes);
  const isHeader = (page: Buffer): boolean => granuleOf(page) === 0n;
  const rest = pages.filter((page) => !isHeader(page));
  return Buffer.concat([...pages.filter(isHeader), ...rest.slice(Math.floor(rest.length / 2))]);
}

describe('sound that begins in the middle of a stream', () => {
  it.for(['opus', 'ogg', 'oga'])('of %s', (extension, context) => {
    needFfmpeg(context);
    const whole = at(`whole.${extension}`);
    const codec = { opus: 'libopus', ogg: 'libvorbis', oga: 'flac' }[extension] as string;
    ffmpeg('-i', wav(), '-c:a', codec, '-page_duration', '500000', whole);
    writeFileSync(at(`inside.${extension}`), tunedIn(readFileSync(whole)));
    const { frames, warnings } = readAll(at(`inside.${extension}`));
    expect(warnings).toEqual([]);
    expect(frames).toBeLessThan(3 * rate);
  });

  it.for(['aac', 'ac3', 'mp3', 'mp2'])('of %s, whose first packet is a half', (extension, context) => {
    needFfmpeg(context);
    ffmpeg('-i', wav(), at(`whole.${extension}`));
    const bytes = readFileSync(at(`whole.${extension}`));
    for (const share of [0.3, 0.31, 0.5]) {
      writeFileSync(at(`inside.${extension}`), bytes.subarray(Math.round(share * bytes.length)));
      expect(readAll(at(`inside.${extension}`)).warnings, `${share}`).toEqual([]);
    }
  });
});

it('what is cut off at its end is still said to be', (context) => {
  needFfmpeg(context);
  for (const [extension, codec] of [
    ['mka', 'aac'],
    ['m4a', 'aac'],
  ] as const) {
    const path = at(`cut.${extension}`);
    ffmpeg('-i', wav(), '-c:a', codec, '-movflags', '+faststart', path);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, Math.round(0.6 * bytes.length)));
    expect(
      readAll(path).warnings.map(({ code }) => code),
      extension,
    ).toContain('truncated');
  }
});
