import * as Type from 'typebox/type';
import { mediaFile } from '../declare/inputs.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_id: mediaFile() };

export const options = Type.Object(
  {
    detail: defaulted(
      Type.Enum(['concise', 'full'], {
        default: 'concise',
        description: 'concise lists up to 50 silent stretches, full lists all',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type AnalyzeAudioContext = ContextOf<typeof inputs, typeof options>;
