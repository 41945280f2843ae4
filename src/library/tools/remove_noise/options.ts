import * as Type from 'typebox/type';
import { mediaFile } from '../declare/inputs.ts';
import { defaulted, outputFormat } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_id: mediaFile() };

const turningDown = (leastPercent: number) =>
  Type.Object(
    {
      noise_reduction: defaulted(
        Type.Integer({
          minimum: leastPercent,
          maximum: 100,
          default: 100,
          description:
            'Percent of the noise that is turned down: 100 removes what can be removed, 50 halves it (-6 dB), 90 ' +
            'leaves a tenth (-20 dB)',
        }),
      ),
      auto_volume: defaulted(
        Type.Boolean({
          default: true,
          description: 'Bring the whole file to -16 LUFS with one gain, peaks limited to -1 dBTP',
        }),
      ),
      output_format: outputFormat(),
    },
    { additionalProperties: false },
  );

export const options = turningDown(10);

/** The older API allows values down to 1, almost no reduction. */
export const jobOptions = turningDown(1);

/** The context of `run`. */
export type RemoveNoiseContext = ContextOf<typeof inputs, typeof options>;
