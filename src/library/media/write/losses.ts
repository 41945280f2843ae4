// What a finished file does not have of what it was made from: one list, made by comparing what both hold. Every writer
// makes it when its file is complete, so that nothing is lost without a word.
import type { Warning } from '../../core/progress/progress.ts';
import type { Chapter, MediaFacts } from '../facts.ts';
import { readTags } from './read-tags.ts';
import type { Tags } from '../tags/model.ts';
import { lostChunks } from './lost-chunks.ts';
import { lostStreams } from './lost-streams.ts';
import { lostNames } from './lost-tags.ts';

/** What a file was made from. */
export interface Expected {
  /** Files whose streams and chunks it should have. */
  readonly sources: readonly MediaFacts[];
  /** Further files, of which only sound should be in it. Default: none. */
  readonly besides?: readonly MediaFacts[];
  /** Those that should be in it. */
  readonly tags: Tags;
  /** Where they should be in it. */
  readonly chapters: readonly Chapter[];
  /** Was sound asked for? Then moving pictures are not missed. Default false. */
  readonly leavesPicture?: boolean | undefined;
}

const mostNames = 20;

function tagsNotKept(extension: string, names: readonly string[]): Warning[] {
  if (names.length === 0) return [];
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  const listed = names.slice(0, mostNames).join(', ');
  return [
    { code: 'tags_not_kept', message: `Not in the output, since ${extension} files cannot hold it: ${listed}${more}` },
  ];
}

function chaptersDropped(extension: string, before: number, after: number): Warning[] {
  if (after >= before) return [];
  return [
    {
      code: 'chapters_dropped',
      message:
        after === 0
          ? `${extension} files cannot hold chapters; the source's ${before} are not in the output`
          : `${extension} files hold at most ${after} chapters; the last ${before - after} are not in the output`,
    },
  ];
}

function chunksDropped(extension: string, sources: readonly MediaFacts[], path: string): Warning[] {
  const lost = sources.map((source) => lostChunks(source.path, path));
  const names = [...new Set(lost.flatMap((one) => one.names))];
  const why = lost[0]?.isWave === false ? `: ${extension} files have no place for them` : '';
  if (names.length === 0) return [];
  return [
    {
      code: 'chunks_dropped',
      message: `Not in the output are parts of the WAV file: ${names.slice(0, 10).join(', ')}${why}`,
    },
  ];
}

/** FFmpeg shows no pictures of kinds that it does not know. */
const anyCover = { codec: '', width: 0, height: 0 };

/** It is a track of its own, or a tag. */
const hasTimecode = ({ streams, tags }: MediaFacts): boolean =>
  streams.some(({ codec }) => codec === 'tmcd') || Object.keys(tags).some((name) => name.toLowerCase() === 'timecode');

const soundOf = (facts: MediaFacts): MediaFacts => ({
  ...facts,
  streams: facts.streams.filter(({ type }) => type === 'audio'),
});

/**
 * What is not in a finished file, as warnings.
 * @param extension of its kind, for messages
 */
export function lossesIn(written: MediaFacts, extension: string, expected: Expected): Warning[] {
  const { sources, besides = [], tags, chapters, leavesPicture = false } = expected;
  const cover = tags.pictures.length > 0 ? (written.cover ?? anyCover) : null;
  const after = { tags: readTags({ ...written, cover }), chapters: written.chapters };
  const names = lostNames({ tags, chapters }, after, written.tags);
  if (sources.some(hasTimecode) && !hasTimecode(written)) names.push('timecode');
  return [
    ...lostStreams([...sources, ...besides.map(soundOf)], written, leavesPicture),
    ...chaptersDropped(extension, chapters.length, written.chapters.length),
    ...chunksDropped(extension, sources, written.path),
    ...tagsNotKept(extension, names),
  ];
}
