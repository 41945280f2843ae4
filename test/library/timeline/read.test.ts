// Timelines of other programs as cuts: our own come back as they were; what else there is, is named; hostile files end
// in an error that says what was expected.
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timelineRanges } from '../../../src/library/runtime/recipes/timeline-ranges.ts';
import { frameRateOf } from '../../../src/library/timeline/form/frames.ts';
import type { Timeline } from '../../../src/library/timeline/form/timeline.ts';
import { readEdl } from '../../../src/library/timeline/read/edl.ts';
import { readFcpxml } from '../../../src/library/timeline/read/fcpxml.ts';
import { readOtio } from '../../../src/library/timeline/read/otio.ts';
import { timelineFormats } from '../../../src/library/timeline/write-timeline.ts';
import { scratch } from '../../fixtures/media/media.ts';
import { writeWav } from '../../fixtures/media/pcm-files.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.info(`timelines read: seed ${seed} (SEED=${seed} repeats it)`);
const path = scratch();
const ntsc = frameRateOf(29.97);

const made = (cuts: readonly (readonly [number, number])[], startFrames: number | null): Timeline => {
  let [start, at] = [0, 0];
  const clips = cuts.map(([gap, length]) => {
    start += gap;
    const clip = { source: 0, startSeconds: start, endSeconds: start + length, atSeconds: at };
    start += length;
    at += length;
    return clip;
  });
  const picture = { width: 1920, height: 1080, rate: ntsc };
  const sound = { sampleRate: 48_000, channels: 2 };
  const source = { path: '/m/ü & 1.mov', name: 'ü & 1.mov', durationSeconds: start + 1, sound, picture, startFrames };
  return { name: 'cut', sources: [source], tracks: [{ name: '1', clips }], markers: [] };
};

it.each([
  ['otio', readOtio, 1 / 48_000],
  ['fcpxml', readFcpxml, 1001 / 30_000],
  ['edl', (text: string) => readEdl(text, ntsc, 107_892), 1001 / 30_000],
] as const)('what was written as %s comes back', (format, read, step) => {
  const length = fc.double({ min: 0.2, max: 20, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(length, length), { minLength: 1, maxLength: 30 }), (cuts) => {
      const timeline = made(cuts, 107_892);
      const found = read(timelineFormats[format].write(timeline).text);
      const clips = timeline.tracks[0]?.clips ?? [];
      expect(found.ignored).toEqual([]);
      expect(found.clips.length).toBe(clips.length);
      for (const [index, clip] of clips.entries()) {
        expect(found.clips[index]?.name).toBe('ü & 1.mov');
        // Of an end three roundings meet: of its start, and of both ends in the timeline.
        expect(Math.abs((found.clips[index]?.startSeconds ?? 0) - clip.startSeconds)).toBeLessThanOrEqual(
          step / 2 + 1e-6,
        );
        expect(Math.abs((found.clips[index]?.endSeconds ?? 0) - clip.endSeconds)).toBeLessThanOrEqual(
          1.5 * step + 1e-6,
        );
      }
    }),
    { seed, numRuns: 30 },
  );
});

