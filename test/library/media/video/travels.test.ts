// What goes along with an edited picture, and how.
import { writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { EditClock } from '../../../../src/library/media/video/edit-clock.ts';
import { joinConfigs, readConfig, readSps } from '../../../../src/library/media/video/h264.ts';
import { joinUnits, splitAnnexB, splitUnits } from '../../../../src/library/media/video/nal.ts';
import { ffmpeg, ffprobe, needFfmpeg, packetHashes, scratch } from '../../../fixtures/media/media.ts';
import { jpegs } from '../../../fixtures/media/videos.ts';
import { cut, makeNumbered } from './numbered.ts';
import { seenIn } from './watch.ts';
import { slow } from '../../../fixtures/rounds.ts';

const at = scratch();
const keeps = [
  { startSeconds: 2, endSeconds: 5 },
  { startSeconds: 8, endSeconds: 12 },
];
const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '25'];

const subtitles = `1
00:00:00,500 --> 00:00:01,500
gone

2
00:00:01,500 --> 00:00:03,000
late start

3
00:00:04,000 --> 00:00:09,000
over the seam

4
00:00:10,000 --> 00:00:11,000
whole

5
00:00:12,100 --> 00:00:12,600
gone too
`;
const metadata = `;FFMETADATA1
title=A talk
artist=Somebody
[CHAPTER]
TIMEBASE=1/1000
START=0
END=5500
title=One
[CHAPTER]
TIMEBASE=1/1000
START=5500
END=8000
title=Removed
[CHAPTER]
TIMEBASE=1/1000
START=8000
END=12000
title=Three
`;

/** Cues with their times by ffmpeg. */
function cuesOf(path: string): string[] {
  return ffmpeg('-i', path, '-map', '0:s:0', '-f', 'srt', '-')
    .toString()
    .replaceAll('\r', '')
    .trim()
    .split('\n\n')
    .map((cue) => cue.split('\n').slice(1).join(' | '));
}

describe('what goes along', () => {
  beforeEach(needFfmpeg);

  it.each([
    ['mp4', 'mov_text', false],
    ['mkv', 'srt', false],
    ['mkv', 'srt', true],
    ['mp4', 'mov_text', true],
  ] as const)(
    'subtitles, chapters, tags, language: %s with %s, all encoded: %s',
    slow,
    async (extension, codec, encodeAll) => {
      writeFileSync(at('cues.srt'), subtitles);
      writeFileSync(at('meta.txt'), metadata);
      const source = makeNumbered(at(`along-${String(encodeAll)}.${extension}`), {
        count: 350,
        codec: x264,
        input: ['-i', at('cues.srt'), '-f', 'ffmetadata', '-i', at('meta.txt')],
        output: [
          '-map',
          '2:s',
          '-c:s',
          codec,
          '-map_metadata',
          '3',
          '-map_chapters',
          '3',
          '-metadata:s:a:0',
          'language=deu',
          '-metadata:s:s:0',
          'language=eng',
        ],
      });
      const out = at(`along-cut-${String(encodeAll)}.${extension}`);
      await cut(source, out, keeps, { encodeAll });
      const shift = extension === 'mkv' ? 42 : 0;
      const cues = cuesOf(out);
      expect(cues.map((cue) => cue.split(' | ')[1])).toEqual(['late start', 'over the seam', 'whole']);
      const times = cues.map((cue) =>
        [...cue.matchAll(/00:00:(\d\d),(\d\d\d)/g)].map((match) => Number(match[1]) * 1000 + Number(match[2])),
      );
      const wanted = [
        [0, 1000],
        [2000, 4000],
        [5000, 6000],
      ];
      for (const [n, cue] of times.entries())
        for (const [edge, value] of cue.entries())
          expect(Math.abs(value - (wanted[n]?.[edge] as number))).toBeLessThanOrEqual(shift + 2);
      const facts = await probe(out);
      expect(facts.chapters.map((one) => one.title)).toEqual(['One', 'Three']);
      expect(facts.chapters.map((one) => Math.round(one.startSeconds * 10) / 10)).toEqual([0, 3]);
      expect(facts.tags['title'] ?? facts.tags['TITLE']).toBe('A talk');
      expect(facts.streams.find((one) => one.type === 'audio')?.language).toMatch(/^(deu|ger)$/);
      expect(facts.streams.find((one) => one.type === 'subtitle')?.language).toBe('eng');
    },
  );

  it.each([false, true])('rotation, all encoded: %s', slow, async (encodeAll) => {
    const plain = makeNumbered(at('plain.mp4'), { count: 300, codec: x264 });
    ffmpeg('-i', plain, '-c', 'copy', '-metadata:s:v:0', 'rotate=90', at('turned.mp4'));
    const out = at('turned-cut.mp4');
    await cut(at('turned.mp4'), out, keeps, { encodeAll });
    expect((await probe(out)).video?.rotationDegrees).toBe((await probe(at('turned.mp4'))).video?.rotationDegrees);
    expect((await probe(out)).video?.rotationDegrees).not.toBe(0);
    expect(seenIn(out).length).toBe(175);
  });

  it('colours, shape of pixels, cover art', slow, async () => {
    writeFileSync(at('cover.jpg'), (await jpegs(1, { width: 64, height: 64 }))[0] as Buffer);
    const source = makeNumbered(at('cover.mp4'), {
      count: 300,
      codec: [
        ...x264,
        '-bsf:v:0',
        'h264_metadata=sample_aspect_ratio=4/3',
        '-color_primaries',
        'bt709',
        '-color_trc',
        'bt709',
        '-colorspace',
        'bt709',
        '-color_range',
        'tv',
      ],
      input: ['-i', at('cover.jpg')],
      output: ['-map', '2:v', '-c:v:1', 'copy', '-disposition:v:1', 'attached_pic'],
    });
    for (const encodeAll of [false, true]) {
      const out = at('cover-cut.mp4');
      await cut(source, out, keeps, { encodeAll });
      expect((await probe(out)).cover).toMatchObject({ codec: 'mjpeg', width: 64, height: 64 });
      expect(packetHashes(out, 'v:1')).toEqual(packetHashes(source, 'v:1'));
      expect(seenIn(out).length).toBe(175);
      const looks = (path: string): unknown => {
        const { color_space, color_transfer, color_primaries, color_range, sample_aspect_ratio } = ffprobe(
          path,
        ).streams.find((one) => one.codec_name === 'h264') as unknown as Record<string, unknown>;
        return { color_space, color_transfer, color_primaries, color_range, sample_aspect_ratio };
      };
      expect(looks(out)).toEqual(looks(source));
    }
  });
});

