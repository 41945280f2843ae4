import type { AnyTool } from '../../../../library/tools/declare/define.ts';
import type { Purpose } from '../../../../library/tools/declare/facts.ts';
import type { Strings } from '../strings/en/index.ts';

type ToolGroup = keyof Strings['groups'];

/** In their order: groups, and purposes in a group. */
const groups: Readonly<Record<Purpose, ToolGroup>> = {
  clean: 'clean',
  words: 'write',
  measure: 'write',
  cut: 'cut',
  combine: 'together',
  convert: 'together',
};
const purposes = Object.keys(groups) as Purpose[];

/** Groups of tools in their order; empty groups are left out. */
export function toolGroups(tools: readonly AnyTool[]): readonly (readonly [ToolGroup, readonly AnyTool[]])[] {
  const places = tools.toSorted((a, b) => a.shown.place - b.shown.place);
  return [...new Set(Object.values(groups))]
    .map((group) => {
      const members = purposes
        .filter((purpose) => groups[purpose] === group)
        .flatMap((purpose) => places.filter(({ shown }) => shown.purpose === purpose));
      return [group, members] as const;
    })
    .filter(([, members]) => members.length > 0);
}