describe('forms of other programs', () => {
  const time = (value: number) => ({ OTIO_SCHEMA: 'RationalTime.1', value, rate: 25 });
  const range = (start: number, duration: number) => ({
    OTIO_SCHEMA: 'TimeRange.1',
    start_time: time(start),
    duration: time(duration),
  });
  const clip = (name: string, start: number, length: number, more: object = {}) => ({
    OTIO_SCHEMA: 'Clip.1',
    name,
    source_range: range(start, length),
    media_reference: {
      OTIO_SCHEMA: 'ExternalReference.1',
      target_url: `file:///m/${name}`,
      available_range: range(900, 5000),
    },
    ...more,
  });
  const otio = (children: object[]): string =>
    JSON.stringify({
      OTIO_SCHEMA: 'Timeline.1',
      tracks: { OTIO_SCHEMA: 'Stack.1', children: [{ OTIO_SCHEMA: 'Track.1', kind: 'Video', children }] },
    });

  it('an OTIO file of older clips, with gaps, and transitions that are named', () => {
    const { clips, ignored } = readOtio(
      otio([
        { OTIO_SCHEMA: 'Gap.1', source_range: range(0, 25) },
        clip('a.mov', 950, 50),
        { OTIO_SCHEMA: 'Transition.1' },
        clip('b.mov', 900, 25, { effects: [{ OTIO_SCHEMA: 'LinearTimeWarp.1' }] }),
        clip('c.mov', 900, 25, { enabled: false }),
        clip('d.mov', 900, 0),
        { OTIO_SCHEMA: 'Stack.1', children: [] },
      ]),
    );
    expect(clips).toEqual([
      { name: 'a.mov', startSeconds: 2, endSeconds: 4, atSeconds: 1 },
      { name: 'b.mov', startSeconds: 0, endSeconds: 1, atSeconds: 3 },
    ]);
    expect(ignored).toEqual([
      'transitions',
      'effects and changes of speed',
      'clips that are switched off',
      'nested timelines',
    ]);
  });

  it('an EDL with pictures and sound on lines of their own, black, and Windows line ends', () => {
    const text = [
      'TITLE: X',
      'FCM: NON-DROP FRAME',
      '001  AX       V     C        00:00:01:00 00:00:02:00 01:00:00:00 01:00:01:00',
      '001  AX       AA    C        00:00:01:00 00:00:02:00 01:00:00:00 01:00:01:00',
      '* FROM CLIP NAME: talk.mov',
      '002  BL       V     C        00:00:00:00 00:00:01:00 01:00:01:00 01:00:02:00',
      '003  AX       V     D    012 00:00:05:00 00:00:06:12 01:00:02:00 01:00:03:12',
      'M2   AX       050.0                 00:00:05:00',
    ].join('\r\n');
    const { clips, ignored } = readEdl(text, frameRateOf(25), 0);
    expect(clips).toEqual([
      { name: 'talk.mov', startSeconds: 1, endSeconds: 2, atSeconds: 3600 },
      { name: '', startSeconds: 5, endSeconds: 6.48, atSeconds: 3602 },
    ]);
    expect(ignored).toEqual(['transitions', 'changes of speed']);
  });

  it('an EDL that says drop frame once and writes colons, and one whose codes say so themselves', () => {
    const list = (mode: string, code: string): string =>
      `FCM: ${mode}\n001  AX  V  C  ${code} 00:20:00:00 00:00:00:00 00:09:00:00`;
    const startOf = (text: string): number => (readEdl(text, ntsc, 0).clips[0]?.startSeconds ?? 0) * (30_000 / 1001);
    const [dropped, counted] = [17_982 + 1800, 11 * 1800];
    expect(startOf(list('DROP FRAME', '00:11:00:02'))).toBeCloseTo(dropped, 6);
    expect(startOf(list('NON-DROP FRAME', '00:11:00:00'))).toBeCloseTo(counted, 6);
    // A source that counts every picture, in a timeline that drops.
    const mixed = list('DROP FRAME', '00:11:00:00').replace('00:09:00:00', '00:09:00;02');
    expect(startOf(mixed)).toBeCloseTo(counted, 6);
  });

  it('an FCPXML of version 1.9, whose asset has the path itself, with a title over the clip', () => {
    const text = `<?xml version="1.0"?><!DOCTYPE fcpxml><fcpxml version="1.9"><resources>
      <asset id="r2" name="x" src="file:///m/My%20talk.mov" start="3600s" duration="60s"/></resources><library><event>
      <project><sequence><spine><asset-clip ref="r2" enabled="0" duration="1s"/><asset-clip ref="r2" offset="1s" start="3602s" duration="1001/500s">
      <title lane="1" duration="1s"/></asset-clip></spine></sequence></project></event></library></fcpxml>`;
    expect(readFcpxml(text)).toEqual({
      clips: [{ name: 'My talk.mov', startSeconds: 2, endSeconds: 2 + 1001 / 500, atSeconds: 1 }],
      ignored: ['clips that are switched off', 'connected clips'],
    });
  });
});

