import { defineTool } from '../declare/define.ts';
import { engineName, volume } from '../declare/in-words.ts';
import { writeStep } from '../declare/options.ts';
import { inputs, options } from './options.ts';

export const enhanceVoice = defineTool({
  id: 'enhance_voice',
  slug: 'enhance-voice',
  aliases: ['enhance'],
  typed: {
    instead: {
      deess: 'Hisses are evened out among other things by earshot enhance-voice {files}',
      'de-ess': 'Hisses are evened out among other things by earshot enhance-voice {files}',
      declip: 'Clipped peaks are mended among other things by earshot enhance-voice {files}',
      dereverb: 'Reverberation is taken away, with noise, by earshot enhance-voice {files}',
    },
  },
  title: 'Enhance voice',
  summary: 'Make a poor recording of a voice sound close and clear',
  description:
    'Makes a voice from a poor recording sound closer and clearer: takes noise and reverberation away, restores ' +
    'missing highs, and evens out tone, hisses and level. Recordings at 8 or 16 kHz whose highs were restored come ' +
    'out at 48 kHz.',
  shown: {
    purpose: 'clean',
    place: 2,
    usualForAssistants: true,
    next: null,
    sign: '<path class="m" d="M2 28h28"/><path d="M4 14v4M9 13v6"/><path d="M16 9v14M21 7v18M26 10v12"/>',
    translations: {
      de: {
        title: 'Stimme verbessern',
        summary: 'Eine schlecht aufgenommene Stimme klingt nah und klar',
        description:
          'Lässt eine schlecht aufgenommene Stimme näher und klarer klingen: nimmt Rauschen und Hall weg, stellt ' +
          'fehlende Höhen wieder her und gleicht Klang, Zischen und Pegel aus.',
        examples: ['Die Stimme eines Anrufs neu erzeugen', 'Ein Drittel des alten Klangs behalten, und seinen Pegel'],
      },
    },
  },
  timeLine: 'same',
  runsInTab: 'lighter',
  work: { cpuPerSecond: 0.3, memoryMib: 500, models: 'sound', encodesPictures: false, transcriptOf: null },
  preview: {
    mayDiffer: 'Bandwidth, reverberation, tone and noise of the voice are measured over the whole recording',
  },
  inputs,
  options,
  passes: {
    analysing: 1,
    repairing: 1,
    denoising: 25,
    restoring: 12,
    enhancing: 7.5,
    fitting: 0.35,
    encoding: 2.5,
    checking: 0.25,
  },
  examples: [
    { description: 'Regenerate the voice of a call', command: 'enhance-voice call.wav' },
    {
      description: 'Keep a third of the original sound and its level',
      command: 'enhance-voice lecture.mp4 --noise-reduction 66 --no-auto-volume',
    },
  ],
  plan(facts, { noise_reduction, auto_volume, output_format }) {
    return {
      steps: [
        'Find out how the channels belong together, how reverberant and how dull the voice is',
        'Regenerate the ' +
          `voice${noise_reduction === 100 ? '' : ` and mix back ${100 - noise_reduction} % of the original`}`,
        ...(auto_volume ? ['Bring the whole file to -16 LUFS and limit true peaks to -1 dBTP'] : []),
        writeStep(output_format),
      ],
      notes:
        facts.file_id.hasVideo && output_format !== 'same'
          ? [`The picture is dropped: ${output_format} holds sound only`]
          : [],
    };
  },
  inWords: ({ engine, found, ...rest }) =>
    found.voice
      ? `${engineName(engine)}${found.bandwidthRestorer === null ? '' : `, highs by ${engineName(found.bandwidthRestorer)}`}, ` +
        volume(rest)
      : `${engineName(engine)}, no voice found`,
  run: () => import('./run.ts'),
});
