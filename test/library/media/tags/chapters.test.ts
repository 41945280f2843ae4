// Chapters of every container, read and written, against ffmpeg's and Debian's own readers.
import { spawnSync } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { skipForMissing } from '../../../fixtures/missing-part.ts';
import { withEnds } from '../../../../src/library/media/chapters/times.ts';
import { podcastChapters } from '../../../../src/library/media/chapters/podcast.ts';
import type { Chapter, MediaFacts } from '../../../../src/library/media/facts.ts';
import type { OutputFormatId } from '../../../../src/library/media/formats.ts';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { trim } from '../../../../src/library/media/write/trim.ts';
import { ffmpeg, ffprobe, hasFfmpeg, needFfmpeg, readAll, scratch, writeAll } from '../../../fixtures/media/media.ts';
import { runTool } from '../../../fixtures/media/run-context.ts';
import { voice } from '../../../fixtures/media/signals.ts';
import { convertAudio } from '../../../../src/library/tools/convert_audio/tool.ts';
import { eachOf, forOf, slow } from '../../../fixtures/rounds.ts';

const at = scratch();
const rate = 48_000;
const planes = [voice(6 * rate, rate, 1)];
const chapters: Chapter[] = [
  { startSeconds: 0, endSeconds: 1.25, title: 'Anfang – ä' },
  { startSeconds: 1.25, endSeconds: 4, title: 'Middle; = # \\ x' },
  { startSeconds: 4, endSeconds: 6, title: '終わり' },
];
const probed = (path: string): MediaFacts | null => {
  try {
    return probe(path);
  } catch {
    return null;
  }
};
const plain = (found: readonly Chapter[]): [number, string][] =>
  found.map(({ startSeconds, title }) => [Math.round(startSeconds * 1000) / 1000, title]);
const byFfprobe = (path: string): [number, string][] =>
  ffprobe(path).chapters.map((one) => [Math.round(Number(one.start_time) * 1000) / 1000, one.tags?.['title'] ?? '']);

/** What this ffmpeg's own readers know of: chapters in AIFF and WAV came to it later than ours may be tested with. */
const carriers = ['mp3', 'm4a', 'flac', 'ogg', 'opus', 'wav', 'aiff'] as const satisfies OutputFormatId[];

describe('written by us', () => {
  eachOf(carriers)('%s: all of them, and the sound as without them', async (format) => {
    const bare = writeAll(at(`bare.${format}`), planes, rate, { format }).path;
    const { path, warnings } = writeAll(at(`chapters.${format}`), planes, rate, { format, chapters });
    expect(warnings).toEqual([]);
    const facts = await probe(path);
    expect(plain(facts.chapters)).toEqual(plain(chapters));
    for (const [n, one] of facts.chapters.entries())
      expect(Math.abs(one.endSeconds - (chapters[n] as Chapter).endSeconds)).toBeLessThan(0.05);
    // No trace of the room they were written into.
    expect(readFileSync(path).includes('EARSHOT')).toBe(false);
    expect(Object.keys(facts.tags).filter((key) => /chapter/i.test(key))).toEqual([]);
    if (hasFfmpeg) expect(byFfprobe(path)).toEqual(plain(chapters));
    const [own, other] = [readAll(path), readAll(bare)];
    expect(own.frames).toBe(other.frames);
    expect(own.planes[0]).toEqual(other.planes[0]);
  });

  it.each(['aac', 'wma'] as const)('%s has no place for them, and says so', (format) => {
    const { warnings } = writeAll(at(`none.${format}`), planes, rate, { format, chapters });
    expect(warnings.map(({ code }) => code)).toContain('chapters_dropped');
    expect(writeAll(at(`quiet.${format}`), planes, rate, { format }).warnings.map(({ code }) => code)).not.toContain(
      'chapters_dropped',
    );
  });

  it.each([
    ['mp3', 600, 600],
    ['flac', 600, 600],
    ['m4a', 600, 255],
    ['opus', 1200, 999],
  ] as const)('%s with %i chapters', async (format, count, kept) => {
    const many = Array.from({ length: count }, (_, n) => ({
      startSeconds: n / 250,
      endSeconds: (n + 1) / 250,
      title: `No ${n}`,
    }));
    const { path, warnings } = writeAll(at(`many.${format}`), planes, rate, { format, chapters: many });
    expect(warnings.map(({ code }) => code)).toEqual(kept < count ? ['chapters_dropped'] : []);
    expect(plain((await probe(path)).chapters)).toEqual(plain(many.slice(0, kept)));
    if (hasFfmpeg) expect(ffprobe(path).chapters).toHaveLength(kept);
  });

  it('a table of contents stands before the chapters of an MP3', () => {
    const { path } = writeAll(at('toc.mp3'), planes, rate, { format: 'mp3', chapters, tags: { title: 'Show' } });
    const data = readFileSync(path);
    const toc = data.indexOf('CTOC');
    expect(toc).toBeGreaterThan(0);
    // Identifier, flags "top level, ordered", number of entries, and their names.
    expect(data.subarray(toc + 10).toString('latin1', 0, 21)).toBe('toc\0\x03\x03chp0\0chp1\0chp2\0');
    expect(data.indexOf('TIT2')).toBeLessThan(toc);
  });

  const readers: [OutputFormatId, string, string[]][] = [
    ['ogg', 'vorbiscomment', ['-R', '-l']],
    ['opus', 'opusinfo', []],
    ['flac', 'metaflac', ['--list', '--block-type=VORBIS_COMMENT', '--no-utf8-convert']],
  ];
  it.for(readers)('%s: %s shows them', ([format, command, args], context) => {
    const { path } = writeAll(at(`shown.${format}`), planes, rate, { format, chapters });
    const run = spawnSync(command, [...args, path]);
    if (run.error) skipForMissing(context, `${command} is not installed`);
    const shown = run.stdout.toString();
    expect(shown).toContain('CHAPTER002=00:00:01.250');
    expect(shown).toContain('CHAPTER002NAME=Middle; = # \\ x');
    expect(shown).toContain('CHAPTER003NAME=終わり');
  });
});

