// Tags, pictures and chapters of a file that is written: what FFmpeg is told before, and what is put into the finished
// file, where FFmpeg would lose it.
import { closeSync, openSync, writeSync } from 'node:fs';
import { EarshotError } from '../../core/errors/errors.ts';
import { chapterFrames } from '../chapters/id3.ts';
import { chapterRoom, roomTag, writeMatroskaChapters } from '../chapters/matroska.ts';
import { writeMp4Additions } from '../chapters/mp4.ts';
import { vorbisChapters } from '../chapters/vorbis-comments.ts';
import type { Chapter } from '../facts.ts';
import { type Chunked, isChunked, isListed, writeId3Chunk } from './id3-chunk.ts';
import { findTag, headerLength, id3Tag, largestId3Tag, totalLength } from '../tags/id3-frames.ts';
import { framesOf } from '../tags/id3.ts';
import type { TagEntry, Tags } from '../tags/model.ts';
import { listBox } from '../tags/mp4.ts';
import { namesOf } from '../tags/names.ts';
import { commentBlock, flacPictureBlock, pictureComment, vorbisComments } from '../tags/vorbis.ts';
import {
  flacRoom,
  largestComments,
  largestFlacBlock,
  oggPlaceholder,
  placeholderName,
  writeFlacHead,
  writeOggComments,
} from '../tags/vorbis-blocks.ts';

type Words = Readonly<Record<string, string>>;

/** What a file says of itself. */
export interface Labels {
  readonly tags: Tags;
  readonly chapters: readonly Chapter[];
}

export interface LabelWriter {
  /** For FFmpeg's writer. */
  readonly options: Words;
  /** Tags of the file, for FFmpeg's writer; in Ogg also those of its stream. */
  readonly metadata: Words;
  /** Puts the rest into the finished file. */
  complete(path: string): void;
}

/** FFmpeg's time for a tag, and its memory, grow with its length. */
const longestWords = 65_535;

/** Tags as FFmpeg takes them: one text a name. */
function wordsOf(entries: readonly TagEntry[]): Record<string, string> {
  const words: Record<string, string> = {};
  for (const { name, values, description = '', native } of entries) {
    const text = values.join('; ').replaceAll('\0', '; ');
    if (values.length === 0 || text.length > longestWords) continue;
    const base = native === undefined ? name : namesOf(name).ffmpeg;
    const key = description === '' ? base : `${base}:${description}`;
    words[key] = words[key] === undefined ? text : `${words[key]}; ${text}`;
  }
  return words;
}

const nothing = (): void => undefined;

function mp3Plan({ tags, chapters }: Labels): LabelWriter {
  const frames = [...framesOf(tags), ...chapterFrames(chapters)];
  if (frames.length === 0) return { options: { id3v2_version: '4' }, metadata: {}, complete: nothing };
  // Ten bytes behind the frames at least, as FFmpeg leaves them.
  const padding = totalLength(frames) + headerLength;
  return {
    options: { id3v2_version: '4', metadata_header_padding: String(padding) },
    metadata: {},
    complete(path) {
      const handle = openSync(path, 'r+');
      try {
        const place = findTag(handle);
        if (place === null || place.length < padding)
          throw new EarshotError('internal_error', 'The written file has no room for its tag');
        const tag = id3Tag(frames, place.length);
        writeSync(handle, tag, 0, tag.length, place.start);
      } finally {
        closeSync(handle);
      }
    },
  };
}

/**
 * FFmpeg before 8 does not read an ID3 tag beside a WAV's INFO list, so a WAV has one or the other; AIFF has both.
 * Readers of AIFF would show a comment twice.
 */
function chunkPlan(format: Chunked, { tags, chapters }: Labels): LabelWriter {
  const { entries, pictures } = tags;
  const listed = entries.filter((entry) => isListed(format, entry));
  const needsId3 = pictures.length + chapters.length > 0 || listed.length < entries.length;
  const own = listed.filter(({ name }) => !needsId3 || (format === 'aiff' && namesOf(name).vorbis !== 'COMMENT'));
  const complete = (path: string): void =>
    writeId3Chunk(path, format, id3Tag([...framesOf(tags), ...chapterFrames(chapters)]));
  const metadata = Object.fromEntries(own.map(({ name, values }) => [namesOf(name).ffmpeg, values[0] ?? '']));
  return { options: {}, metadata, complete: needsId3 ? complete : nothing };
}

