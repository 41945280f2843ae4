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
    method: defaulted(
      Type.Enum(['voice', 'steady'], {
        default: 'voice',
        description:
          'voice keeps voices, and music without one; steady takes away only what is always there, such as hiss and ' +
          'fans, and keeps birds, a crowd, footsteps; not for music',
      }),
    ),
    voice_db: defaulted(
      Type.Number({ minimum: -24, maximum: 12, default: 0, description: 'Level of voices, dB from where they were' }),
    ),
    room_db: Type.Optional(
      Type.Number({
        minimum: -60,
        maximum: 0,
        description:
          'Level of noise, ambience and reverberation, dB from where it was; 0 takes nothing away. Default: as ' +
          'noise_reduction says',
      }),
    ),
    music_db: defaulted(
      Type.Number({
        minimum: -60,
        maximum: 12,
        default: 0,
        description: 'Level of music in passages without a voice, dB from where it was',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type RemoveNoiseContext = ContextOf<typeof inputs, typeof options>;