describe('conversion', () => {
  const targets = ['mp3', 'wav', 'm4a', 'flac', 'ogg', 'opus'] as const;
  forOf(['mp3', 'm4a', 'mka', 'mkv', 'webm', 'flac', 'ogg', 'opus'])(
    'from ffmpeg’s %s to all',
    async (extension, context) => {
      needFfmpeg(context);
      const wav = writeAll(at('talk.wav'), planes, rate, { format: 'wav' }).path;
      const list = at('list.txt');
      const escaped = (title: string): string => title.replaceAll(/[=;#\\]/g, String.raw`\$&`);
      writeFileSync(
        list,
        `;FFMETADATA1\n${chapters
          .map(
            ({ startSeconds, endSeconds, title }) =>
              `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${startSeconds * 1000}\nEND=${endSeconds * 1000}\n` +
              `title=${escaped(title)}\n`,
          )
          .join('')}`,
      );
      const source = at(`theirs.${extension}`);
      const codec = extension === 'webm' || extension === 'mka' ? ['-c:a', 'libopus'] : [];
      // Debian's ffmpeg writes no chapters of its own into these two.
      const comments = ['flac', 'ogg'].includes(extension)
        ? chapters.flatMap(({ startSeconds, title }, n) => [
            '-metadata',
            `CHAPTER00${n}=00:00:0${startSeconds.toFixed(3)}`,
            '-metadata',
            `CHAPTER00${n}NAME=${title}`,
          ])
        : [];
      ffmpeg('-i', wav, '-i', list, '-map', '0:a', '-map_chapters', '1', ...comments, ...codec, source);
      expect(plain((await probe(source)).chapters)).toEqual(plain(chapters));
      for (const format of targets) {
        const run = await runTool(convertAudio, source, { format }, at('work-'));
        expect(plain((await probe(run.path)).chapters), format).toEqual(plain(chapters));
        expect(byFfprobe(run.path), format).toEqual(plain(chapters));
        expect(run.warnings.map(({ code }) => code)).not.toContain('chapters_dropped');
      }
    },
  );

  it.each(['mp3', 'flac', 'ogg', 'opus', 'wav'] as const)('%s cut by its packets keeps them', async (format) => {
    const { path } = writeAll(at(`whole.${format}`), planes, rate, { format, chapters });
    const cut = await trim(path, at(`part-${format}`), 2, { signal: new AbortController().signal });
    expect(cut.cut).toBe(true);
    expect(plain((await probe(cut.path)).chapters)).toEqual(plain(chapters.slice(0, 2)));
  });
});

describe('damaged and odd lists', () => {
  it('a cut-off or garbled tag is no chapter and no failure', async () => {
    for (const format of ['mp3', 'flac', 'ogg', 'wav'] as const) {
      const { path } = writeAll(at(`damaged.${format}`), planes, rate, { format, chapters });
      const whole = readFileSync(path);
      const first = whole.indexOf(format === 'mp3' || format === 'wav' ? 'CHAP' : 'CHAPTER001');
      for (const offset of [-30, -8, -3, 5, 8, 12, 20, 40]) {
        const garbled = Buffer.from(whole);
        garbled.fill(0xff, first + offset, first + offset + 4);
        writeFileSync(path, garbled);
        const facts = probed(path);
        expect((facts?.chapters.length ?? 0) <= 3, `${format} ${offset}`).toBe(true);
      }
      writeFileSync(path, whole);
      truncateSync(path, first + 20);
      probed(path);
    }
  });

  it('a tag of millions of empty frames costs no memory to speak of', slow, async () => {
    const sound = readFileSync(writeAll(at('few.mp3'), planes, rate, { format: 'mp3' }).path);
    const empty = Buffer.from('ABCD\0\0\0\0\0\0', 'latin1');
    const chapter = Buffer.concat([Buffer.from('CHAP\0\x98\x96\x92\0\0c\0', 'latin1'), Buffer.alloc(16)]);
    // Within a chapter, then behind it.
    const body = Buffer.concat([chapter, Buffer.alloc(1e7, empty), Buffer.alloc(5e7, empty)]);
    const sizes = [21, 14, 7, 0].map((bits) => (body.length >> bits) & 127);
    writeFileSync(at('empty.mp3'), Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, ...sizes]), body, sound]));
    const before = process.resourceUsage().maxRSS;
    expect((await probe(at('empty.mp3'))).chapters).toHaveLength(1);
    // 1.9 GB when every frame was kept; the tag itself, and FFmpeg's look at it, are 60 MB each.
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(500);
  });

  it('times that no recording can have, and titles as long as a book', async () => {
    const odd = [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e12].map((startSeconds) => ({ startSeconds, title: '' }));
    const last = {
      startSeconds: 2,
      endSeconds: Number.POSITIVE_INFINITY,
      title: 'x'.repeat(4095) + '\u{1f600}'.repeat(9),
    };
    const found = withEnds([...odd, last, { startSeconds: 1, endSeconds: 1e300, title: 'a' }], 6);
    expect(found).toEqual([
      { startSeconds: 1, endSeconds: 2, title: 'a' },
      { startSeconds: 2, endSeconds: 6, title: 'x'.repeat(4095) },
    ]);
    // Every list can say what is left, at its latest.
    const latest = withEnds([{ startSeconds: 1e9, title: 'late' }], 6);
    for (const format of carriers) {
      const { path } = writeAll(at(`late.${format}`), planes, rate, { format, chapters: latest });
      await probe(path);
    }
  });

  it('unsynchronised ID3v2.3 and 2.4 tags, with an extended header', async () => {
    const sound = readFileSync(writeAll(at('bare.mp3'), planes, rate, { format: 'mp3' }).path);
    const withoutTag = sound.subarray(10 + ((sound[8] ?? 0) << 7) + (sound[9] ?? 0));
    const syncsafe = (size: number): Buffer =>
      Buffer.from([(size >> 21) & 127, (size >> 14) & 127, (size >> 7) & 127, size & 127]);
    const plainSize = (size: number): Buffer => Buffer.from([size >> 24, size >> 16, size >> 8, size]);
    const stuffed = (data: Buffer): Buffer =>
      Buffer.from([...data].flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte])));
    for (const version of [3, 4]) {
      const size = version === 3 ? plainSize : syncsafe;
      const title = Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from('Übung', 'utf16le')]);
      const sub = Buffer.concat([Buffer.from('TIT2'), size(title.length), Buffer.alloc(2), title]);
      const times = Buffer.from([0, 0, 0x03, 0xff, 0, 0, 0x10, 0xff, ...Array.from({ length: 8 }, () => 0xff)]);
      const body = Buffer.concat([Buffer.from('c1\0'), times, sub]);
      const payload = version === 4 ? stuffed(body) : body;
      const frame = Buffer.concat([
        Buffer.from('CHAP'),
        size(payload.length),
        Buffer.from([0, version === 4 ? 2 : 0]),
        payload,
      ]);
      const extension = version === 3 ? Buffer.from([0, 0, 0, 6, 0, 0, 0, 0, 0, 0]) : Buffer.from([0, 0, 0, 6, 1, 0]);
      const inner = Buffer.concat([extension, frame]);
      const whole = version === 3 ? stuffed(inner) : inner;
      const header = Buffer.concat([Buffer.from('ID3'), Buffer.from([version, 0, 0xc0]), syncsafe(whole.length)]);
      writeFileSync(at('odd.mp3'), Buffer.concat([header, whole, withoutTag]));
      const facts = await probe(at('odd.mp3'));
      expect(facts.chapters, `ID3v2.${version}`).toEqual([{ startSeconds: 1.023, endSeconds: 4.351, title: 'Übung' }]);
    }
  });
});

it('podcast JSON', async () => {
  const { path } = writeAll(at('podcast.mp3'), planes, rate, { format: 'mp3', chapters });
  const { version, chapters: listed } = podcastChapters((await probe(path)).chapters);
  expect(version).toBe('1.2.0');
  expect(listed).toEqual(
    chapters.map(({ startSeconds, endSeconds, title }) => ({ startTime: startSeconds, endTime: endSeconds, title })),
  );
});
