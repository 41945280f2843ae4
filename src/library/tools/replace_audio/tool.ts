import { formatSeconds } from '../../core/readable.ts';
import { defineTool } from '../declare/define.ts';
import { inputs, options } from './options.ts';

export const replaceAudio = defineTool({
  id: 'replace_audio',
  slug: 'swap-audio',
  aliases: ['replace-audio'],
  title: 'Swap the soundtrack',
  summary: "Swap a video's soundtrack",
  description: "Replaces a video's sound. The picture, subtitles, chapters and metadata are copied untouched.",
  shown: {
    purpose: 'combine',
    place: 3,
    next: null,
    look: 'offset',
    sign: '<path class="m" d="M2 25h28"/><path d="M3 4h26v12H3zM5 22v6M10.500 20v10M16 22v6M21.500 20v10M27 22v6"/>',
    translations: {
      de: {
        title: 'Tonspur tauschen',
        summary: 'Neuer Ton, das Bild unberührt',
        description:
          'Ersetzt den Ton eines Videos. Bild, Untertitel, Kapitel und Angaben werden unverändert übernommen.',
        examples: [
          'Eine gereinigte Aufnahme unter ein Video legen',
          'Die Aufnahme wurde 1,25 s nach der Kamera begonnen',
        ],
      },
    },
  },
  timeLine: 'own',
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false, transcriptOf: null },
  preview: null,
  inputs,
  options,
  examples: [
    {
      description: 'Put a cleaned recording under a video',
      command: 'swap-audio film.mp4 clean.wav -o film-clean.mp4',
    },
    {
      description: 'The recording was started 1.25 s after the camera',
      command: 'swap-audio film.mp4 recorder.wav --offset-seconds 1.25 -o film-synced.mp4',
    },
  ],
  plan(_, { offset_seconds }) {
    return {
      steps: [
        'Copy the picture',
        `Write the new sound${offset_seconds === 0 ? '' : `, moved by ${offset_seconds} s`}, ` +
          `padded or cut to the picture's length`,
      ],
      notes: [],
    };
  },
  /** Sound that starts early is used from a later point. */
  planWindow: ({ offset_seconds }, seconds) => ({
    secondsByField: { audio_file_id: seconds + Math.max(0, -offset_seconds) },
  }),
  inWords: ({ soundSeconds, silenceBeforeSeconds, silenceAfterSeconds }) =>
    `${formatSeconds(soundSeconds)} of sound` +
    (silenceBeforeSeconds > 0 ? `, ${formatSeconds(silenceBeforeSeconds)} of silence before` : '') +
    (silenceAfterSeconds > 0 ? `, ${formatSeconds(silenceAfterSeconds)} of silence after` : ''),
  run: () => import('./run.ts'),
});
