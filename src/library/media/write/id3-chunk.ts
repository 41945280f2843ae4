// The ID3 tag at the end of a WAV or AIFF, for tags that their own lists cannot hold. FFmpeg, TagLib, mutagen and
// programs based on them read it.
import { largestId3Tag } from '../tags/id3-frames.ts';
import type { TagEntry } from '../tags/model.ts';
import { namesOf } from '../tags/names.ts';
import { appendChunks } from '../wave/append-chunks.ts';

/** Containers whose own tags are a short fixed list: what FFmpeg's writer puts there. */
const ownTags = {
  wav: new Set('artist,comment,copyright,date,genre,language,title,album,track,timecode,encoded_by'.split(',')),
  aiff: new Set('title,author,copyright,comment'.split(',')),
} as const;

/** Of RIFF's list, those that FFmpeg gives and takes by their own names. */
const namesInRiff = new Set(
  'iarl icms icrp idim idpi ieng ikey ilgt imed iplt iprt isbj ishp isrc isrf itch'.split(' '),
);

export type Chunked = keyof typeof ownTags;
export const isChunked = (format: string): format is Chunked => format in ownTags;

/** Is it a name in the container's list, or of a Broadcast WAV's extension? */
export const isInList = (name: string): boolean =>
  Object.values(ownTags).some((names) => names.has(name)) ||
  namesInRiff.has(name) ||
  ['originator_reference', 'time_reference', 'umid', 'coding_history'].includes(name);

/** Can the container's own list hold a tag? */
export const isListed = (format: Chunked, { name, values, description = '', native }: TagEntry): boolean =>
  values.length === 1 &&
  description === '' &&
  (ownTags[format].has(namesOf(name).ffmpeg.toLowerCase()) ||
    // The same letters mean something else in other formats.
    (format === 'wav' && native === undefined && namesInRiff.has(name.toLowerCase())));

/** Adds a chunk with a tag to a finished WAV, RF64 or AIFF file. */
export function writeId3Chunk(path: string, format: Chunked, id3: Buffer): void {
  if (id3.length < largestId3Tag) appendChunks(path, format, [{ id: format === 'wav' ? 'id3 ' : 'ID3 ', body: id3 }]);
}
