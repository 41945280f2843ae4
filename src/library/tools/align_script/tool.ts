import { defineTool } from '../declare/define.ts';
import { givenFields, refuseFields, refuseUnsuitable } from '../declare/refusals.ts';
import { fieldRules, inputs, options } from './options.ts';

export const alignScript = defineTool({
  id: 'align_script',
  slug: 'align-script',
  title: 'Align a script',
  summary: 'Find when each word of a script is said',
  description: 'Finds when each word of a script is spoken in a recording.',
  timeLine: 'own',
  work: { cpuPerSecond: 1, memoryMib: 800, models: 'speech', encodesPictures: false },
  preview: null,
  inputs,
  options,
  fieldRules,
  formats: ['json', 'srt', 'vtt'],
  free: { a: { seconds: 120, dailyUses: 3 }, b: { seconds: 120, dailyUses: 3 } },
  creditsPerMinute: 1,
  passes: { decoding: 0.2, transcribing: 100, aligning: 30 },
  writesText: true,
  examples: [{ description: 'Time a script to its recording', command: 'align-script speech.wav --script speech.txt' }],
  plan(facts, parsed) {
    return {
      steps: ['Find the words of the script in the recording', 'Write the transcript with their times'],
      notes: [],
      refusals: [...refuseFields(fieldRules, givenFields(facts, parsed)), ...refuseUnsuitable(inputs, facts)],
    };
  },
  run: () => import('./run.ts'),
});
