import * as Type from 'typebox/type';
import { keptPauseSeconds, longPauseSeconds } from '../../contract/edit-defaults.ts';
import { mediaFile } from '../declare/inputs.ts';
import { keepEncodingOption } from '../declare/keep-encoding.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_id: mediaFile() };

export const options = Type.Object(
  {
    min_pause_seconds: defaulted(
      Type.Number({
        minimum: 0.3,
        maximum: 5,
        default: longPauseSeconds,
        description: 'Pauses at least this long are shortened',
      }),
    ),
    keep_seconds: defaulted(
      Type.Number({ minimum: 0, maximum: 1, default: keptPauseSeconds, description: 'How much of each pause stays' }),
    ),
    keep_encoding: keepEncodingOption,
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type RemoveSilenceContext = ContextOf<typeof inputs, typeof options>;
