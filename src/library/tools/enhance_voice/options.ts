import * as Type from 'typebox/type';
import { mediaFile } from '../declare/inputs.ts';
import { defaulted, outputFormat } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_id: mediaFile() };

export const options = Type.Object(
  {
    noise_reduction: defaulted(
      Type.Integer({
        minimum: 10,
        maximum: 100,
        default: 100,
        description: 'Share of the regenerated voice in percent; lower mixes back the original sound',
      }),
    ),
    auto_volume: defaulted(
      Type.Boolean({
        default: true,
        description:
          'Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP; speakers are not balanced',
      }),
    ),
    output_format: outputFormat(),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type EnhanceVoiceContext = ContextOf<typeof inputs, typeof options>;
