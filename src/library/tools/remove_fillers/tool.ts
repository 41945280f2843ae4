import { defineTool } from '../declare/define.ts';
import { givenFields, refuseFields, refuseLanguage, refuseUnsuitable } from '../declare/refusals.ts';
import { fieldRules, inputs, options } from './options.ts';

export const removeFillers = defineTool({
  id: 'remove_fillers',
  slug: 'remove-fillers',
  title: 'Remove fillers',
  summary: 'Cut out um, uh and words said twice',
  description:
    'Cuts um, uh and repeated words out of a recording, and leaves every other word, breaths and room tone as they were. ' +
    'A video is cut with its picture. The transcript of the result comes along.',
  inputs,
  options,
  fieldRules,
  free: { a: { seconds: 120, dailyUses: 3 }, b: { seconds: 120, dailyUses: 3 } },
  creditsPerMinute: 2,
  creditsPerMinuteWith: { transcript_file_id: 1 },
  examples: [
    { description: 'Cut the fillers out, and words that are said twice', command: 'remove-fillers interview.wav' },
    { description: 'See what would be cut', command: 'remove-fillers interview.wav --list-cuts' },
    {
      description: 'Make two of those cuts, with the transcript that the dry run wrote',
      command: 'remove-fillers interview.wav --transcript interview.json --cut-ids \'["c1","c4"]\'',
    },
  ],
  listedIds: { cut_ids: { input: 'transcript_file_id', result: 'cuts' } },
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
      refusals: [
        ...refuseFields(fieldRules, given),
        ...refuseLanguage(parsed.language),
        ...refuseUnsuitable(inputs, facts),
      ],
    };
  },
  run: () => import('./run.ts'),
});
