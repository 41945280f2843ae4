// Tags, pictures and properties of chapters that a copy does not have, by name.
import { extrasOf } from '../chapter-extras.ts';
import type { Chapter } from '../facts.ts';
import { frontCover, type Picture, type TagEntry, type Tags } from '../tags/model.ts';
import { namesOf, squashed } from '../tags/names.ts';

/** Tags whose values are of another sound, or of another length, in the copy. */
const moved = new Set(['timereference', 'codinghistory', 'umid']);
/** What most programs write where no language was chosen. */
const noLanguage: readonly string[] = ['', 'eng', 'und', 'xxx'];
/** A shorter value may be another tag's by chance. */
const tellingLength = 4;
/** Numbers that some formats have behind their counter: "3/12". */
const countersOf: Readonly<Record<string, string>> = { tracktotal: 'tracknumber', disctotal: 'discnumber' };

const plain = (value: string): string => value.replaceAll('\r\n', '\n').normalize('NFC').trim();
const asNumber = (value: string): string => value.replace(/^0+(?=\d)/u, '');
const nameOf = (name: string): string => squashed(namesOf(name).vorbis);
/** Several values may be in one text. */
const partsOf = (value: string): string[] => [value, ...value.split(/[;/\0]/u)].map((part) => asNumber(plain(part)));

interface Found {
  readonly byName: ReadonlyMap<string, ReadonlySet<string>>;
  readonly values: ReadonlySet<string>;
  readonly natives: ReadonlySet<string>;
  readonly languages: ReadonlySet<string>;
}

function listed({ entries }: Tags, shown: Readonly<Record<string, string>>): Found {
  const byName = new Map<string, Set<string>>();
  const values = new Set<string>();
  const all = [...entries, ...Object.entries(shown).map(([name, value]): TagEntry => ({ name, values: [value] }))];
  for (const entry of all)
    for (const value of entry.values) {
      values.add(plain(value));
      for (const name of [entry.name, entry.description ?? '']) {
        const known = byName.get(nameOf(name)) ?? new Set();
        for (const part of partsOf(value)) known.add(part);
        byName.set(nameOf(name), known);
      }
    }
  return {
    byName,
    values,
    natives: new Set(entries.flatMap(({ native }) => native?.id ?? [])),
    languages: new Set(entries.map(({ language = '' }) => language)),
  };
}

function isFound({ name, values, native }: TagEntry, found: Found): boolean {
  if (values.length === 0) return native === undefined || found.natives.has(native.id);
  const key = nameOf(name);
  const own = found.byName.get(key);
  if (moved.has(key)) return own !== undefined;
  const counter = found.byName.get(countersOf[key] ?? '');
  return values.every((value) => {
    const text = plain(value);
    const parts = partsOf(value).slice(1);
    return (
      text === '' ||
      own?.has(asNumber(text)) === true ||
      counter?.has(asNumber(text)) === true ||
      (own !== undefined && parts.every((part) => own.has(part))) ||
      (text.length >= tellingLength && found.values.has(text))
    );
  });
}

const isSame = (one: Picture, other: Picture): boolean => one.data.equals(other.data);

function lostPictures(before: readonly Picture[], after: readonly Picture[]): string[] {
  const says = (name: string, isLost: (picture: Picture, copy: Picture | undefined) => boolean): string[] =>
    before.some((picture) =>
      isLost(
        picture,
        after.find((other) => isSame(picture, other)),
      ),
    )
      ? [name]
      : [];
  return [
    ...says('pictures', (_, copy) => copy === undefined),
    ...says('types of pictures', ({ type }, copy) => type !== frontCover && type !== 0 && type !== copy?.type),
    ...says('descriptions of pictures', ({ description }, copy) => description !== (copy?.description ?? '')),
  ];
}

function lostExtras(before: readonly Chapter[], after: readonly Chapter[]): string[] {
  const count = (chapters: readonly Chapter[], has: (extras: NonNullable<ReturnType<typeof extrasOf>>) => boolean) =>
    chapters.filter((chapter) => {
      const extras = extrasOf(chapter);
      return extras !== null && has(extras);
    }).length;
  const says = (name: string, has: Parameters<typeof count>[1]): string[] =>
    count(before, has) > count(after, has) ? [name] : [];
  return [
    ...says('pictures of chapters', (one) => one.hasPicture),
    ...says('links of chapters', (one) => one.link !== null),
  ];
}

/** What of it describes the recording. */
export interface Described {
  readonly tags: Tags;
  readonly chapters: readonly Chapter[];
}

/**
 * Names of what is not in the copy.
 * @param shown FFmpeg's reading of the copy, which has tags from further places
 */
export function lostNames(before: Described, after: Described, shown: Readonly<Record<string, string>>): string[] {
  const found = listed(after.tags, shown);
  const { entries, pictures } = before.tags;
  const spoken = entries.flatMap(({ language = '' }) => (noLanguage.includes(language) ? [] : [language]));
  const names = [
    ...entries
      .filter((entry) => nameOf(entry.name) !== 'timecode' && !isFound(entry, found))
      .map(({ name, values }) => (values.length === 0 ? name : namesOf(name).ffmpeg)),
    ...(spoken.every((language) => found.languages.has(language)) ? [] : ['languages of comments and lyrics']),
    ...lostPictures(pictures, after.tags.pictures),
    ...lostExtras(before.chapters, after.chapters),
  ];
  return [...new Set(names)];
}
