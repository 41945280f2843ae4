import * as Type from 'typebox/type';
import { captionProfiles } from '../../contract/text-files.ts';
import { mediaFile, textFile } from '../declare/inputs.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = {
  file_id: mediaFile({ needs: 'audio+video', title: 'Video with its picture' }),
  captions_file_id: textFile({
    title: 'Captions: a transcript (JSON), SRT or VTT',
    extensions: ['json', 'srt', 'vtt'],
  }),
};

export const options = Type.Object(
  {
    caption_profile: defaulted(
      Type.Enum(captionProfiles, {
        default: 'standard',
        description: 'Looks, and of a transcript lengths of lines and speed; shorts: a few large words at a time',
      }),
    ),
    karaoke: defaulted(
      Type.Boolean({ default: false, description: 'Words light up while they are said; needs a transcript' }),
    ),
    font: Type.Optional(
      Type.String({ minLength: 1, maxLength: 80, description: 'Name of a font; default: Arial, or what is there' }),
    ),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type BurnCaptionsContext = ContextOf<typeof inputs, typeof options>;
