import { defineTool } from '../declare/define.ts';
import { engineName, volume } from '../declare/in-words.ts';
import { writeStep } from '../declare/options.ts';
import { inputs, options } from './options.ts';
import { checkLevels, roomShare } from './rules.ts';

/** Of a share of the noise: "by 100 percent". */
const downBy = (share: number): string => `by ${Math.round(100 * (1 - share))} percent`;

const signed = (db: number): string => `${db > 0 ? '+' : ''}${db} dB`;

const saidLevels = ({ voice_db, music_db }: { readonly voice_db: number; readonly music_db: number }): string[] => [
  ...(voice_db === 0 ? [] : [`Change the level of voices by ${signed(voice_db)}`]),
  ...(music_db === 0 ? [] : [`Change the level of music by ${signed(music_db)}`]),
];

export const removeNoise = defineTool({
  id: 'remove_noise',
  slug: 'remove-noise',
  aliases: ['denoise', 'noise-reduction'],
  title: 'Remove noise',
  summary: 'Take background noise away',
  description:
    'Takes background noise and rumble away from speech and keeps the voice, ' +
    'its place in the stereo image and its timing.',
  shown: {
    purpose: 'clean',
    place: 1,
    usualForAssistants: true,
    next: 5,
    sign:
      '<path class="n" d="M3 9h3v3H3zM7 20h3v3H7zM2 17h3v3H2zM10 7h3v3h-3zM7 13h3v3H7zM12 21h3v3h-3zM11 ' +
      '15h3v3h-3z"/><path d="M19 11v10M24 6v20M29 10v12"/>',
    further: ['method', 'voice_db', 'room_db', 'music_db'],
    translations: {
      de: {
        title: 'Rauschen entfernen',
        summary: 'Brummen, Rauschen und Rumpeln gehen, die Stimme bleibt',
        description:
          'Nimmt Hintergrundgeräusche und Rumpeln aus Sprachaufnahmen. Die Stimme, ihr Platz im Stereobild und ihr ' +
          'Zeitverlauf bleiben.',
        examples: [
          'Ein Interview reinigen und seine Lautheit einstellen',
          'Das Rauschen um die Hälfte senken und den Pegel lassen',
          'Die Vögel und die Menge behalten, das Rauschen des Rekorders wegnehmen',
          'Eine leisere Erkennungsmelodie, und etwas vom Raum',
        ],
      },
    },
  },
  timeLine: 'same',
  runsInTab: 'lighter',
  work: { cpuPerSecond: 0.25, memoryMib: 500, models: 'sound', encodesPictures: false, transcriptOf: null },
  preview: {
    mayDiffer: 'Whether somebody speaks, and how loud the noise is, is decided over the whole recording',
  },
  inputs,
  options,
  passes: { analysing: 1, denoising: 120, fitting: 0.7, encoding: 5, checking: 0.4 },
  examples: [
    { description: 'Clean up an interview and set its loudness', command: 'remove-noise interview.wav' },
    {
      description: 'Turn the noise down by half and leave the level alone',
      command: 'remove-noise interview.wav --noise-reduction 50 --no-auto-volume',
    },
    {
      description: 'Keep the birds and the crowd, and take the hiss of the recorder away',
      command: 'remove-noise street.wav --method steady',
    },
    {
      description: 'A softer jingle, and some of the room',
      command: 'remove-noise show.wav --music-db -8 --room-db -15',
    },
  ],
  check: checkLevels,
  plan(facts, options) {
    const notes =
      facts.file_id.hasVideo && options.output_format !== 'same'
        ? [`The picture is dropped: ${options.output_format} holds sound only`]
        : [];
    return {
      steps: [
        'Find out how the channels belong together',
        `Turn the ${options.method === 'steady' ? 'steady ' : ''}noise down ${downBy(roomShare(options))}`,
        ...saidLevels(options),
        ...(options.auto_volume ? ['Apply one gain to reach -16 LUFS and limit the peaks to -1 dBTP'] : []),
        writeStep(options.output_format),
      ],
      notes,
    };
  },
  inWords: ({ engine, noiseReduction, ...rest }) =>
    `${engineName(engine)}, noise down by ${noiseReduction} %, ${volume(rest)}`,
  run: () => import('./run.ts'),
});
