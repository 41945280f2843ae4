import * as Type from 'typebox/type';
import { mediaFiles } from '../declare/inputs.ts';
import { keepEncodingOption } from '../declare/keep-encoding.ts';
import { defaulted, outputFormat } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_ids: mediaFiles({ min: 2, max: 20 }) };

export const options = Type.Object(
  {
    crossfade_ms: defaulted(
      Type.Integer({
        minimum: 0,
        maximum: 5000,
        default: 0,
        description: 'How long each file overlaps the next, in ms',
      }),
    ),
    match_loudness: defaulted(
      Type.Boolean({ default: true, description: 'Bring the files to the same integrated loudness first' }),
    ),
    title_chapters: defaulted(
      Type.Boolean({
        default: true,
        description: 'Where no file has chapters, make each a chapter with its title, or its name',
      }),
    ),
    keep_encoding: keepEncodingOption,
    output_format: outputFormat('same is the format of the first file'),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type JoinAudioContext = ContextOf<typeof inputs, typeof options>;
