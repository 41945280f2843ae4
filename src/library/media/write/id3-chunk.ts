// The ID3 tag at the end of a WAV or AIFF, for entries that their own lists cannot hold. FFmpeg, TagLib, mutagen and
// programs based on them read it.
import { chapterFrames, encodedText, id3Frame, id3Tag } from '../chapters/id3.ts';
import type { Chapter } from '../facts.ts';
import type { Cover } from './cover.ts';
import { appendChunks } from '../wave/append-chunks.ts';

/** Of RIFF's list, those that FFmpeg gives and takes by their own names. */
const namesInRiff = 'iarl icms icrp idim idpi ieng ikey ilgt imed iplt iprt isbj ishp isrc isrf itch'.split(' ');

/** Containers whose own tags are a short fixed list, and what FFmpeg's writer puts there. */
const ownTags = {
  wav: new Set([
    'artist',
    'comment',
    'copyright',
    'date',
    'genre',
    'language',
    'title',
    'album',
    'track',
    'encoder',
    'timecode',
    'encoded_by',
    ...namesInRiff,
  ]),
  aiff: new Set(['title', 'author', 'copyright', 'comment']),
} as const;

export type Chunked = keyof typeof ownTags;
export const isChunked = (format: string): format is Chunked => format in ownTags;

/** Text frames of ID3v2.3 by FFmpeg's names; others become TXXX frames with their name. */
const textFrames: Readonly<Record<string, string>> = {
  album: 'TALB',
  composer: 'TCOM',
  genre: 'TCON',
  copyright: 'TCOP',
  language: 'TLAN',
  title: 'TIT2',
  artist: 'TPE1',
  album_artist: 'TPE2',
  performer: 'TPE3',
  disc: 'TPOS',
  publisher: 'TPUB',
  track: 'TRCK',
  'album-sort': 'TSOA',
  'artist-sort': 'TSOP',
  'title-sort': 'TSOT',
};

export interface ChunkTag {
  readonly tags: Readonly<Record<string, string>>;
  readonly chapters: readonly Chapter[];
  readonly cover: Pick<Cover, 'data' | 'mimeType'> | null;
}

/** The terminator of a text inside a frame, in the encoding of that text. */
const terminator = (encoded: Buffer): Buffer => Buffer.alloc(encoded[0] === 1 ? 2 : 1);

/** Two texts in one encoding, the first terminated by zero. */
function pair(first: string, second: string): Buffer {
  const [one, two] = [encodedText(first), encodedText(second)];
  if (one[0] === two[0]) return Buffer.concat([one, terminator(one), two.subarray(1)]);
  const wide = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  return Buffer.concat([Buffer.from([1]), wide(first), Buffer.alloc(2), wide(second)]);
}

function tagFrames(tags: readonly (readonly [string, string])[]): Buffer[] {
  return tags.flatMap(([name, value]) => {
    const key = name.toLowerCase();
    if (key === 'comment') {
      const both = pair('', value);
      return [id3Frame('COMM', both.subarray(0, 1), Buffer.from('eng'), both.subarray(1))];
    }
    // ID3v2.3 has separate frames for year and day.
    const date = key === 'date' ? /^(\d{4})(?:-(\d\d)-(\d\d))?/.exec(value) : null;
    if (date) {
      const [, year = '', month, day] = date;
      return [
        id3Frame('TYER', encodedText(year)),
        ...(month && day ? [id3Frame('TDAT', encodedText(`${day}${month}`))] : []),
      ];
    }
    const frame = textFrames[key];
    return [frame ? id3Frame(frame, encodedText(value)) : id3Frame('TXXX', pair(name, value))];
  });
}

function pictureFrame({ data, mimeType }: NonNullable<ChunkTag['cover']>): Buffer {
  const frontCover = 3;
  return id3Frame('APIC', Buffer.from([0]), Buffer.from(`${mimeType}\0`, 'latin1'), Buffer.from([frontCover, 0]), data);
}

/** A tag's size has 28 bits. */
const largestTag = 2 ** 28;

/** Is there anything that the container's own list of tags cannot hold? */
const needsId3 = (format: Chunked, { tags, chapters, cover }: ChunkTag): boolean =>
  cover !== null || chapters.length > 0 || Object.keys(tags).some((key) => !ownTags[format].has(key.toLowerCase()));

/**
 * The tags for the container's own list. FFmpeg before 8 does not read an ID3 tag beside a WAV's INFO list, so a WAV
 * has one or the other; AIFF has both.
 */
export const listedTags = (format: Chunked, tag: ChunkTag): Readonly<Record<string, string>> =>
  format === 'wav' && needsId3(format, tag) ? {} : tag.tags;

/** Adds a chunk with all tags, the chapters and the cover to a finished WAV, RF64 or AIFF file, if it needs one. */
export function writeId3Chunk(path: string, format: Chunked, tag: ChunkTag): void {
  if (!needsId3(format, tag)) return;
  const { chapters, cover } = tag;
  // Readers of AIFF would show a comment twice.
  const tags = Object.entries(tag.tags).filter(([key]) => format === 'wav' || key.toLowerCase() !== 'comment');
  const id3 = id3Tag([
    ...tagFrames(tags),
    ...(chapters.length > 0 ? chapterFrames(chapters) : []),
    ...(cover ? [pictureFrame(cover)] : []),
  ]);
  if (id3.length < largestTag) appendChunks(path, format, [{ id: format === 'wav' ? 'id3 ' : 'ID3 ', body: id3 }]);
}
