import * as Type from 'typebox/type';
import { mediaFiles } from '../declare/inputs.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = {
  file_ids: mediaFiles({ min: 2, max: 10, title: 'Recordings of one event, in any order', comesBack: true }),
};

export const options = Type.Object(
  {
    find_only: defaulted(
      Type.Boolean({ default: false, description: 'Only say how the recordings lie, and write no files' }),
    ),
    reference: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description: 'Whose clock counts: how many files down the list, 1 for the first. Default: the longest',
      }),
    ),
    ends: defaulted(
      Type.Enum(['pad', 'trim', 'reference'], {
        default: 'pad',
        description:
          'pad: from the first start to the last end, with silence; trim: only what all have; reference: as long as ' +
          'the reference',
      }),
    ),
    correct_drift: defaulted(
      Type.Boolean({
        default: true,
        description: 'Bring all clocks to that of the reference; false moves recordings only, by whole samples',
      }),
    ),
    output_format: defaulted(
      Type.Enum(['wav', 'flac'], { default: 'wav', description: 'Format of the outputs; both are lossless' }),
    ),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type AlignRecordingsContext = ContextOf<typeof inputs, typeof options>;
