// Which tools an assistant is given. Every session of a model pays for what it is told of all of them, so a setting
// chooses groups; those of tools are the purposes that their declarations have.
import { whatWasMeant } from '../core/checks/names.ts';
import { badValue } from '../core/checks/schema.ts';
import type { Shown } from './declare/facts.ts';

/** 'files' and 'jobs' are always there: without them no other is of use. */
const always = ['files', 'jobs'] as const;

export type AssistantGroup = Shown['purpose'] | (typeof always)[number] | 'episode' | 'labels';

/** A tool of an assistant as the setting knows it. */
export interface GroupedCall {
  readonly name: string;
  readonly group: AssistantGroup;
  /** Is it there unless the setting chooses others? */
  readonly usual: boolean;
}

/** The setting's default: what is usual. */
export const usualCalls = 'usual';
const allCalls = 'all';

/**
 * @param setting 'usual', 'all', groups and names of tools, separated by commas: "usual, words"
 * @param place of the setting, for errors
 * @throws EarshotError bad_request for a word that is none of these
 */
export function chooseCalls<Call extends GroupedCall>(
  calls: readonly Call[],
  setting: string,
  place: string,
): readonly Call[] {
  const words = setting.split(/[\s,]+/).filter((word) => word !== '');
  const groups = new Set<string>(calls.map(({ group }) => group));
  const known = [usualCalls, allCalls, ...groups, ...calls.map(({ name }) => name)];
  for (const word of words)
    if (!known.includes(word))
      throw badValue(
        'tools',
        `${usualCalls}, ${allCalls}, groups (${[...groups].join(', ')}) or names of tools ; ${whatWasMeant(word, known, [usualCalls])}`,
        word,
        place,
      );
  const chosen = new Set(words.length === 0 ? [usualCalls] : words);
  return calls.filter(
    ({ name, group, usual }) =>
      (always as readonly string[]).includes(group) ||
      chosen.has(allCalls) ||
      (usual && chosen.has(usualCalls)) ||
      chosen.has(group) ||
      chosen.has(name),
  );
}
