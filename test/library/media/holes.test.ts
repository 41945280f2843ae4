// Files of which a part is lost: what follows stays at its place, with silence before it, and that is said.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSoundClock } from '../../../src/library/media/read/sound-clock.ts';
import { trim } from '../../../src/library/media/write/trim.ts';
import { ffmpegFrom, needFfmpeg, readableSeconds, readAll, scratch, type Sound } from '../../fixtures/media/media.ts';
import { granuleOf, pagesOf, withGranule } from '../../fixtures/media/ogg-pages.ts';
import { difference, make, noise, rms } from '../../fixtures/media/signals.ts';
import { slow } from '../../fixtures/rounds.ts';

const at = scratch();
const rate = 48_000;
const seconds = 11;
const close = 0.02;
/** Each click is farther from the one before, so that no shift looks like another click. */
const clicks = Array.from({ length: 17 }, (_, n) => 0.2 + 0.4 * n + 0.015 * n * n);

function clickTrack(): Buffer {
  const plane = noise(seconds * rate, 1, 0.005);
  for (const click of clicks) {
    const from = Math.round(click * rate);
    plane.set(
      make(480, (i) => 0.5 * Math.sin((2 * Math.PI * 1500 * i) / rate)),
      from,
    );
  }
  return Buffer.from(plane.buffer);
}
const raw = clickTrack();

function encoded(extension: string, ...codec: string[]): Buffer {
  const path = at(`whole.${extension}`);
  ffmpegFrom(raw, '-f', 'f32le', '-ar', `${rate}`, '-ac', '1', '-i', '-', ...codec, path);
  return readFileSync(path);
}

/** Where clicks begin, s. */
function heard({ planes: [plane = new Float32Array(0)] }: Pick<Sound, 'planes'>, from = 0): number[] {
  const window = 96;
  const found: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (let frame = 0; frame + window <= plane.length; frame += window / 2) {
    if (rms(plane.subarray(frame, frame + window)) < 0.15) continue;
    if (frame - last > rate / 10) found.push(from + frame / rate);
    last = frame;
  }
  return found;
}

/** Clicks that are not there, each heard one at its place. */
function lost(times: readonly number[], from = 0, to = seconds): number[] {
  const due = clicks.filter((click) => click >= from && click < to - 0.02);
  const away = times.filter((time) => !due.some((click) => Math.abs(click - time) < close));
  expect(away, 'clicks at no place of theirs').toEqual([]);
  return due.filter((click) => !times.some((time) => Math.abs(click - time) < close));
}

const codesOf = ({ warnings }: Pick<Sound, 'warnings'>): string[] => warnings.map(({ code }) => code);

const overwritten = (bytes: Buffer, size: number, part = 0.45): Buffer => {
  const from = Math.round(bytes.length * part);
  const damaged = Buffer.from(bytes);
  for (let i = 0; i < size; i += 1) damaged[from + i] = (i * 167 + (i >> 3) * 59) & 0xff;
  return damaged;
};
const removed = (bytes: Buffer, size: number): Buffer => {
  const from = Math.round(bytes.length * 0.45);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + size)]);
};
const withoutPage = (bytes: Buffer, part: number): Buffer => {
  const pages = pagesOf(bytes);
  return Buffer.concat(pages.filter((_, n) => n !== Math.round(pages.length * part)));
};

const withoutFirst = (bytes: Buffer, count: number): Buffer => {
  const pages = pagesOf(bytes);
  const first = pages.findIndex((page) => granuleOf(page) > 0n);
  return Buffer.concat(pages.filter((_, n) => n < first || n >= first + count));
};

