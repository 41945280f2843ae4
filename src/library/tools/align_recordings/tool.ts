import { count, formatSeconds } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { inputs, options } from './options.ts';
import { belongTogether, describePlacement, placedRecordings } from './rules.ts';

export const alignRecordings = defineTool({
  id: 'align_recordings',
  slug: 'sync',
  aliases: ['synchronize'],
  title: 'Sync recordings',
  summary: 'Line up recorders that did not start together',
  description:
    'Finds where recordings of one event lie to each other by their sound, how far their clocks drift apart, and ' +
    'writes them so that they begin together.',
  shown: {
    purpose: 'combine',
    place: 4,
    next: null,
    sign: '<path class="m" d="M8 4v24"/><path d="M8 9h14M8 16h19M8 23h9"/><path d="M22 7v4M27 14v4M17 21v4"/>',
    translations: {
      de: {
        title: 'Aufnahmen abgleichen',
        summary: 'Bringt Rekorder auf eine Zeit',
        description:
          'Findet am Ton, wie Aufnahmen desselben Ereignisses zueinander liegen und wie weit ihre Uhren ' +
          'auseinandergehen, und schreibt sie so, dass sie zusammen beginnen.',
        examples: [
          'Sagen, wie zwei Aufnahmen zueinander liegen, und nichts schreiben',
          'Drei Aufnahmen so schreiben, dass sie zugleich beginnen, mit berichtigten Uhren',
        ],
      },
    },
  },
  timeLine: 'own',
  work: { cpuPerSecond: 0.05, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  preview: null,
  inputs,
  options,
  passes: { reading: 1, aligning: 1, writing: 3 },
  examples: [
    {
      description: 'Say how two recordings lie to each other, and write nothing',
      command: 'sync host.wav guest.wav --find-only',
    },
    {
      description: 'Write three recordings so that they begin together, their clocks corrected',
      command: 'sync host.wav guest.wav room.wav -o aligned/',
    },
  ],
  refuse({ file_ids: files }, { reference }) {
    if (reference === undefined || reference <= files.length) return [];
    const message = `Expected the number of one of the ${files.length} recordings for reference but received ${reference}`;
    return [{ code: 'bad_request', message }];
  },
  plan(facts, parsed) {
    const pictures = facts.file_ids.filter(({ hasVideo }) => hasVideo).length;
    const ends = {
      pad: 'Let all begin with the first and end with the last, with silence where one has no sound',
      trim: 'Keep what all have',
      reference: 'Let all begin and end with the reference',
    };
    return {
      steps: [
        `Compare the sound of the ${facts.file_ids.length} recordings`,
        'Find where they lie and how far their clocks drift apart',
        ...(parsed.find_only
          ? []
          : [
              ends[parsed.ends],
              ...(parsed.correct_drift ? ['Bring all clocks to that of the reference'] : []),
              `Write the sound of each as ${parsed.output_format}`,
            ]),
      ],
      notes: pictures > 0 && !parsed.find_only ? [`${count(pictures, 'picture')} will not be in the outputs`] : [],
    };
  },
  placed: (result) => (belongTogether(result) ? placedRecordings(result) : null),
  passed: belongTogether,
  inWords(result) {
    const length = result.written === null ? '' : `${formatSeconds(result.written.durationSeconds)} each\n`;
    return length + describePlacement(result);
  },
  run: () => import('./run.ts'),
});
