// The rules that a recording was held against, as a table.
import type { Part } from '../../../core/markup.ts';
import { measuredInWords, wantedInWords } from '../../../tools/check_audio/in-words.ts';
import type { CheckAudioResult } from '../../../tools/check_audio/result.ts';
import { requireTool } from '../../../tools/registry.ts';
import { markup } from './html.ts';
import { section, table } from './page.ts';

/** The section "Rules" of a report. */
export function checksOf({ policy, passes, failed, checks, notChecked }: CheckAudioResult): Part {
  const verdict = passes ? `Meets ${policy}.` : `Does not meet ${policy}: ${failed} of ${checks.length} rules.`;
  const left = notChecked.length === 0 ? '' : ' Rules for captions were not checked, since none were given.';
  return section(
    'Rules',
    markup`<p>${verdict}${left}</p> `,
    table(
      ['Measure', 'Measured', 'Wanted', '', 'Mended by'],
      checks.map((check) => [
        check.title,
        measuredInWords(check),
        wantedInWords(check),
        check.passes ? 'pass' : 'fail',
        check.mend === null ? '' : requireTool(check.mend.tool).title,
      ]),
    ),
  );
}
