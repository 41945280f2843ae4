// Files without chapters as chapters of what they are joined to.
import { mostChapters } from '../../media/chapters/chapters.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { outputFormats, videoContainers } from '../../media/formats.ts';
import { type OutputPlan, stemOf } from '../../media/write/output.ts';

const titleOf = ({ tags }: MediaFacts): string | null =>
  Object.entries(tags).find(([name, value]) => name.toLowerCase() === 'title' && value.trim() !== '')?.[1] ?? null;

/**
 * The facts of joined files, each with one chapter: its title, or its name where titles are missing or alike. As they
 * are where one has chapters already, and where the output has no place for them.
 * @param parts names as users know them; lengths on the files' own time lines
 */
export function withTitleChapters<Part extends { readonly facts: MediaFacts }>(
  parts: readonly (Part & { readonly seconds: number })[],
  names: readonly string[],
  { soundFormat, format }: OutputPlan,
): readonly (Part & { readonly seconds: number })[] {
  const muxer = soundFormat === null ? videoContainers[format]?.muxer : outputFormats[soundFormat].muxer;
  const hasPlace = mostChapters(muxer ?? '') >= parts.length;
  if (!hasPlace || parts.some(({ facts }) => facts.chapters.length > 0)) return parts;
  const titles = parts.map(({ facts }) => titleOf(facts));
  const areDistinct = new Set(titles).size === titles.length && !titles.includes(null);
  return parts.map((part, index) => {
    const title = (areDistinct ? titles[index] : stemOf(names[index] ?? '')) ?? '';
    return { ...part, facts: { ...part.facts, chapters: [{ startSeconds: 0, endSeconds: part.seconds, title }] } };
  });
}
