// Every format holds the cuts that were made: read back here by the format's own arithmetic.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { framesOfTimecode, type FrameRate } from '../../../src/library/core/timecode.ts';
import { frameRateOf } from '../../../src/library/timeline/form/frames.ts';
import { lengthOf, type Timeline, type TimelineFormat } from '../../../src/library/timeline/form/timeline.ts';
import { timelineFormats } from '../../../src/library/timeline/write-timeline.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`timelines: seed ${seed} (SEED=${seed} repeats it)`);

interface Piece {
  readonly start: number;
  readonly length: number;
  readonly at: number;
}

const write = (timeline: Timeline, format: TimelineFormat): string => timelineFormats[format].write(timeline).text;
const matches = (text: string, pattern: RegExp): string[][] => [...text.matchAll(pattern)].map((found) => [...found]);
const fraction = (text: string): number => {
  const [over = 0, under = 1] = text.replace('s', '').split('/').map(Number);
  return over / under;
};

/** The sound's clips as a reader of the format finds them, seconds. */
const readers: Record<TimelineFormat, (text: string, grid: FrameRate) => Piece[]> = {
  otio(text) {
    interface Time {
      readonly value: number;
      readonly rate: number;
    }
    interface Item {
      readonly OTIO_SCHEMA: string;
      readonly source_range: { readonly start_time: Time; readonly duration: Time };
    }
    const { tracks } = JSON.parse(text) as { tracks: { children: { kind: string; children: Item[] }[] } };
    const seconds = ({ value, rate }: Time): number => value / rate;
    let at = 0;
    return (tracks.children.findLast(({ kind }) => kind === 'Audio')?.children ?? []).flatMap((item) => {
      const length = seconds(item.source_range.duration);
      const piece = { start: seconds(item.source_range.start_time), length, at };
      at += length;
      return item.OTIO_SCHEMA === 'Clip.2' ? [piece] : [];
    });
  },
  fcpxml: (text) =>
    matches(text, /<asset-clip [^>]*offset="([^"]+)"[^>]* start="([^"]+)" duration="([^"]+)"/g).map(
      ([, offset = '', start = '', length = '']) => ({
        at: fraction(offset),
        start: fraction(start),
        length: fraction(length),
      }),
    ),
  xmeml: (text, { num, den }) =>
    matches(
      text.slice(text.indexOf('<audio>\n')),
      /<start>(\d+)<\/start><end>(\d+)<\/end><in>(\d+)<\/in><out>(\d+)<\/out>/g,
    ).map((found) => {
      const [at = 0, end = 0, start = 0] = found.slice(1).map((frames) => (Number(frames) * den) / num);
      return { at, start, length: end - at };
    }),
  edl: (text, rate) =>
    matches(text, /^\d{3,}  AX .*? C +(\S+) (\S+) (\S+) (\S+)$/gm).map((found) => {
      const [start = 0, end = 0, at = 0, recordEnd = 0] = found
        .slice(1)
        .map((code) => ((framesOfTimecode(code, rate) ?? NaN) * rate.den) / rate.num);
      expect(recordEnd - at).toBeCloseTo(end - start, 9);
      return { at, start, length: end - start };
    }),
  reaper: (text) =>
    matches(text, /POSITION (\S+)\n\s+LENGTH (\S+)\n\s+SOFFS (\S+)/g).map(([, at, length, start]) => ({
      at: Number(at),
      length: Number(length),
      start: Number(start),
    })),
  audacity(text) {
    let at = 0;
    return text
      .trim()
      .split('\n')
      .map((line) => {
        const [start = 0, end = 0] = line.split('\t').map(Number);
        const piece = { start, length: end - start, at };
        at += end - start;
        return piece;
      });
  },
  csv: (text) =>
    text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => {
        const [, , , start = 0, end = 0, at = 0] = line.split(',').map(Number);
        return { start, length: end - start, at };
      }),
};

/** What each may be off by: half a frame of its grid at either end, or its digits. */
const finest: Record<TimelineFormat, number | null> = {
  otio: 48_000,
  fcpxml: 60,
  xmeml: 60,
  edl: 30,
  reaper: 1e6,
  audacity: 1e5,
  csv: 1e5,
};
const countsPictures = new Set<TimelineFormat>(['fcpxml', 'xmeml', 'edl']);

