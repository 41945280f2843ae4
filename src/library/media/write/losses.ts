// What a finished file does not have of what it was made from: one list, made by comparing what both hold. Every writer
// makes it when its file is complete, so that nothing is lost without a word.
import { count } from '../../core/readable.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { Chapter, MediaFacts } from '../facts.ts';
import { readTags } from './read-tags.ts';
import type { Tags } from '../tags/model.ts';
import { lostChunks } from './lost-chunks.ts';
import { lostStreams } from './lost-streams.ts';
import { type Described, lostNames } from './lost-tags.ts';
import { travelling } from '../tags/rules.ts';
import { markIds } from '../wave/markers.ts';
import { readWave } from '../wave/read-chunks.ts';

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

function listed(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return `${names.slice(0, mostNames).join(', ')}${more}`;
}

const tagsNotKept = (why: string, names: readonly string[]): Warning[] =>
  names.length === 0 ? [] : [{ code: 'tags_not_kept', message: `Not in the output, ${why}: ${listed(names)}` }];

/** Chapters of the sources of which nothing is left, since their time was cut out. */
function chaptersCut(sources: readonly MediaFacts[], chapters: readonly Chapter[]): Warning[] {
  const left = chapters.map(({ title }) => title);
  // Marks of a WAV are compared as such.
  const own = sources.filter(({ path }) => (readWave(path, markIds)?.chunks.length ?? 0) === 0);
  const cut = own
    .flatMap((source) => source.chapters)
    .filter(({ title }) => {
      const at = left.indexOf(title);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  if (cut.length === 0) return [];
  const names = listed(cut.map(({ title }) => title || 'without a title'));
  return [
    { code: 'chapters_dropped', message: `${count(cut.length, 'chapter was', 'chapters were')} cut out: ${names}` },
  ];
}

/** Names of what further files have that the output does not. */
function lostOfOthers({ sources, besides = [] }: Expected, after: Described, written: MediaFacts): string[] {
  const titles = { name: 'chapters', values: written.chapters.map(({ title }) => title) };
  const found = { ...after, tags: { ...after.tags, entries: [...after.tags.entries, titles] } };
  const names = [...sources.slice(1), ...besides].flatMap((facts) =>
    lostNames({ tags: travelling(readTags(facts), { processed: true }), chapters: [] }, found, written.tags),
  );
  return [...new Set([...names, ...(besides.some(({ chapters }) => chapters.length > 0) ? ['chapters'] : [])])];
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
  const lost = sources.flatMap((source) => lostChunks(source.path, path) ?? []);
  return [...new Set(lost.map(({ kind }) => kind))].flatMap((kind) => {
    const own = lost.filter((one) => one.kind === kind);
    const names = [...new Set(own.flatMap((one) => one.names))].slice(0, 10).join(', ');
    const why = own.every(({ hasPlace }) => hasPlace) ? '' : `: ${extension} files have no place for them`;
    if (names === '') return [];
    return [{ code: 'chunks_dropped', message: `Not in the output are parts of the ${kind} file: ${names}${why}` }];
  });
}

/** What formats that hold pictures leave out, by the limits of labels.ts. */
const tooLarge: Readonly<Record<string, string>> = {
  flac: 'pictures of more than 16 MiB',
  ogg: 'pictures of more than 47 MiB in all',
  opus: 'pictures of more than 47 MiB in all',
  mp3: 'pictures of more than 128 MiB in all',
};

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
    ...chaptersCut(sources, chapters),
    ...chaptersDropped(extension, chapters.length, written.chapters.length),
    ...chunksDropped(extension, sources, written.path),
    ...tagsNotKept(
      `since ${extension} files cannot hold it`,
      names.map((name) => (name === 'pictures' ? (tooLarge[extension] ?? name) : name)),
    ),
    ...tagsNotKept('which has those of the first file', lostOfOthers(expected, after, written)),
  ];
}
