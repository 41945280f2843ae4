import { defineTool } from '../declare/define.ts';
import { refuseUnsuitable } from '../declare/refusals.ts';
import { inputs, options } from './options.ts';

export const replaceAudio = defineTool({
  id: 'replace_audio',
  slug: 'swap-audio',
  title: 'Swap the soundtrack',
  summary: "Swap a video's soundtrack",
  description: "Replaces a video's sound. The picture, subtitles, chapters and metadata are copied untouched.",
  timeLine: 'own',
  work: { cpuPerSecond: 0.1, memoryMib: null, models: 'none', encodesPictures: false },
  preview: null,
  inputs,
  options,
  free: { a: { seconds: 180, dailyUses: 3 }, b: { seconds: 3600, dailyUses: 10 } },
  creditsPerMinute: 1,
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
  plan(facts, { offset_seconds }) {
    return {
      steps: [
        'Copy the picture',
        `Write the new sound${offset_seconds === 0 ? '' : `, moved by ${offset_seconds} s`}, ` +
          `padded or cut to the picture's length`,
      ],
      notes: [],
      refusals: refuseUnsuitable(inputs, facts),
    };
  },
  /** Sound that starts early is used from a later point. */
  planWindow: ({ offset_seconds }, seconds) => ({
    secondsByField: { audio_file_id: seconds + Math.max(0, -offset_seconds) },
  }),
  run: () => import('./run.ts'),
});
