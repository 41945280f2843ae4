import * as Type from 'typebox/type';
import { mediaFile } from '../declare/inputs.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_id: mediaFile() };

export const options = Type.Object(
  {
    format: defaulted(
      Type.Enum(['mp3', 'wav', 'm4a', 'flac', 'ogg', 'opus'], { default: 'mp3', description: 'Format of the output' }),
    ),
    bitrate_kbps: Type.Optional(
      Type.Integer({
        minimum: 16,
        maximum: 320,
        description: 'For mp3, m4a, ogg and opus, in kbit/s; default chosen by the format',
      }),
    ),
    sample_rate: Type.Optional(
      Type.Enum([8000, 16000, 22050, 24000, 32000, 44100, 48000], { description: "In Hz; default the input's" }),
    ),
    channels: Type.Optional(Type.Enum(['mono', 'stereo'], { description: "Default the input's" })),
    fit_peaks: defaulted(
      Type.Boolean({
        default: false,
        description: 'Lower the level where peaks lie above full scale, so that none is clipped',
      }),
    ),
    fix_phase: defaulted(
      Type.Boolean({
        default: false,
        description: 'Turn a channel over that is the opposite of another, so that they do not cancel in mono',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type ConvertAudioContext = ContextOf<typeof inputs, typeof options>;
