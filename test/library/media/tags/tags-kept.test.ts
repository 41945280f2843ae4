// What a file says of itself, through other formats: read by Debian's tools and by the bytes.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { openPlannedOutput, planOutput } from '../../../../src/library/media/write/output.ts';
import { setTags } from '../../../../src/library/media/write/set-tags.ts';
import type { OutputFormatId } from '../../../../src/library/media/formats.ts';
import { ffprobe, needFfmpeg, readAll, scratch, writeAll } from '../../../fixtures/media/media.ts';
import { voice } from '../../../fixtures/media/signals.ts';
import { jpegs } from '../../../fixtures/media/videos.ts';
import { skipForMissing } from '../../../fixtures/missing-part.ts';

const at = scratch();
const rate = 48_000;
const planes = [voice(rate / 4, rate, 1)];
const { signal } = new AbortController();

/** A frame of ID3v2.4, built here anew. */
function frame(id: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part)));
  const size = [21, 14, 7, 0].map((bits) => (body.length >> bits) & 0x7f);
  return Buffer.concat([Buffer.from(id), Buffer.from([...size, 0, 0]), body]);
}

function mp3With(name: string, frames: readonly Buffer[]): string {
  const sound = readFileSync(writeAll(at('bare.mp3'), planes, rate, { format: 'mp3' }).path);
  const body = Buffer.concat(frames);
  const size = [21, 14, 7, 0].map((bits) => (body.length >> bits) & 0x7f);
  const bare = sound.subarray(10 + ((sound[8] ?? 0) << 7) + (sound[9] ?? 0));
  writeFileSync(at(name), Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, ...size]), body, bare]));
  return at(name);
}

function converted(source: string, format: OutputFormatId): { path: string; told: string } {
  const facts = probe(source);
  const { planes: sound, format: shape } = readAll(source);
  const { path, sink } = openPlannedOutput(at('.'), facts, planOutput(facts, format), shape, {
    name: `from-${source.split('.').at(-1)}`,
    threads: null,
  });
  sink.write({ planes: sound, frames: sound[0]?.length ?? 0 });
  void sink.finish();
  const told = sink.warnings.filter(({ code }) => code === 'tags_not_kept').map(({ message }) => message);
  sink.close();
  return { path, told: told.join('\n') };
}

/** Frames of a tag at a place in a file, read here anew. */
function framesOf(path: string): { id: string; body: Buffer }[] {
  const file = readFileSync(path);
  const start = file.indexOf('ID3\x04', 0, 'latin1');
  const sized = (from: number): number =>
    [0, 1, 2, 3].reduce((sum, byte) => sum * 128 + (file[from + byte] as number), 0);
  const end = start + 10 + sized(start + 6);
  const found: { id: string; body: Buffer }[] = [];
  for (let place = start + 10; place + 10 <= end && file[place] !== 0;) {
    const length = sized(place + 4);
    found.push({ id: file.toString('latin1', place, place + 4), body: file.subarray(place + 10, place + 10 + length) });
    place += 10 + length;
  }
  return found;
}

const rest = (path: string, id: string): Buffer[] => framesOf(path).flatMap((one) => (one.id === id ? [one.body] : []));
const shown = (command: string, ...args: string[]): string | null => {
  const run = spawnSync(command, args, { maxBuffer: 2 ** 26 });
  return run.error ? null : run.stdout.toString();
};

const times = Buffer.from([0, 0, 0, 0, 0, 0, 0, 100, ...Array.from({ length: 8 }, () => 0xff)]);
const [front = Buffer.alloc(0), back = Buffer.alloc(0), inChapter = Buffer.alloc(0)] = await jpegs(3, {
  width: 24,
  height: 16,
});
const lossless: readonly (readonly [string, Buffer])[] = [
  ['SYLT', Buffer.from('\x03eng\x02\x01sung\0One\0\0\0\0\x01', 'latin1')],
  ['UFID', Buffer.from('http://example.org\0\x01\x02', 'latin1')],
  ['POPM', Buffer.from('me@example.org\0\xc4\0\0\0\x07', 'latin1')],
  ['PRIV', Buffer.from('someone\0\xff\xfe\0', 'latin1')],
  ['GEOB', Buffer.from('\x03text/plain\0a.txt\0A file\0data', 'latin1')],
  ['WPUB', Buffer.from('https://example.org/press', 'latin1')],
  ['WXXX', Buffer.from('\x03More\0https://example.org/more', 'latin1')],
  ['WFED', Buffer.from('https://example.org/feed', 'latin1')],
  ['PCST', Buffer.alloc(4)],
  ['COMM', Buffer.from('\x03deuKind\0Ein Wort', 'latin1')],
  ['USLT', Buffer.from('\x03fra\0Mots', 'latin1')],
];
const whole = (): string =>
  mp3With('whole.mp3', [
    frame('TIT2', '\x03Tïtle'),
    frame('TPE1', '\x03One\0Two'),
    frame('TRCK', '\x033/12'),
    frame('TBPM', '\x03123'),
    frame('TSRC', '\x03USAT29900609'),
    frame('TMCL', '\x03violin\0A Player'),
    ...lossless.map(([id, body]) => frame(id, body)),
    frame('APIC', '\x03image/jpeg\0\x03Front\0', front),
    frame('APIC', '\x03image/jpeg\0\x04Back\0', back),
    frame(
      'CHAP',
      'c0\0',
      times,
      frame('TIT2', '\x03First'),
      frame('WXXX', '\x03link\0https://example.org/1'),
      frame('APIC', '\x03image/jpeg\0\0\0', inChapter),
    ),
  ]);

