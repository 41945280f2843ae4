import * as Type from 'typebox/type';
import { crossfadeMs } from '../../contract/edit-defaults.ts';
import { mediaFile, textFile } from '../declare/inputs.ts';
import { keepEncodingOption } from '../declare/keep-encoding.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = {
  file_id: mediaFile(),
  by_text_file_id: textFile({
    title:
      'An edited copy of the transcript instead of ranges: what is deleted there is cut, what is moved moves; ' +
      'TXT, SRT, VTT or JSON',
    extensions: ['txt', 'srt', 'vtt', 'json'],
    optional: true,
  }),
  transcript_file_id: textFile({
    title: 'The transcript before the editing, as JSON; without it the recording is transcribed',
    extensions: ['json'],
    optional: true,
  }),
};

const second = Type.Number({ minimum: 0, maximum: 36_000 });

export const options = Type.Object(
  {
    ranges: Type.Optional(
      Type.Array(Type.Tuple([second, second]), {
        minItems: 1,
        maxItems: 10_000,
        description: 'Stretches as [start, end] in seconds, in any order',
      }),
    ),
    mode: defaulted(
      Type.Enum(['remove', 'keep', 'mute'], {
        default: 'remove',
        description: 'remove the ranges, keep only them, or mute them',
      }),
    ),
    output: defaulted(
      Type.Enum(['joined', 'separate'], {
        default: 'joined',
        description: 'joined into one file, or separate: one file per range that stays',
      }),
    ),
    order: defaulted(
      Type.Enum(['recorded', 'given'], {
        default: 'recorded',
        description: 'Order of kept ranges: that of the recording, or as given, where a range may come twice',
      }),
    ),
    crossfade_ms: defaulted(
      Type.Integer({
        minimum: 0,
        maximum: 200,
        default: crossfadeMs,
        description: 'Crossfade at each seam of a joined output, in ms',
      }),
    ),
    keep_encoding: keepEncodingOption,
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type CutAudioContext = ContextOf<typeof inputs, typeof options>;
