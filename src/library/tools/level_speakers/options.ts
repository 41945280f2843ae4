import * as Type from 'typebox/type';
import { mediaFile, mediaFiles } from '../declare/inputs.ts';
import { customLufs, outputFormat, voicesTarget } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = {
  file_id: mediaFile({ title: 'One recording with everyone', optional: true }),
  track_file_ids: mediaFiles({
    min: 2,
    max: 10,
    title: 'Tracks of one speaker each, all starting at the same time',
    optional: true,
    comesBack: true,
  }),
};

export const options = Type.Object(
  {
    target: voicesTarget,
    custom_lufs: customLufs,
    output_format: outputFormat("same keeps each input's format; a video stays a video"),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type LevelSpeakersContext = ContextOf<typeof inputs, typeof options>;
