// The name of a file without what was taken out of it.
import { stemOf } from '../../media/write/output.ts';
import { blankText } from '../../speech/redact/blank-text.ts';
import type { Finder } from '../../speech/redact/sought.ts';

/** Where words and numbers are joined. */
const joints = /\p{Ll}(?=\p{Lu})|\p{L}(?=\p{N})|\p{N}(?=\p{L})/gu;

/** File names say names, too: "john@example.com", "call-miller", "CallMiller2". */
export function redactedName(name: string, finder: Finder): string {
  const stem = stemOf(name);
  const spaced = stem
    .split(/[_\s]+/u)
    .map((part) => (/@|^www\./i.test(part) ? part : part.replaceAll(/[.-]+/g, ' ').replaceAll(joints, '$& ')))
    .join(' ');
  const blanked = blankText(spaced, finder);
  return blanked === null
    ? name
    : `${blanked.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '')}${name.slice(stem.length)}`;
}
