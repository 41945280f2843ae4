import { notInThisVersion } from '../../contract/unavailable.ts';
import { defineTool } from '../declare/define.ts';
import { givenFields, refuseFields, refuseUnsuitable } from '../declare/refusals.ts';
import { fieldRules, inputs, options } from './options.ts';

export const removeFillers = defineTool({
  id: 'remove_fillers',
  title: 'Remove fillers',
  description: 'Cuts um, uh and repeated words out of a recording. Not part of this version.',
  inputs,
  options,
  fieldRules,
  free: { a: { seconds: 120, dailyUses: 3 }, b: { seconds: 120, dailyUses: 3 } },
  creditsPerMinute: 2,
  creditsPerMinuteWith: { transcript_file_id: 1 },
  examples: [{ description: 'See what would be cut', command: 'remove-fillers interview.wav --dry-run --json' }],
  plan(facts, parsed) {
    const given = givenFields(facts, parsed);
    return {
      steps: [
        ...(given.has('transcript_file_id') ? [] : ['Write down what is said, word for word']),
        `Find fillers${parsed.repeats ? ' and repeated words' : ''}`,
        parsed.dry_run
          ? 'List the cuts'
          : `Cut ${parsed.cut_ids === undefined ? 'all of them' : `${parsed.cut_ids.length} of them`}`,
      ],
      notes: [],
      refusals: [...refuseFields(fieldRules, given), ...refuseUnsuitable(inputs, facts)],
    };
  },
  unavailable: () => Promise.resolve(notInThisVersion('remove_fillers')),
  run: () => import('./run.ts'),
});
