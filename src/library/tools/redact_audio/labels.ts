// Tags and titles of chapters without what was taken out of the sound.
import { join } from 'node:path';
import { renameFileSync } from '../../core/files/rename-file.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { probe } from '../../media/read/probe.ts';
import { setChapters } from '../../media/write/set-chapters.ts';
import type { TagEntry, Tags } from '../../media/tags/model.ts';
import { readTags } from '../../media/write/read-tags.ts';
import { changeLabels } from '../../media/write/set-tags.ts';
import { streamWords } from '../../media/write/stream-words.ts';
import { blankText } from '../../speech/redact/blank-text.ts';
import type { Finder } from '../../speech/redact/sought.ts';
import type { LeftPlace } from './result.ts';
import { blankWaveTexts } from './wave-texts.ts';

export interface CleanedLabels {
  /** How many were changed. */
  readonly tags: number;
  readonly chapters: number;
  /** What could not be changed. */
  readonly left: readonly LeftPlace[];
  /** Of the file as it is now. */
  readonly facts: MediaFacts;
}

/**
 * Changes the file at the path where one of its labels says what was sought.
 * @param before facts of the file
 */
export async function cleanLabels(
  path: string,
  before: MediaFacts,
  finder: Finder,
  options: { readonly workDir: string; readonly signal: AbortSignal; onWarning(warning: Warning): void },
): Promise<CleanedLabels> {
  const { chapters } = before;
  const { changed } = blankedTags(readTags(before), finder);
  const blank = (text: string): string => blankText(text, finder) ?? text;
  const streams = streamWords(path).filter((text) => blank(text) !== text).length;
  const titles = chapters.map(({ title }) => blankText(title, finder));
  const retitled = titles.filter((title) => title !== null).length;
  const target = join(options.workDir, `labels-${path.slice(path.lastIndexOf('.'))}`);
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      renameFileSync(target, path);
    } catch (thrown) {
      // A container with no place for it: what it has all the same is said below.
      if (!(thrown instanceof EarshotError) || thrown.code !== 'unsupported_format') throw thrown;
    }
  };
  if (changed + streams > 0)
    await attempt(() => changeLabels(path, target, (tags) => blankedTags(tags, finder).tags, blank, options));
  if (retitled > 0)
    await attempt(() =>
      setChapters(
        path,
        target,
        chapters.map((chapter, at) => ({ ...chapter, title: titles[at] ?? chapter.title })),
        options,
      ),
    );
  const texts = blankWaveTexts(path, finder);
  // Where nothing was found there is nothing left, and a file is looked at once.
  const isChanged = changed + streams + retitled + texts > 0;
  const facts = isChanged ? probe(path) : before;
  return {
    tags: changed + streams + texts,
    chapters: retitled,
    left: isChanged ? leftIn(facts, finder) : [],
    facts,
  };
}

/** Tags without what was sought; one whose name says it is left out. */
function blankedTags(tags: Tags, finder: Finder): { readonly tags: Tags; readonly changed: number } {
  const blank = (text: string): string => blankText(text, finder) ?? text;
  const says = (text: string): boolean => blankText(text, finder) !== null;
  const entries = tags.entries.flatMap((entry): TagEntry[] => {
    const { native, ...words } = entry;
    if (says(entry.name)) return [];
    if (![...entry.values, entry.description ?? '', ...wordsIn(native)].some(says)) return [entry];
    const description = entry.description === undefined ? {} : { description: blank(entry.description) };
    return words.values.length === 0 ? [] : [{ ...words, ...description, values: words.values.map(blank) }];
  });
  const pictures = tags.pictures.map((picture) =>
    says(picture.description) ? { ...picture, description: blank(picture.description) } : picture,
  );
  const kept = new Set<unknown>([...entries, ...pictures]);
  const isGone = (one: unknown): boolean => !kept.has(one);
  const changedPictures = tags.pictures.filter(isGone).length;
  return {
    tags: { entries, pictures: changedPictures > 0 ? pictures : tags.pictures },
    changed: tags.entries.filter(isGone).length + changedPictures,
  };
}

/** Of what a file has as bytes, such as lyrics with times: texts that may be in it. */
function wordsIn(native: TagEntry['native']): string[] {
  if (native === undefined || native.data.length > largestNativeBytes) return [];
  const { data } = native;
  return [data.toString('utf8'), data.toString('utf16le'), data.toString('utf16le', 1)].map((text) =>
    text.replaceAll(/\p{Cc}+/gu, ' '),
  );
}

/** Larger ones are no texts that anyone wrote. */
const largestNativeBytes = 1024 * 1024;

function leftIn(facts: MediaFacts, finder: Finder): LeftPlace[] {
  const { entries, pictures } = readTags(facts);
  const hits = (where: 'tags' | 'chapters', texts: readonly string[]): LeftPlace[] =>
    texts.flatMap((text) => {
      const said = text.split(/\s+/u).map((word) => ({ text: word }));
      return finder.find(said).map(({ kind, from, to }) => ({
        kind,
        where,
        text: said
          .slice(from, to)
          .map((word) => word.text)
          .join(' '),
        startSeconds: 0,
        endSeconds: 0,
      }));
    });
  return [
    ...hits('tags', [
      ...Object.values(facts.tags),
      ...entries.flatMap(({ name, values, description = '' }) => [name, description, ...values]),
      ...pictures.map(({ description }) => description),
      ...streamWords(facts.path),
    ]),
    ...hits(
      'chapters',
      facts.chapters.map(({ title }) => title),
    ),
  ];
}
