import * as Type from 'typebox/type';
import { mediaFile } from '../declare/inputs.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_id: mediaFile() };

export const options = Type.Object(
  {
    speed: defaulted(
      Type.Number({
        minimum: 0.25,
        maximum: 4,
        default: 1.25,
        description: 'How many times as fast: 1.25 takes a fifth off the length, 0.5 doubles it',
      }),
    ),
    output_format: defaulted(
      Type.Enum(['same', 'wav', 'mp3', 'm4a', 'flac'], {
        default: 'same',
        description: "same keeps the input's format; of a video its sound, as m4a",
      }),
    ),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type ChangeSpeedContext = ContextOf<typeof inputs, typeof options>;
