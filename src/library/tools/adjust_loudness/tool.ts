import { checkCustomLufs, customLufsRule, targetLufsOf } from '../../contract/loudness-target.ts';
import { withUnit } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { targetName } from '../declare/in-words.ts';
import { writeStep } from '../declare/options.ts';
import { inputs, options } from './options.ts';

/** "in over 1 s, out over 2 s"; '': no fades. */
const fadesInWords = (fadeIn = 0, fadeOut = 0): string =>
  [fadeIn > 0 ? `in over ${fadeIn} s` : '', fadeOut > 0 ? `out over ${fadeOut} s` : '']
    .filter((part) => part !== '')
    .join(', ');

export const adjustLoudness = defineTool({
  id: 'adjust_loudness',
  slug: 'loudness',
  aliases: ['normalize', 'normalise'],
  typed: {
    number: '--target $',
    commands: {
      gain: '--gain-db $',
      volume: '--gain-db $dB',
      amplify: '--gain-db $dB',
      fade: '--gain-db 0 ?--fade-in-seconds,--fade-out-seconds',
    },
  },
  title: 'Set loudness',
  summary: 'Bring recordings to a loudness: podcast, streaming, broadcast, audiobook',
  description:
    'Brings a recording to the loudness of a target with one gain and limited true peaks, ' +
    'or makes it pass the ACX audiobook checks.',
  shown: {
    purpose: 'clean',
    place: 3,
    usualForAssistants: true,
    next: 4,
    sign: '<path class="m" d="M1 6h30"/><path d="M5 12v8M11 8v16M16 8v16M21 8v16M27 11v10"/>',
    translations: {
      de: {
        title: 'Lautheit einstellen',
        summary: 'Auf Podcast, Streaming, Rundfunk oder Hörbuch',
        description:
          'Bringt eine Aufnahme mit einem einzigen Pegel und begrenzten Spitzen auf die Lautheit eines Ziels, oder ' +
          'durch die Prüfung für ACX-Hörbücher.',
        examples: [
          'Eine Podcast-Folge auf -16 LUFS bringen',
          'Ein Pegel für alle Teile einer Reihe',
          'Auf -19 LUFS bringen und als MP3 schreiben',
        ],
      },
    },
  },
  timeLine: 'same',
  changesLevelOnly: true,
  runsInTab: true,
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  preview: { mayDiffer: null, needsWhole: true },
  inputs,
  options,
  passes: { measuring: 1, fitting: 1.5, encoding: 16, checking: 1.2 },
  examples: [
    { description: 'Set a podcast episode to -16 LUFS', command: 'loudness episode.wav' },
    { description: 'One gain for all parts of a series', command: 'loudness part-*.wav --album -o finished/' },
    {
      description: 'Set it to -19 LUFS and write an MP3',
      command: 'loudness episode.wav --target custom --custom-lufs -19 --output-format mp3 -o episode-19.mp3',
    },
  ],
  optionRules: customLufsRule,
  check: checkCustomLufs,
  plan(facts, options) {
    const { target, gain_db, fade_in_seconds, fade_out_seconds } = options;
    const fades = fadesInWords(fade_in_seconds, fade_out_seconds);
    const goal = target === 'audiobook' ? 'the ACX audiobook limits' : `${targetLufsOf({ ...options, target })} LUFS`;
    const notes =
      facts.file_id.hasVideo && options.output_format !== 'same'
        ? [`The picture is dropped: ${options.output_format} holds sound only`]
        : [];
    return {
      steps: [
        'Measure loudness and true peak',
        gain_db === undefined ? `Apply one gain to reach ${goal} and limit the peaks` : `Apply a gain of ${gain_db} dB`,
        ...(fades === '' ? [] : [`Fade ${fades}`]),
        writeStep(options.output_format),
      ],
      notes,
    };
  },
  inWords({ target, targetLufs, targetRmsDbfs, gainDb, fadeInSeconds, fadeOutSeconds, input, output }) {
    const isGiven = targetLufs === null && targetRmsDbfs === null;
    const goal = isGiven
      ? `gain ${withUnit(gainDb, 'dB')}`
      : targetLufs === null
        ? `${target} (${withUnit(targetRmsDbfs, 'dB RMS')}, now ${withUnit(output.rmsDbfs, 'dB RMS')})`
        : targetName(target, targetLufs);
    const [before, after] = [input, output].map(({ integratedLufs }) => withUnit(integratedLufs, 'LUFS'));
    const fades = fadesInWords(fadeInSeconds, fadeOutSeconds);
    return `${goal}, ${fades === '' ? '' : `${fades}, `}${before} to ${after}, true peak ${withUnit(output.truePeakDbtp, 'dBTP')}`;
  },
  run: () => import('./run.ts'),
});
