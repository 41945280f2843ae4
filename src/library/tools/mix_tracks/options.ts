import * as Type from 'typebox/type';
import { mediaTracks } from '../declare/inputs.ts';
import { customLufs, defaulted, outputFormat, type OptionsOf, voicesTarget } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { tracks: mediaTracks({ min: 2, max: 20, title: 'Tracks, all starting at the same time' }) };

const track = Type.Object(
  {
    role: defaulted(
      Type.Enum(['voice', 'music', 'effects'], {
        default: 'voice',
        description: 'What the track is; music falls under voice when duck is true',
      }),
    ),
    volume_db: defaulted(
      Type.Number({
        minimum: -60,
        maximum: 20,
        default: 0,
        description:
          "Gain of the track, dB, before the mix's own. Voices have one loudness at first: here is how far one lies " +
          'above or under the others',
      }),
    ),
  },
  { additionalProperties: false },
);

export const options = Type.Object(
  {
    tracks: Type.Optional(
      Type.Array(track, {
        minItems: 2,
        maxItems: 20,
        description: 'Settings of each track, in the order of the files. Default: every track a voice at 0 dB',
      }),
    ),
    duck: defaulted(
      Type.Boolean({
        default: false,
        description:
          'Lowers music while someone speaks on a voice track: ' +
          'by 12 dB, or more where less than 10 LU would lie between them',
      }),
    ),
    target: voicesTarget,
    custom_lufs: customLufs,
    output_format: outputFormat("same keeps the first track's format; a video stays a video"),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type MixTracksContext = ContextOf<typeof inputs, typeof options>;
export type MixedTrack = OptionsOf<typeof track>;
