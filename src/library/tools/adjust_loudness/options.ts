import * as Type from 'typebox/type';
import { mediaFile } from '../declare/inputs.ts';
import { customLufs, defaulted, outputFormat } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_id: mediaFile() };

export const options = Type.Object(
  {
    target: defaulted(
      Type.Enum(['podcast', 'streaming', 'broadcast', 'audiobook', 'custom'], {
        default: 'podcast',
        description: 'podcast -16 LUFS, streaming -14, broadcast -23, audiobook (ACX checks), custom (custom_lufs)',
      }),
    ),
    custom_lufs: customLufs,
    gain_db: Type.Optional(
      Type.Number({ minimum: -60, maximum: 60, description: 'This gain and no limiter, instead of a target' }),
    ),
    fade_in_seconds: Type.Optional(
      Type.Number({ minimum: 0, maximum: 600, description: 'From silence to full level at the beginning' }),
    ),
    fade_out_seconds: Type.Optional(
      Type.Number({ minimum: 0, maximum: 600, description: 'From full level to silence at the end' }),
    ),
    fade_curve: Type.Optional(
      Type.Enum(['linear', 'sine', 'smooth', 'exponential'], {
        description:
          'Of both fades; default smooth. linear in amplitude, sine of equal power, smooth at both ends, exponential ' +
          'straight in decibels',
      }),
    ),
    output_format: outputFormat(),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type AdjustLoudnessContext = ContextOf<typeof inputs, typeof options>;
