import type { Refusal } from '../../contract/tool-facts.ts';
import { type FieldRules, givenFields, refuseFields } from '../declare/refusals.ts';
import type { CutAudioOptions } from './options.ts';

export const fieldRules: FieldRules = {
  exactlyOne: [['ranges', 'by_text_file_id']],
  needs: { transcript_file_id: 'by_text_file_id' },
};

/** Ranges and an edited text exclude each other; what only concerns ranges is refused beside a text. */
export function refuseCombination(inputs: Readonly<Record<string, unknown>>, options: CutAudioOptions): Refusal[] {
  const given = givenFields(inputs as never, options);
  const refusals = refuseFields(fieldRules, given);
  if (refusals.length > 0 || !given.has('by_text_file_id')) return refusals;
  const { mode, output } = options;
  const wrong = mode !== 'remove' ? `mode ${mode}` : output !== 'joined' ? `output ${output}` : null;
  if (wrong === null) return [];
  return [{ code: 'bad_request', message: `Expected ${wrong} only with ranges but received it with by_text_file_id` }];
}
