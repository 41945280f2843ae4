import * as Type from 'typebox/type';
import { mediaFile } from '../declare/inputs.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = {
  video_file_id: mediaFile({ needs: 'video', title: 'Video with its picture' }),
  audio_file_id: mediaFile({ title: 'New sound, audio or video file' }),
};

export const options = Type.Object(
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

/** The context of `run`. */
export type ReplaceAudioContext = ContextOf<typeof inputs, typeof options>;
