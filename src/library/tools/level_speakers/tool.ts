import { checkCustomLufs, customLufsRule, targetLufsOf } from '../../contract/loudness-target.ts';
import { count, withUnit } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { targetName } from '../declare/in-words.ts';
import { writeStep } from '../declare/options.ts';
import { inputs, options } from './options.ts';
import { refuseInputs } from './rules.ts';

export const levelSpeakers = defineTool({
  id: 'level_speakers',
  slug: 'level-speakers',
  title: 'Level speakers',
  summary: 'Make all speakers equally loud',
  description:
    'Makes all speakers of a conversation equally loud, in one recording or on tracks of one speaker each, and ' +
    'brings the result to a loudness target.',
  shown: {
    purpose: 'clean',
    place: 4,
    usualForAssistants: true,
    next: null,
    sign: '<path class="m" d="M12.500 6h7M12.500 26h7"/><path d="M5 6v20M10 6v20"/><path d="M22 6v20M27 6v20"/>',
    translations: {
      de: {
        title: 'Sprecher angleichen',
        summary: 'Alle gleich laut',
        description:
          'Macht alle, die in einem Gespräch sprechen, gleich laut: in einer Aufnahme oder auf Spuren mit je einer ' +
          'Person, und bringt das Ergebnis auf eine Ziellautheit.',
        examples: ['Zwei Stimmen eines Interviews gleich laut machen'],
      },
    },
  },
  timeLine: 'same',
  placed: (result) =>
    result.mode === 'tracks' ? result.tracks.map(({ gainDb }) => ({ startSeconds: 0, gainDb, rides: true })) : null,
  changesLevelOnly: true,
  runsInTab: true,
  work: { cpuPerSecond: 0.3, memoryMib: 600, models: 'sound', encodesPictures: false, transcriptOf: null },
  preview: {
    mayDiffer: 'Who speaks and how loud everyone is, and the final gain, are decided over the whole recording',
  },
  inputs,
  options,
  passes: {
    'finding speech': 1,
    reading: 0.3,
    'telling speakers apart': 9,
    'comparing voices': 8,
    'comparing again': 2,
    fitting: 0.2,
    encoding: 4,
    checking: 0.3,
  },
  fieldRules: { exactlyOne: [['file_id', 'track_file_ids']] },
  examples: [{ description: 'Make two voices of an interview equally loud', command: 'level-speakers interview.wav' }],
  optionRules: customLufsRule,
  check: checkCustomLufs,
  refuse: ({ file_id: recording, track_file_ids: tracks }) =>
    refuseInputs(recording === undefined ? 0 : 1, tracks.length),
  plan(facts, parsed) {
    const recordings = facts.file_id === undefined ? [] : [facts.file_id];
    const tracks = facts.track_file_ids;
    const goal = `${targetLufsOf(parsed)} LUFS`;
    const files = [...recordings, ...tracks];
    const dropsPicture = parsed.output_format !== 'same' && files.some((file) => file.hasVideo);
    return {
      steps: [
        'Find speech, pauses and music',
        ...(tracks.length > 0
          ? ['Find who speaks when, and lower each track by 12 dB or more while only others speak']
          : []),
        'Give every stretch of speech the gain that makes it as loud as the rest',
        `Bring ${tracks.length > 0 ? 'the sum of the tracks' : 'the recording'} to ${goal} and limit true peaks to ` +
          '-1 dBTP',
        writeStep(parsed.output_format),
      ],
      notes: dropsPicture ? [`The picture is dropped: ${parsed.output_format} holds sound only`] : [],
    };
  },
  inWords(result) {
    const goal = targetName(result.target, result.targetLufs);
    if (result.mode === 'tracks') return `${goal}, together ${withUnit(result.sum.integratedLufs, 'LUFS')}`;
    const who = result.speakers === null ? 'by level alone' : count(result.speakers, 'speaker');
    return `${goal}, ${who}, now ${withUnit(result.output.integratedLufs, 'LUFS')}`;
  },
  run: () => import('./run.ts'),
});
