// Tags and titles of chapters without what was taken out of the sound.
import { join } from 'node:path';
import { renameFileSync } from '../../core/files/rename-file.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { probe } from '../../media/read/probe.ts';
import { setChapters } from '../../media/write/set-chapters.ts';
import { setTags } from '../../media/write/set-tags.ts';
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
  const { tags, chapters } = before;
  const changed = Object.entries(tags).flatMap(([name, value]) => {
    const text = blankText(value, finder);
    return text === null ? [] : [[name, text] as const];
  });
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
  if (changed.length > 0) await attempt(() => setTags(path, target, { tags: Object.fromEntries(changed) }, options));
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
  const isChanged = changed.length + retitled + texts > 0;
  const facts = isChanged ? probe(path) : before;
  return { tags: changed.length + texts, chapters: retitled, left: isChanged ? leftIn(facts, finder) : [], facts };
}

function leftIn({ tags, chapters }: MediaFacts, finder: Finder): LeftPlace[] {
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
    ...hits('tags', Object.values(tags)),
    ...hits(
      'chapters',
      chapters.map(({ title }) => title),
    ),
  ];
}