const opus = ['opus', '-c:a', 'libopus'] as const;
const vorbis = ['ogg', '-c:a', 'libvorbis'] as const;
const flacInOgg = ['oga', '-c:a', 'flac'] as const;
const cases: readonly [string, readonly [string, ...string[]], (bytes: Buffer) => Buffer][] = [
  ['overwritten FLAC', ['flac', '-c:a', 'flac'], (bytes) => overwritten(bytes, 1200)],
  ['shortened FLAC', ['flac', '-c:a', 'flac'], (bytes) => removed(bytes, 20_000)],
  ['Opus without a page', opus, (bytes) => withoutPage(bytes, 0.5)],
  ['Opus with a damaged page', opus, (bytes) => overwritten(bytes, 300)],
  ['Opus without an early page', opus, (bytes) => withoutPage(bytes, 0.3)],
  ['Vorbis without a page', vorbis, (bytes) => withoutPage(bytes, 0.5)],
  ['FLAC in Ogg without a page', flacInOgg, (bytes) => withoutPage(bytes, 0.5)],
  ['FLAC in Ogg without an early page', flacInOgg, (bytes) => withoutPage(bytes, 0.3)],
  ['FLAC in Ogg without its last but one page', flacInOgg, (bytes) => withoutPage(bytes, 0.85)],
  ['overwritten M4A', ['m4a', '-c:a', 'aac'], (bytes) => overwritten(bytes, 1500)],
  [
    'overwritten Matroska',
    ['mka', '-c:a', 'libopus', '-cluster_time_limit', '500'],
    (bytes) => overwritten(bytes, 500),
  ],
  [
    'overwritten MP3 of one bit rate',
    ['mp3', '-c:a', 'libmp3lame', '-b:a', '128k'],
    (bytes) => overwritten(bytes, 4000),
  ],
  // Its table has a frame of another size.
  ['overwritten low MP3', ['mp3', '-c:a', 'libmp3lame', '-b:a', '96k'], (bytes) => overwritten(bytes, 300)],
  ['shortened MP3 of one bit rate', ['mp3', '-c:a', 'libmp3lame', '-b:a', '128k'], (bytes) => removed(bytes, 4000)],
  ['overwritten MP3', ['mp3', '-c:a', 'libmp3lame', '-q:a', '2'], (bytes) => overwritten(bytes, 4000)],
  ['shortened MP3', ['mp3', '-c:a', 'libmp3lame', '-q:a', '2'], (bytes) => removed(bytes, 4000)],
];

describe('a hole in', () => {
  it.for(cases)('%s', slow, async ([, [extension, ...codec], damage], context) => {
    needFfmpeg(context);
    const path = at(`hole.${extension}`);
    writeFileSync(path, damage(encoded(extension, ...codec)));
    const whole = readAll(path);
    expect(Math.abs(whole.frames / rate - seconds)).toBeLessThan(0.02);
    const gone = lost(heard(whole));
    expect(gone.length).toBeLessThan(4);
    expect(codesOf(whole)).toContain('sound_missing');
    expect(codesOf(whole)).not.toContain('truncated');
    const said = whole.warnings.find(({ code }) => code === 'sound_missing')?.message ?? '';
    const [from = 0, missing = 0] = [...(/at (\S+) s \((\S+) s\)/.exec(said) ?? [])].slice(1).map(Number);
    for (const click of gone) {
      expect(click).toBeGreaterThan(from - close);
      expect(click).toBeLessThan(from + missing + close);
    }
    // By its packets, from a place behind the hole, and in a copy of its packets it is the same.
    expect(Math.abs(((await readableSeconds(path)) ?? 0) - seconds)).toBeLessThan(0.05);
    const behind = readAll(path, { from: 7.3, to: 10.1 });
    expect(heard(behind, 7.3).length).toBeGreaterThan(2);
    const start = Math.round(7.3 * rate);
    const slice = whole.planes[0]?.subarray(start, start + behind.frames) as Float32Array;
    // AAC's decoder makes up noise.
    expect(difference(behind.planes[0] as Float32Array, slice)).toBeLessThan(extension === 'm4a' ? 0.05 : 0.01);
    const { path: copy } = await trim(path, at('copy'), 10, { signal: new AbortController().signal });
    const copied = readAll(copy);
    expect(lost(heard(copied), 0, 10)).toEqual(gone);
  });
});

