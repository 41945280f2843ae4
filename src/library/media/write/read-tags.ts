// All tags and pictures of a file, from its own bytes where its format is known here, else as FFmpeg shows them.
import { closeSync, openSync } from 'node:fs';
import type { MediaFacts } from '../facts.ts';
import { outerBoxes, readMoov } from '../mp4/boxes.ts';
import { readCovers } from './cover.ts';
import { isInList } from './id3-chunk.ts';
import { bytesAt, readId3Tag } from '../tags/id3-frames.ts';
import { tagsOfId3 } from '../tags/id3.ts';
import type { Picture, TagEntry, Tags } from '../tags/model.ts';
import { tagsOfMp4 } from '../tags/mp4.ts';
import { namesOf, squashed } from '../tags/names.ts';
import { flacPicture, tagsOfVorbis } from '../tags/vorbis.ts';
import { readCommentBlock } from '../tags/vorbis-blocks.ts';

const none: Tags = { entries: [], pictures: [] };

interface OwnTags extends Tags {
  /** Tags that FFmpeg shows and that are elsewhere in the file. */
  readonly isBeside: (name: string) => boolean;
}

function readOwn(path: string): OwnTags | null {
  const handle = openSync(path, 'r');
  try {
    const head = bytesAt(handle, 0, 12).toString('latin1');
    const block = readCommentBlock(handle, true);
    if (block)
      return {
        ...tagsOfVorbis(
          block.comments,
          block.pictures.flatMap((picture) => flacPicture(picture) ?? []),
        ),
        isBeside: () => false,
      };
    if (/^(?:ID3|RIFF|RF64|BW64|FORM)/u.test(head)) {
      const tag = readId3Tag(path);
      return tag && { ...tagsOfId3(tag), isBeside: (name) => !head.startsWith('ID3') && isInList(name) };
    }
    const moov = readMoov(handle, outerBoxes(handle));
    return moov && { ...tagsOfMp4(moov.data, moov.root), isBeside: (name) => name !== 'rating' };
  } catch (error) {
    // Damaged boxes run past the buffer's end; FFmpeg may still read them.
    if (error instanceof RangeError) return null;
    throw error;
  } finally {
    closeSync(handle);
  }
}

const isNumeric = (value: string): boolean => /^\(?\d+\)?/u.test(value);

/** Genres may be numbers of a list that FFmpeg knows. */
function genresByName(entries: readonly TagEntry[], genre: string | undefined): TagEntry[] {
  return entries.map((entry) =>
    genre !== undefined && namesOf(entry.name).vorbis === 'GENRE' && entry.values.every(isNumeric)
      ? { ...entry, values: [genre] }
      : entry,
  );
}

/** FFmpeg finds pictures behind frames that lie about their lengths. */
function allPictures(own: readonly Picture[], { path, streams }: MediaFacts): readonly Picture[] {
  const shown = streams.filter(({ type }) => type === 'cover').length;
  return own.length > 0 && own.length >= shown ? own : readCovers(path);
}

/** @param facts of the file; pictures only where they have a cover */
export function readTags(facts: MediaFacts): Tags {
  const { path, tags: shown, cover } = facts;
  const own = readOwn(path);
  const isEmpty = own === null || own.entries.length + own.pictures.length === 0;
  const known = new Set((own?.entries ?? []).flatMap(({ name }) => [squashed(name), squashed(namesOf(name).vorbis)]));
  const others = Object.entries(shown)
    .filter(([name]) => isEmpty || own.isBeside(name.toLowerCase()))
    .filter(([name]) => !known.has(squashed(name)) && !known.has(squashed(namesOf(name).vorbis)))
    .map(([name, value]) => ({ name, values: [value] }));
  const genre = Object.entries(shown).find(([name]) => name.toLowerCase() === 'genre')?.[1];
  const { entries, pictures } = own ?? none;
  return {
    entries: [...genresByName(entries, genre), ...others],
    pictures: cover === null ? [] : allPictures(pictures, facts),
  };
}
