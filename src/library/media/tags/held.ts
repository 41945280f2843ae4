// What a container cannot hold of a file's tags, pictures and chapters, by name.
import { extrasOf } from '../chapter-extras.ts';
import type { Chapter } from '../facts.ts';
import type { Family, TagEntry, Tags } from './model.ts';
import { isAtomPicture } from './mp4.ts';
import { frontCover } from './model.ts';
import { namesOf } from './names.ts';
import { largestFlacBlock } from './vorbis-blocks.ts';

const families: Readonly<Record<string, Family>> = {
  mp3: 'id3',
  wav: 'id3',
  aiff: 'id3',
  flac: 'vorbis',
  ogg: 'vorbis',
  opus: 'vorbis',
  mp4: 'mp4',
  mov: 'mp4',
  ipod: 'mp4',
};

/** Covers as streams. */
const coverStreams: readonly string[] = ['matroska', 'asf'];

export const holdsPictures = (muxer: string): boolean => muxer in families || coverStreams.includes(muxer);

/** What most programs write where no language was chosen. */
const noLanguage: readonly string[] = ['', 'eng', 'und', 'xxx'];

const isSpoken = ({ language = '' }: TagEntry): boolean => !noLanguage.includes(language);

/** Names of what is lost without a trace in a container of this muxer. */
export function unheld(
  muxer: string,
  { tags, chapters }: { readonly tags: Tags; readonly chapters: readonly Chapter[] },
  hasCovers: boolean,
): string[] {
  const family = families[muxer];
  const { entries, pictures } = tags;
  const says = (name: string, isLost: boolean): string[] => (isLost ? [name] : []);
  const wordless = entries
    .filter(({ values, native }) => values.length === 0 && native !== undefined && native.family !== family)
    .map(({ name }) => name);
  if (family === 'id3') return wordless;
  const extras = chapters.flatMap((chapter) => extrasOf(chapter) ?? []);
  const isPlain = family === undefined;
  const tooLarge = muxer === 'flac' && pictures.some(({ data }) => data.length + 1024 > largestFlacBlock);
  const lostPictures = isPlain
    ? !hasCovers && pictures.length > 0
    : tooLarge || (family === 'mp4' && !pictures.every(isAtomPicture));
  const hasKinds = family !== 'vorbis';
  return [
    ...wordless,
    ...says('languages of comments and lyrics', entries.some(isSpoken)),
    ...says('pictures', lostPictures),
    ...says('types of pictures', hasKinds && pictures.some(({ type }) => type !== frontCover && type !== 0)),
    ...says('descriptions of pictures', hasKinds && pictures.some(({ description }) => description !== '')),
    ...says(
      'pictures of chapters',
      extras.some(({ hasPicture }) => hasPicture),
    ),
    ...says('links of chapters', family !== 'vorbis' && extras.some(({ link }) => link !== null)),
  ];
}

/** Names of tags that FFmpeg was given and did not write: only it knows which ones a container takes. */
export function missingWords(
  muxer: string,
  given: Readonly<Record<string, string>>,
  found: () => Readonly<Record<string, string>>,
): string[] {
  if (muxer in families || Object.keys(given).length === 0) return [];
  const values = new Set(Object.values(found()).map((value) => value.trim()));
  return Object.entries(given)
    .filter(([name, value]) => name !== 'timecode' && !name.startsWith('EARSHOT') && !values.has(value.trim()))
    .map(([name]) => namesOf(name).ffmpeg);
}
