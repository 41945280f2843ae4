// The result of check_audio as lines: each rule, what was measured, and the command that mends it.
import { formatClock } from '../../library/core/readable.ts';
import type { CheckAudioResult, Mend } from '../../library/tools/check_audio/result.ts';
import { measuredInWords, wantedInWords } from '../../library/tools/check_audio/in-words.ts';
import { requireTool } from '../../library/tools/registry.ts';
import { optionFlag } from './flag-names.ts';
import { columns } from './values.ts';

const shownPlaces = 5;

/** The command line of a tool and its options. */
function commandOf({ tool, options }: Mend, subject: string): string {
  const flags = Object.entries(options).map(([name, value]) =>
    value === true ? optionFlag(name) : `${optionFlag(name)} ${value}`,
  );
  return ['earshot', requireTool(tool).slug, /[^\w./-]/.test(subject) ? `'${subject}'` : subject, ...flags].join(' ');
}

/** The lines of `earshot check`. */
export function checkReport(subject: string, { policy, passes, failed, checks, notChecked }: CheckAudioResult): string {
  const rows = checks.map((check) => [
    check.passes ? '  pass' : '  FAIL',
    check.title,
    measuredInWords(check),
    wantedInWords(check),
  ]);
  const failing = checks.filter((check) => !check.passes);
  const places = failing
    .filter((check) => check.places.length > 0)
    .map((check) => {
      const at = check.places.slice(0, shownPlaces).map(({ startSeconds }) => formatClock(startSeconds));
      const more = check.places.length > shownPlaces ? `, and ${check.places.length - shownPlaces} more` : '';
      return `  ${check.title}: at ${at.join(', ')}${more}`;
    });
  const commands = new Map<string, string[]>();
  for (const { title, mend } of failing) {
    if (mend === null) continue;
    const command = commandOf(mend, subject);
    commands.set(command, [...(commands.get(command) ?? []), title]);
  }
  const verdict = passes ? `meets ${policy}` : `does not meet ${policy}, ${failed} of ${checks.length} rules`;
  return [
    `${subject}: ${verdict}`,
    columns(['  ', 'Measure', 'Measured', 'Wanted'], rows),
    ...places,
    ...[...commands].map(([command, titles]) => `  ${titles.join(', ')}: ${command}`),
    ...(notChecked.length === 0 ? [] : ['  Rules for captions: not checked, since none were given (--captions FILE)']),
  ].join('\n');
}
