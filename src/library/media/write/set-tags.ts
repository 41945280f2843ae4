// A recording with other tags and cover art: packets copied as they are.
import { probe } from '../read/probe.ts';
import { throwIfAborted } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import { copyChanged, type CopyingOptions } from './copy-changed.ts';
import { attemptsFor } from './trim.ts';
import type { MediaFacts } from '../facts.ts';
import { frontCover, type Picture, type Tags } from '../tags/model.ts';
import { readTags } from './read-tags.ts';
import { changedTags, travelling } from '../tags/rules.ts';
import { holdsPictures } from '../tags/held.ts';
import { readCover } from './read-cover.ts';

/** What changes in a recording's tags; what is not named stays. */
export interface TagChanges {
  /**
   * Values by name, such as title, artist, album, album_artist, date, genre, track, comment; null removes one.
   * Names are those of `MediaFacts.tags`, in any case.
   */
  readonly tags?: Readonly<Record<string, string | null>>;
  /** Path of a JPEG or PNG that becomes the cover; null removes all pictures. Default: they stay. */
  readonly cover?: string | null;
}

const longestName = 64;
const longestValue = 65_535;

/**
 * Copies a recording with these tags: sound, pictures, subtitles and chapters as they are, nothing encoded again.
 * @param target in a folder that is there; a file of that name is replaced when the copy is complete
 * @returns the tags of the copy, as they are read from it
 * @throws EarshotError as `probe`; bad_request for a name, a value or a picture that cannot be stored;
 *   unsupported_format for a container that has no place for them; AbortError
 */
export async function setTags(
  path: string,
  target: string,
  changes: TagChanges,
  options: CopyingOptions,
): Promise<Readonly<Record<string, string>>> {
  await writeTags(probe(path), target, changes, options);
  return probe(target).tags;
}

/** As `setTags`, of a recording that was looked at; the copy is not. */
export async function writeTags(
  facts: MediaFacts,
  target: string,
  { tags = {}, cover: coverPath }: TagChanges,
  options: CopyingOptions,
): Promise<void> {
  throwIfAborted(options.signal);
  checkTags(tags);
  const muxer = muxerFor(facts);
  if (typeof coverPath === 'string' && !holdsPictures(muxer))
    throw new EarshotError('unsupported_format', `A file of kind ${facts.format} has no place for a cover`, {
      nextAction,
    });
  const changed = changedTags(travelling(readTags(facts), { copied: true }), tags);
  const pictures = changedPictures(changed.pictures, typeof coverPath === 'string' ? readCover(coverPath) : coverPath);
  await copyChanged(target, facts, options, {
    tags: { ...changed, pictures },
    hasNewPictures: pictures !== changed.pictures,
  });
}

function muxerFor(facts: MediaFacts): string {
  const muxer = attemptsFor(facts)[0]?.muxer ?? null;
  if (muxer === null || withoutTags.has(muxer))
    throw new EarshotError('unsupported_format', `A file of kind ${facts.format} has no place for tags`, {
      nextAction,
    });
  return muxer;
}

/**
 * Copies a recording with all words that it says of itself changed: tags, descriptions of pictures, and what its
 * streams are called.
 * @param change of all tags
 * @param words of a text of a stream: what it is to be
 * @throws EarshotError unsupported_format; AbortError
 */
export async function changeLabels(
  path: string,
  target: string,
  change: (tags: Tags) => Tags,
  words: (text: string) => string,
  options: CopyingOptions,
): Promise<void> {
  const facts = probe(path);
  const muxer = muxerFor(facts);
  const before = travelling(readTags(facts), { copied: true });
  const tags = change(before);
  const hasNewPictures = tags.pictures !== before.pictures && holdsPictures(muxer);
  await copyChanged(target, facts, options, { tags, hasNewPictures, words });
}

/** A new cover takes the place of the old one, which is the front cover or else the first picture. */
function changedPictures(pictures: readonly Picture[], cover: Picture | null | undefined): readonly Picture[] {
  if (cover === undefined) return pictures;
  if (cover === null) return [];
  const old = pictures.find(({ type }) => type === frontCover) ?? pictures[0];
  return [cover, ...pictures.filter((picture) => picture !== old)];
}

/** Containers without tags, or with tags that other programs do not read. */
const withoutTags = new Set(['adts', 'ac3', 'eac3', 'dts', 'amr', 'au', 'mpegts', 'mpeg', 'vob', 'svcd']);

const nextAction = 'Convert it first: MP3, M4A, FLAC, Ogg, Opus, WAV, AIFF, MP4, MOV and MKV take tags.';

function checkTags(tags: Readonly<Record<string, string | null>>): void {
  for (const [name, value] of Object.entries(tags)) {
    // The characters of Vorbis comments' names, the strictest of all formats.
    if (name === '' || name.length > longestName || !/^[\u0020-\u003c\u003e-\u007d]+$/u.test(name))
      throw new EarshotError('bad_request', `Expected a name of a tag in ASCII without "=" but received "${name}"`);
    if (value === null) continue;
    if (typeof value !== 'string' || value.length > longestValue || value.includes('\u0000'))
      throw new EarshotError(
        'bad_request',
        `Expected a text of at most ${longestValue} characters for the tag ${name} but received ` +
          (typeof value === 'string' ? `${value.length} characters` : typeof value),
      );
  }
}
