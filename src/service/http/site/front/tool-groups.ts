import type { AnyTool } from '../../../../library/tools/declare/define.ts';
import type { Strings } from '../strings/en/index.ts';

/** Tools by purpose. A tool in none of these lists is in `more`. */
export type ToolGroup = keyof Strings['groups'];

const slugs: Readonly<Record<Exclude<ToolGroup, 'more'>, readonly string[]>> = {
  clean: ['remove-noise', 'enhance-voice', 'loudness', 'level-speakers'],
  write: ['transcribe', 'align-script', 'media-info'],
  cut: ['remove-fillers', 'remove-silence', 'cut'],
  together: ['join', 'mix', 'swap-audio', 'convert'],
};

/** Groups of tools in their order; empty groups are left out. */
export function toolGroups<Tool extends Pick<AnyTool, 'slug'>>(
  tools: readonly Tool[],
): readonly (readonly [ToolGroup, readonly Tool[]])[] {
  const grouped = new Set(Object.values(slugs).flat());
  const named = Object.entries(slugs).map(
    ([group, members]) =>
      [group as ToolGroup, members.flatMap((slug) => tools.filter((tool) => tool.slug === slug))] as const,
  );
  return [...named, ['more', tools.filter(({ slug }) => !grouped.has(slug))] as const].filter(
    ([, members]) => members.length > 0,
  );
}
