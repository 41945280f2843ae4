import { checkCustomLufs, customLufsRule, targetLufsOf } from '../../contract/loudness-target.ts';
import { count, withUnit } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { targetName } from '../declare/in-words.ts';
import { writeStep } from '../declare/options.ts';
import { inputs, options } from './options.ts';

export const mixTracks = defineTool({
  id: 'mix_tracks',
  slug: 'mix',
  aliases: ['overlay'],
  typed: {
    instead: {
      duck:
        'Say which file is music, here the first: ' +
        `earshot mix {files} --duck --tracks '[{"role":"music"},{"role":"voice"}]'`,
    },
  },
  title: 'Mix tracks',
  summary: 'Mix voices and music, ducked where somebody speaks',
  description:
    'Mixes voices, music and effects into one file at a loudness target, with music lowered under voice when wanted.',
  shown: {
    purpose: 'combine',
    place: 2,
    usualForAssistants: true,
    next: null,
    sign:
      '<path d="M4 6v6M9 4v10M14 6v6M4 20v6M9 18v10M14 20v6"/><path class="m" d="M17 16h4"/><path d="M25 5v22M29 ' +
      '9v14"/>',
    translations: {
      de: {
        title: 'Spuren mischen',
        summary: 'Musik tritt hinter Stimmen zurück',
        description:
          'Mischt Stimmen, Musik und Effekte zu einer Datei mit einer Ziellautheit; auf Wunsch wird die Musik unter ' +
          'den Stimmen leiser.',
        examples: [
          'Zwei Stimmen auf -16 LUFS mischen',
          'Musik unter eine Stimme legen, leiser, solange gesprochen wird',
        ],
      },
    },
  },
  timeLine: 'mixed',
  placed: ({ tracks }) => tracks.map(({ gainDb, ducked }) => ({ startSeconds: 0, gainDb, rides: ducked })),
  runsInTab: true,
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'sound', encodesPictures: false, transcriptOf: null },
  preview: null,
  inputs,
  options,
  passes: { analysing: 1, measuring: 0.3, fitting: 0.2, encoding: 1.4, checking: 0.15 },
  examples: [
    { description: 'Mix two voices to -16 LUFS', command: 'mix host.wav guest.wav' },
    {
      description: 'Put music under a voice, lowered while it speaks',
      command: `mix host.wav music.wav --duck --tracks '[{"role":"voice"},{"role":"music","volume-db":-6}]'`,
    },
  ],
  optionRules: customLufsRule,
  check: checkCustomLufs,
  /** Settings must be given for every file or for none. */
  refuse({ tracks: files }, { tracks: settings }) {
    if (settings === undefined || settings.length === files.length) return [];
    const message = `Expected settings for each of the ${files.length} files in tracks but received ${settings.length}`;
    return [{ code: 'bad_request', message }];
  },
  plan(facts, parsed) {
    const files = facts.tracks;
    const goal = `${targetLufsOf(parsed)} LUFS`;
    const [first, ...others] = files;
    return {
      steps: [
        ...(parsed.duck ? ['Find speech on the voice tracks', 'Lower music at least 10 LU under it'] : []),
        'Bring voices to one loudness',
        `Add the ${files.length} tracks, each with its own volume`,
        `Bring the sum to ${goal} and limit true peaks to -1 dBTP`,
        writeStep(parsed.output_format),
      ],
      notes: [
        ...(first?.hasVideo && parsed.output_format !== 'same'
          ? [`The picture is dropped: ${parsed.output_format} holds sound only`]
          : []),
        ...(others.some((file) => file.hasVideo) ? ["Only the first track's picture can be kept"] : []),
      ],
    };
  },
  inWords({ target, targetLufs, musicUnderVoiceLu, tracks, output }) {
    const ducked = musicUnderVoiceLu === null ? '' : `, music ${withUnit(musicUnderVoiceLu, 'LU')} under the voices`;
    return (
      `${count(tracks.length, 'track')} at ${targetName(target, targetLufs)}${ducked}, ` +
      `now ${withUnit(output.integratedLufs, 'LUFS')}`
    );
  },
  run: () => import('./run.ts'),
});
