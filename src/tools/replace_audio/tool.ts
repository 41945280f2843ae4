import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { defaulted, defineTool, mediaFile, refuseUnsuitable } from '../define.ts';

const options = Type.Object(
  {
    offset_seconds: defaulted(
      Type.Number({
        minimum: -36_000,
        maximum: 36_000,
        default: 0,
        description: 'Moves the sound against the picture: positive later, negative earlier',
      }),
    ),
  },
  { additionalProperties: false },
);

/**
 * Parsed: defaults filled in. Apart from the declaration, because run.ts needs the type and the declaration needs
 * run.ts.
 */
export type ReplaceAudioOptions = Readonly<Static<typeof options>>;

export const replaceAudio = defineTool({
  id: 'replace_audio',
  slug: 'swap-audio',
  title: 'Swap the soundtrack',
  description: "Replaces a video's sound. The picture, subtitles, chapters and metadata are copied untouched.",
  inputs: {
    video_file_id: mediaFile({ needs: 'video', title: 'Video' }),
    audio_file_id: mediaFile({ title: 'New sound, audio or video file' }),
  },
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
        `Write the new sound${offset_seconds === 0 ? '' : `, moved by ${offset_seconds} s`}, padded or cut to the ` +
          `picture's length`,
      ],
      notes: [],
      refusals: refuseUnsuitable(this.inputs, facts),
    };
  },
  /** Sound that starts early is used from further back. */
  planWindow: ({ offset_seconds }, seconds) => ({
    secondsByField: { audio_file_id: seconds + Math.max(0, -offset_seconds) },
  }),
  run: () => import('./run.ts'),
});