describe('refused, with what was expected', () => {
  it.each([
    ['[]', /OpenTimelineIO/],
    ['{"OTIO_SCHEMA":"Timeline.1"', /OpenTimelineIO/],
    [
      '{"OTIO_SCHEMA":"Timeline.1","tracks":{"children":[{"OTIO_SCHEMA":"Track.1","children":[{}]}]}}',
      /OpenTimelineIO/,
    ],
  ])('OTIO %s', (text, message) => {
    expect(() => readOtio(text)).toThrow(message);
  });

  it.each([
    ['<html/>', /first element/],
    ['<fcpxml>' + '<a>'.repeat(501), /500 deep/],
    ['<fcpxml><a></fcpxml>', /no XML/],
    // Entities of a document's own are none of XML's.
    ['<!DOCTYPE x [<!ENTITY a "&#60;"><!ENTITY b "&a;&a;">]><fcpxml>&b;</fcpxml>', /no XML/],
    ['<fcpxml><sequence><spine><gap duration="soon"/></spine></sequence></fcpxml>', /a time is soon/],
    // Of a file that was cut off, the clips that are left would be taken for the whole edit.
    ['<fcpxml><sequence><spine><gap duration="1s"/></spine></sequence>', /no XML/],
  ])('FCPXML %s', (text, message) => {
    expect(() => readFcpxml(text)).toThrow(message);
  });

  it('an EDL without events, and one of another rate', () => {
    expect(() => readEdl('TITLE: X', ntsc, 0)).toThrow(/events/);
    const event = '001  AX  V  C  00:00:01:28 00:00:02:00 01:00:00:00 01:00:01:00';
    expect(() => readEdl(event, frameRateOf(25), 0)).toThrow(/25 frames a second/);
    // Of 30 frames a second: no second of 25 has a picture 29.
    const whole = '001  AX  V  C  00:00:01:29 00:00:03:29 01:00:00:00 01:00:02:00';
    expect(() => readEdl(whole, frameRateOf(25), 0)).toThrow(/25 frames a second/);
    expect(readEdl(whole, frameRateOf(30), 0).clips).toHaveLength(1);
    expect(() => readEdl(whole.replace('00:00:03', '00:61:03'), frameRateOf(30), 0)).toThrow(/30 frames a second/);
  });

  it('XML with a value of 200,000 characters, and XML that is nothing but errors, at the first of them', () => {
    expect(() => readFcpxml(`<fcpxml x="${'a'.repeat(200_000)}"/>`)).toThrow(/no XML/);
    // 15 s before, which grew with the square of the length; the first error has the place.
    expect(() => readFcpxml('<'.repeat(3_000_000))).toThrow(/Unencoded </);
  }, 5000);
});

describe('as ranges of a recording', () => {
  const recording = (): string => writeWav(path('talk.wav'), [new Float32Array(96_000)], 48_000, 's16');
  const edl = (...events: string[]): string => {
    const file = path('cut.edl');
    writeFileSync(
      file,
      events.map((times, at) => `00${at + 1}  AX  AA  C  ${times}\n* FROM CLIP NAME: talk.wav\n`).join(''),
    );
    return file;
  };

  it('keeps what the timeline keeps', () => {
    const file = edl(
      '00:00:00:15 00:00:01:00 00:00:00:00 00:00:00:15',
      '00:00:01:15 00:00:02:00 00:00:00:15 00:00:01:00',
    );
    expect(timelineRanges(file, recording())).toEqual({
      ranges: [
        [0.5, 1],
        [1.5, 2],
      ],
      ignored: [],
    });
  });

  it('reads lists in UTF-16, and says names without what would move the terminal', () => {
    const event = 'TITLE: x\r\n001  AX  AA  C  00:00:00:15 00:00:01:00 00:00:00:00 00:00:00:15\r\n';
    const text = `\uFEFF${event}* FROM CLIP NAME: \u001B[31mred\u0007\r\n`;
    const file = path('wide.edl');
    for (const bytes of [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16(), Buffer.from(text)]) {
      writeFileSync(file, bytes);
      expect(timelineRanges(file, recording())).toEqual({
        ranges: [[0.5, 1]],
        ignored: ['its name for the recording, [31mred'],
      });
    }
  });

  it('refuses another order, and what is not in the recording', () => {
    const moved = edl(
      '00:00:01:00 00:00:02:00 00:00:00:00 00:00:01:00',
      '00:00:00:00 00:00:00:15 00:00:01:00 00:00:01:15',
    );
    expect(() => timelineRanges(moved, recording())).toThrow(/order of the recording/);
    expect(() => timelineRanges(edl('00:00:01:00 00:00:05:00 00:00:00:00 00:00:04:00'), recording())).toThrow(
      /within the recording's 2.000 s/,
    );
  });
});