describe('a hole at the begin of', () => {
  it.for([
    ['Opus', opus, 1],
    ['Vorbis', vorbis, 2],
    ['FLAC in Ogg', flacInOgg, 3],
  ] as const)('%s: what follows is at its sample', slow, async ([, [extension, ...codec], pages], context) => {
    needFfmpeg(context);
    const path = at(`first.${extension}`);
    const bytes = encoded(extension, ...codec);
    const whole = readAll(at(`whole.${extension}`)).planes[0] as Float32Array;
    writeFileSync(path, withoutFirst(bytes, pages));
    const { planes, warnings } = readAll(path);
    const [plane = new Float32Array(0)] = planes;
    const from = Math.round(2.5 * rate);
    expect(difference(plane.subarray(from), whole.subarray(from))).toBeLessThan(0.001);
    expect(plane.length).toBe(whole.length);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Sound is missing at 0\.00 s \([12]\.\d\d s\); silence is in its place$/),
    ]);
    expect(Math.abs(((await readableSeconds(path)) ?? 0) - seconds)).toBeLessThan(0.05);
    const behind = readAll(path, { from: 7.3, to: 10.1 }).planes[0] as Float32Array;
    expect(difference(behind, whole.subarray(7.3 * rate, 7.3 * rate + behind.length))).toBeLessThan(0.001);
    const { path: copy } = await trim(path, at('copy'), 10, { signal: new AbortController().signal });
    expect(lost(heard(readAll(copy)), 0, 10)).toEqual(lost(heard({ planes })));
  });
});

describe('an MP3 without a count of its frames', () => {
  const bare = ['-write_xing', '0', '-c:a', 'libmp3lame'] as const;
  const holed = (...options: string[]): Sound => {
    const path = at('bare.mp3');
    writeFileSync(path, overwritten(encoded('mp3', ...bare, ...options), 4000));
    return readAll(path);
  };

  it('of one bit rate tells by its bytes how much is lost', slow, (context) => {
    needFfmpeg(context);
    const sound = holed('-b:a', '128k');
    expect(lost(heard(sound).map((time) => time - 0.023)).length).toBeLessThan(3);
    expect(codesOf(sound)).toContain('sound_missing');
  });

  it('of several does not, which is said with the place', slow, (context) => {
    needFfmpeg(context);
    const { warnings } = holed('-q:a', '2');
    const said = warnings.find(({ code }) => code === 'sound_missing');
    expect(said?.message).toMatch(
      / at 4\.\d\d s \(nothing in the file says how much\).*; what follows comes too early$/,
    );
  });
});

describe('a clock of pages that is wrong', () => {
  const moved = (bytes: Buffer, by: bigint): Buffer =>
    Buffer.concat(pagesOf(bytes).map((page, n) => (n < 7 ? page : withGranule(page, granuleOf(page) + by))));

  it.for([
    ['jumps by years', 48_000n * 86_400n * 700n, ['clock_jump']],
    ['goes back', -48_000n * 4n, []],
  ] as const)('%s: makes no silence', ([, by, codes], context) => {
    needFfmpeg(context);
    const path = at('jump.opus');
    writeFileSync(path, moved(encoded(...opus), by));
    const sound = readAll(path);
    expect(Math.abs(sound.frames / rate - seconds)).toBeLessThan(0.02);
    expect(lost(heard(sound))).toEqual([]);
    expect(codesOf(sound).filter((code) => code !== 'truncated')).toEqual(codes);
  });

  it('jumps by less than a minute, again and again: silence is no longer than the sound, and a minute', () => {
    const clock = createSoundClock('ogg', rate, 0);
    let position = 0;
    for (let page = 1, time = 0; page <= 1000; page += 1) {
      position += clock.silenceBefore(time, position) + rate;
      time += 59 * rate;
    }
    expect(position / rate).toBeLessThan(2 * 1000 + 60);
    expect(clock.warnings.map(({ code }) => code)).toEqual(['sound_missing', 'clock_jump']);
    expect(clock.warnings[0]?.message).toMatch(
      /^Sound is missing in \d+ places, .* and \d+ more; silence is in its place$/,
    );
  });
});