function timelineOf(cuts: readonly (readonly [gap: number, length: number])[], frameRate: number | null): Timeline {
  let [start, at] = [0, 0];
  const clips = cuts.map(([gap, length]) => {
    start += gap;
    const clip = { source: 0, startSeconds: start, endSeconds: start + length, atSeconds: at };
    start += length;
    at += length;
    return clip;
  });
  const picture = frameRate === null ? null : { width: 1920, height: 1080, rate: frameRateOf(frameRate) };
  const source = { path: '/a b/talk.wav', name: 'talk', durationSeconds: start, startFrames: null, picture };
  return {
    name: 'cut',
    sources: [{ ...source, sound: { sampleRate: 48_000, channels: 1 } }],
    tracks: [{ name: 'talk', clips }],
    markers: [],
  };
}

const cuts = fc.array(
  // No clip is shorter than two frames: those that are may be in none.
  fc.tuple(fc.double({ min: 0.1, max: 30, noNaN: true }), fc.double({ min: 0.1, max: 30, noNaN: true })),
  { minLength: 1, maxLength: 40 },
);

describe.each(Object.keys(readers) as TimelineFormat[])('%s', (format) => {
  it('has every cut at its place, without gaps, and the length of what was rendered', () => {
    fc.assert(
      fc.property(cuts, fc.constantFrom(null, 23.976, 24, 25, 29.97, 50, 59.94), (list, frameRate) => {
        const timeline = timelineOf(list, frameRate);
        const rate =
          frameRate !== null && countsPictures.has(format)
            ? frameRateOf(frameRate)
            : { num: finest[format] ?? 1, den: 1 };
        const read = readers[format](write(timeline, format), rate);
        const clips = timeline.tracks[0]?.clips ?? [];
        expect(read.length).toBe(clips.length);
        const step = rate.den / rate.num;
        for (const [index, { startSeconds, endSeconds, atSeconds }] of clips.entries()) {
          const piece = read[index] as Piece;
          const off = Math.max(
            Math.abs(piece.start - startSeconds),
            Math.abs(piece.at - atSeconds),
            Math.abs(piece.length - (endSeconds - startSeconds)) - step / 2,
          );
          expect(off).toBeLessThanOrEqual(step / 2 + 1e-4);
          const before = read[index - 1];
          if (before !== undefined) expect(piece.at - before.at - before.length).toBeCloseTo(0, 4);
        }
        const last = read.at(-1) as Piece;
        expect(Math.abs(last.at + last.length - lengthOf(timeline))).toBeLessThanOrEqual(step / 2 + 1e-4);
      }),
      { seed, numRuns: 30 },
    );
  });

  it('holds names and texts of any kind', () => {
    const hostile = 'a "b" \'c\' `d` <&> ]]>\n=1+1 \u0000 \uD800 ü 日本';
    const plain = timelineOf([[0, 1]], 25);
    const source = {
      ...(plain.sources[0] as Timeline['sources'][number]),
      name: hostile,
      path: `/x/${hostile.replace('\u0000', '')}.wav`,
    };
    const text = write(
      { ...plain, name: hostile, sources: [source], markers: [{ atSeconds: 0.5, durationSeconds: 0, text: hostile }] },
      format,
    );
    expect(text).toContain('日本');
    if (format === 'otio') expect(() => void JSON.parse(text)).not.toThrow();
    if (format === 'fcpxml' || format === 'xmeml') {
      expect(text).not.toMatch(/(?![\t\n\r])\p{Cc}|\p{Cs}/u);
      expect(text.match(/&(?!amp;|lt;|gt;|quot;)/g)).toBeNull();
    }
    // Neither a line of its own nor the end of a quoted one.
    if (format === 'edl') expect(matches(text, /^\d{3} /gm)).toHaveLength(1);
    if (format === 'reaper') expect(matches(text, /^\s*NAME .*$/gm)).toHaveLength(2);
    if (format === 'audacity') expect(text.trim().split('\n')).toHaveLength(1);
  });
});

it('counts from the timecode of the recording', () => {
  const plain = timelineOf([[2, 3]], 29.97);
  const [source] = plain.sources;
  const clocked = { ...plain, sources: [{ ...(source as Timeline['sources'][number]), startFrames: 107_892 }] };
  expect(write(clocked, 'edl')).toContain('01:00:02;00 01:00:05;00 00:00:00;00 00:00:03;00');
  expect(fraction(/<asset-clip .* start="([^"]+)"/.exec(write(clocked, 'fcpxml'))?.[1] ?? '')).toBeCloseTo(
    3599.9964 + 2.002,
    3,
  );
});