describe('the parts', () => {
  it('the clock carries moments by their keep, removed ones to the seam', () => {
    const clock = new EditClock(keeps, (seconds) => (seconds >= 8 ? seconds - 5 : seconds - 2), 60);
    expect([0, 2, 3.5, 5, 6, 8, 9, 12, 20].map((seconds) => clock.toOutput(seconds))).toEqual([
      0, 0, 1.5, 3, 3, 3, 4, 7, 7,
    ]);
    expect([1.9, 2, 4.999, 5, 7.9, 8, 12].map((seconds) => clock.keepAt(seconds))).toEqual([-1, 0, 0, -1, -1, 1, -1]);
    expect(clock.mapStretch(5.5, 7)).toBeNull();
    expect(clock.mapStretch(4, 9)).toEqual({ startSeconds: 2, endSeconds: 4 });
    expect(clock.touches(5, 7.9)).toBe(false);
    expect(clock.touches(4.9, 6)).toBe(true);
  });

  it('units go from start codes to lengths', () => {
    const stream = Buffer.from([0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x65, 9, 0, 0, 3, 1, 0, 0, 0, 1, 0x06, 5]);
    expect(splitAnnexB(stream).map((unit) => [...unit])).toEqual([
      [0x67, 1, 2],
      [0x65, 9, 0, 0, 3, 1],
      [0x06, 5],
    ]);
    const prefixed = joinUnits(splitAnnexB(stream), true);
    expect([...prefixed.subarray(7)]).toEqual([0, 0, 0, 6, 0x65, 9, 0, 0, 3, 1, 0, 0, 0, 2, 6, 5]);
    expect(splitUnits(prefixed, true)).toEqual(splitAnnexB(stream));
    expect(splitAnnexB(Buffer.alloc(0))).toEqual([]);
  });

  it('parameter sets stand side by side, damaged ones are refused', () => {
    const sps = Buffer.from('6764000d10b3650507e840000003004000000f03c50a6580', 'hex');
    const annexB = Buffer.concat([Buffer.from([0, 0, 0, 1]), sps, Buffer.from('0000000168ebe3cb', 'hex')]);
    const config = readConfig(annexB);
    expect(config).toMatchObject({ lengthPrefixed: false });
    expect(readSps(sps)).toMatchObject({ id: 7, profile: 100, level: 13, plain: true });
    const joined = readConfig(
      joinConfigs(
        { ...(config as NonNullable<typeof config>), lengthPrefixed: true },
        config as NonNullable<typeof config>,
      ),
    );
    expect(joined?.sps.length).toBe(2);
    expect(joined?.pps.length).toBe(2);
    expect(() => readSps(sps.subarray(0, 5))).toThrow(RangeError);
    expect(readConfig(Buffer.from([1, 100, 0, 13, 0xff, 0xe1, 0, 200, 1]))).toBeNull();
    expect(readConfig(Buffer.alloc(3))).toBeNull();
  });
});