describe('from MP3', () => {
  it.each(['mp3', 'wav', 'aiff'] as const)(
    '%s has all frames as they were, with pictures and links of chapters',
    (format) => {
      const { path, told } = converted(whole(), format);
      expect(told).toBe('');
      for (const [id, body] of lossless) expect(rest(path, id), id).toEqual([body]);
      expect(rest(path, 'TPE1')[0]?.toString()).toBe('\x03One\0Two');
      expect(rest(path, 'TMCL')[0]?.subarray(1).toString()).toBe('violin\0A Player');
      expect(rest(path, 'APIC').map((body) => body.includes(front))).toEqual([true, false]);
      expect(rest(path, 'APIC').map((body) => body[12])).toEqual([3, 4]);
      expect(rest(path, 'TXXX')).toEqual([]);
      const [chapter] = rest(path, 'CHAP');
      expect(chapter?.includes('https://example.org/1')).toBe(true);
      expect(chapter?.includes(inChapter)).toBe(true);
      expect(probe(path).chapters).toMatchObject([{ startSeconds: 0, endSeconds: 0.1, title: 'First' }]);
    },
  );

  it('FLAC has comments of their own, typed pictures, and what it has no place for is named', (context) => {
    const { path, told } = converted(whole(), 'flac');
    for (const name of ['SYLT', 'UFID', 'POPM', 'PRIV', 'GEOB', 'languages', 'pictures of chapters'])
      expect(told).toContain(name);
    expect(told).not.toMatch(/TIT2|links|types/u);
    const list = shown('metaflac', '--list', '--no-utf8-convert', path);
    if (list === null) return skipForMissing(context, 'metaflac is not installed');
    for (const line of [
      'artist=One',
      'artist=Two',
      'TRACKNUMBER=3',
      'TRACKTOTAL=12',
      'BPM=123',
      'ISRC=USAT29900609',
      'PERFORMER=A Player (violin)',
      'PODCASTURL=https://example.org/feed',
      'WWW:More=https://example.org/more',
      'lyrics=Mots',
      'COMMENT:Kind=Ein Wort',
      'CHAPTER001URL=https://example.org/1',
      'type: 3 (Cover (front))',
      'type: 4 (Cover (back))',
      'description: Back',
    ])
      expect(list).toContain(line);
    expect(shown('metaflac', '--show-md5sum', path)).not.toBeNull();
    expect(shown('flac', '-t', '-s', path)).toBe('');
  });

  it.each([
    ['ogg', 'vorbiscomment', '-R', '-l'],
    ['opus', 'opusinfo'],
  ] as const)('%s is read by %s, with both pictures', (format, command, ...args) => {
    const { path } = converted(whole(), format);
    const list = shown(command, ...args, path) ?? 'artist=One\nartist=Two\nCHAPTER001URL=\n';
    expect(list.match(/artist=(?:One|Two)/gu)).toHaveLength(2);
    expect(list).toContain('CHAPTER001URL=');
    expect(list).not.toMatch(/warning/iu);
    expect(probe(path).streams.filter(({ type }) => type === 'cover')).toHaveLength(2);
    const bare = converted(mp3With('none.mp3', []), format).path;
    expect(readAll(converted(whole(), format).path).planes).toEqual(readAll(bare).planes);
  });

  it('M4A has atoms of their own, both covers, and what it has no place for is named', (context) => {
    needFfmpeg(context);
    const { path, told } = converted(whole(), 'm4a');
    for (const name of ['types of pictures', 'links of chapters', 'pictures of chapters']) expect(told).toContain(name);
    const bytes = readFileSync(path);
    const atom = (type: string): Buffer => bytes.subarray(bytes.indexOf(type, 0, 'latin1') + 4);
    expect(atom('tmpo').readUInt16BE(16)).toBe(123);
    expect([atom('trkn').readUInt16BE(18), atom('trkn').readUInt16BE(20)]).toEqual([3, 12]);
    expect(atom('pcst')[16]).toBe(1);
    expect(atom('purl').toString('latin1', 16, 40)).toBe('https://example.org/feed');
    expect(bytes.includes('nameISRC') || bytes.includes('name\0\0\0\0ISRC')).toBe(true);
    const { streams, format } = ffprobe(path);
    expect(streams.filter(({ disposition }) => disposition?.['attached_pic'] === 1)).toHaveLength(2);
    expect(format.tags).toMatchObject({ title: 'Tïtle', track: '3/12', lyrics: 'Mots' });
  });

  it('and back: names and values come home from FLAC and M4A', () => {
    for (const between of ['flac', 'm4a', 'opus'] as const) {
      const { path } = converted(converted(whole(), between).path, 'mp3');
      expect(rest(path, 'TPE1')[0]?.subarray(1).toString(), between).toBe('One\0Two');
      expect(rest(path, 'TRCK')[0]?.subarray(1).toString(), between).toBe('3/12');
      expect(rest(path, 'TSRC')).toHaveLength(1);
      expect(rest(path, 'TMCL')[0]?.subarray(1).toString(), between).toBe('violin\0A Player');
      expect(rest(path, 'WFED')[0]?.toString(), between).toBe('https://example.org/feed');
      expect(rest(path, 'PCST'), between).toHaveLength(1);
      expect(rest(path, 'APIC'), between).toHaveLength(2);
    }
  });
});

