import { asRange } from '../../core/time-range.ts';
import { count, formatSeconds, withUnit } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { keptNote, refuseEncodings } from '../declare/keep-encoding.ts';
import { pictureNotes } from '../declare/picture-notes.ts';
import { inputs, options } from './options.ts';

export const removeSilence = defineTool({
  id: 'remove_silence',
  slug: 'remove-silence',
  aliases: ['trim-silence', 'truncate-silence'],
  typed: {
    instead: {
      silence:
        'To shorten pauses: earshot remove-silence {files}; to list them: earshot media-info {files} --detail full',
    },
  },
  title: 'Remove silence',
  summary: 'Shorten long pauses',
  description:
    'Shortens the pauses of a recording without touching a word, ' +
    'and keeps the room tone between. A video is cut with its picture.',
  shown: {
    purpose: 'cut',
    place: 2,
    usualForAssistants: true,
    next: 3,
    look: 'pauses',
    sign: '<path class="m" d="M12 16h8"/><path d="M4 10v12M9 6v20"/><path d="M23 6v20M28 10v12"/>',
    translations: {
      de: {
        title: 'Stille kürzen',
        summary: 'Lange Pausen werden kurz',
        description:
          'Kürzt die Pausen einer Aufnahme, ohne ein Wort zu berühren, und behält den Raumklang dazwischen. Ein ' +
          'Video wird mit seinem Bild geschnitten.',
        examples: [
          'Jede Pause über 0,7 s auf 0,25 s kürzen',
          'Nur die langen Pausen, und von jeder eine halbe Sekunde lassen',
        ],
      },
    },
  },
  timeLine: { cutOut: ({ cuts }) => cuts.map(asRange) },
  runsInTab: true,
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'sound', encodesPictures: true, transcriptOf: null },
  preview: { mayDiffer: 'How loud speech and pauses are is measured over the whole recording' },
  inputs,
  options,
  passes: { listening: 1, cutting: 10 },
  examples: [
    { description: 'Shorten every pause over 0.7 s to 0.25 s', command: 'remove-silence lecture.wav' },
    {
      description: 'Only the long pauses, and leave half a second of each',
      command: 'remove-silence lecture.mp4 --min-pause-seconds 2 --keep-seconds 0.5',
    },
  ],
  plan(facts, { min_pause_seconds, keep_seconds, keep_encoding }) {
    return {
      steps: ['Find the pauses by level', `Shorten those of ${min_pause_seconds} s or more to ${keep_seconds} s`],
      notes: [
        ...(keep_seconds >= min_pause_seconds
          ? ['keep_seconds is not less than min_pause_seconds: only pauses longer than keep_seconds are shortened']
          : []),
        ...(keep_encoding ? [keptNote([facts.file_id])] : pictureNotes(facts.file_id)),
      ],
      refusals: keep_encoding ? refuseEncodings([facts.file_id]) : [],
    };
  },
  inWords: ({ pausesShortened, removedSeconds, onsetDbfs }) =>
    `${count(pausesShortened, 'pause')} under ${withUnit(onsetDbfs, 'dBFS')} shortened, ` +
    `${formatSeconds(removedSeconds)} shorter`,
  run: () => import('./run.ts'),
});