function flacPlan({ tags, chapters }: Labels): LabelWriter {
  const comments = [...vorbisComments(tags), ...vorbisChapters(chapters)];
  const pictures = tags.pictures.map(flacPictureBlock).filter(({ length }) => length <= largestFlacBlock);
  if (comments.length + pictures.length === 0) return { options: {}, metadata: {}, complete: nothing };
  const block = commentBlock(comments);
  return {
    options: { metadata_header_padding: String(flacRoom(block, pictures)) },
    metadata: {},
    complete: (path) => writeFlacHead(path, block, pictures),
  };
}

const oggTextBytes = 1024 * 1024;

function oggPlan({ tags, chapters }: Labels): LabelWriter {
  // Room for the other comments; the pictures are in Base64.
  let left = 0.75 * (largestComments - oggTextBytes);
  const pictures = tags.pictures.filter(({ data }) => data.length <= left && (left -= data.length) >= 0);
  const comments = [...vorbisComments(tags), ...vorbisChapters(chapters), ...pictures.map(pictureComment)];
  if (comments.length === 0) return { options: {}, metadata: {}, complete: nothing };
  const block = commentBlock(comments);
  return {
    options: {},
    metadata: { [placeholderName]: oggPlaceholder(block) },
    complete: (path) => writeOggComments(path, block),
  };
}

/** Tags that FFmpeg has boxes or tracks of their own for. */
const ofFfmpegInMp4 = new Set(['location', 'timecode']);

/** @param changedLater is something else put into the header before `complete`? */
function mp4Plan(muxer: string, { tags, chapters }: Labels, changedLater: boolean): LabelWriter {
  const isEmpty = tags.entries.length + tags.pictures.length === 0;
  const list = isEmpty ? null : listBox({ ...tags, entries: tags.entries.filter(({ name }) => name !== 'timecode') });
  const isLater = changedLater || chapters.length > 0 || list !== null;
  const words = Object.entries(wordsOf(tags.entries));
  return {
    options: isLater ? {} : { movflags: '+faststart' },
    // QuickTime has strings of its own besides.
    metadata: Object.fromEntries(words.filter(([name]) => muxer === 'mov' || ofFfmpegInMp4.has(name))),
    complete: (path) => isLater && writeMp4Additions(path, { chapters, list }),
  };
}

function matroskaPlan({ tags, chapters }: Labels): LabelWriter {
  const words = wordsOf(tags.entries);
  if (chapters.length === 0) return { options: {}, metadata: words, complete: nothing };
  return {
    options: { write_crc32: '0' },
    metadata: { ...words, [roomTag]: chapterRoom(chapters) },
    complete: (path) => writeMatroskaChapters(path, chapters),
  };
}

function planFor(muxer: string, labels: Labels, changedLater: boolean): LabelWriter {
  if (muxer === 'mp3') return mp3Plan(labels);
  if (isChunked(muxer)) return chunkPlan(muxer, labels);
  if (muxer === 'flac') return flacPlan(labels);
  if (['ogg', 'opus'].includes(muxer)) return oggPlan(labels);
  if (['mp4', 'mov', 'ipod'].includes(muxer)) return mp4Plan(muxer, labels, changedLater);
  if (['matroska', 'webm'].includes(muxer)) return matroskaPlan(labels);
  return { options: {}, metadata: wordsOf(labels.tags.entries), complete: nothing };
}

/** A tag of ID3 has room for 256 MiB: more pictures than that are left out. */
function fitting({ tags, chapters }: Labels): Labels {
  const bytes = tags.pictures.reduce((sum, { data }) => sum + data.length, 0);
  return { tags: bytes < largestId3Tag / 2 ? tags : { ...tags, pictures: [] }, chapters };
}

/**
 * Everything that a file of this muxer gets besides its sound and pictures.
 * @param changedLater is something else put into the header of an MP4 or MOV before `complete`? Default false
 */
export const openLabels = (muxer: string, labels: Labels, changedLater = false): LabelWriter =>
  planFor(muxer, fitting(labels), changedLater);