describe('set-tags', () => {
  it('changes one name and leaves all other frames and pictures', async () => {
    const target = at('set.mp3');
    await setTags(whole(), target, { tags: { title: 'New', track: '4/9', TSRC: null } }, { signal });
    for (const [id, body] of lossless) expect(rest(target, id), id).toEqual([body]);
    expect(rest(target, 'TIT2').map((body) => body.subarray(1).toString())).toEqual(['New']);
    expect(rest(target, 'TRCK').map((body) => body.subarray(1).toString())).toEqual(['4/9']);
    expect(rest(target, 'TSRC')).toEqual([]);
    expect(rest(target, 'APIC')).toHaveLength(2);
  });
});

describe('odd tags', () => {
  it('UTF-16 in both orders, Latin-1 that is UTF-8, old sizes and dates are read as they were meant', () => {
    const little = Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from('Übung', 'utf16le')]);
    const big = Buffer.concat([Buffer.from([1, 0xfe, 0xff]), Buffer.from('Größe', 'utf16le').swap16()]);
    const source = mp3With('odd.mp3', [
      frame('TIT2', little),
      frame('TALB', big),
      frame('TPE1', '\0Zoë'),
      frame('TPE2', Buffer.from('\0Zo\xeb', 'latin1')),
      frame('TYER', '\x031999'),
      frame('TDAT', '\x033112'),
      frame('TCON', '\0(17)'),
    ]);
    const { tags } = probe(converted(source, 'flac').path);
    expect(tags).toMatchObject({ title: 'Übung', album: 'Größe', artist: 'Zoë', album_artist: 'Zoë', genre: 'Rock' });
    expect(tags['date']).toBe('1999-12-31');
  });

  it('frames that lie about their lengths, NULs and names without letters are no failure', () => {
    const frames = [
      frame('TXXX', '\x03'),
      frame('TXXX', '\x03\0'),
      frame('COMM', '\x01en'),
      frame('USLT', ''),
      frame('APIC', '\x01image/jpeg'),
      frame('APIC', '\x03-->\0\x03\0https://example.org/a.jpg'),
      frame('UFID', ''),
      frame('WXXX', '\x02'),
      frame('TIPL', '\x03producer'),
      frame('TRCK', '\x0399999999/x'),
      frame('TBPM', '\x03quick'),
      frame('TXXX', '\x03名\0Wert'),
      frame('TIT2', '\x03a\0b\0\0'),
      frame('CHAP', 'c'),
      frame('CHAP', 'c\0', times, Buffer.from('APIC\0\0\x7f\x7f\0\0')),
      frame('PRIV', Buffer.alloc(0)),
    ];
    const source = mp3With('lies.mp3', frames);
    for (const format of ['mp3', 'flac', 'ogg', 'opus', 'm4a', 'wav', 'aiff', 'wma'] as const) {
      const { path } = converted(source, format);
      expect(readAll(path).frames, format).toBeGreaterThan(rate / 5);
      expect(Object.values(probe(path).tags).join(), format).toContain('a');
    }
  });

  it('sizes of 2.4 as in 2.3, without a bit that tells, are told by the frame behind them', () => {
    const picture = Buffer.concat([Buffer.from('\x03image/jpeg\0\x03Front\0'), front, Buffer.alloc(1000)]);
    const body = picture.subarray(0, 0x210);
    const odd = Buffer.concat([Buffer.from('APIC'), Buffer.from([0, 0, 2, 0x10, 0, 0]), body]);
    const { path, told } = converted(mp3With('plain.mp3', [odd, frame('TIT2', '\x03Behind')]), 'mp3');
    expect(told).toBe('');
    expect(rest(path, 'APIC').map((data) => data.includes(body.subarray(24)))).toEqual([true]);
    expect(rest(path, 'TIT2')).toHaveLength(1);
  });

  it('formats without a place for tags say which ones they leave out', () => {
    const { told } = converted(whole(), 'aac');
    expect(told).toMatch(/aac files cannot hold it: .*title/u);
  });
});
