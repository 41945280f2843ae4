import * as Type from 'typebox/type';
import { textFormats } from '../../contract/text-files.ts';
import { mediaFile, textFile } from '../declare/inputs.ts';
import type { FieldRules } from '../declare/refusals.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = {
  file_id: mediaFile(),
  script_file_id: textFile({ title: 'The script as a TXT, SRT or VTT file. Either this or text', optional: true }),
};

export const options = Type.Object(
  {
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: textFormats.txt.maxBytes,
        description: 'The script: plain text, SRT or VTT. Either this or script_file_id',
      }),
    ),
  },
  { additionalProperties: false },
);

export const fieldRules: FieldRules = { exactlyOne: [['text', 'script_file_id']] };

/** The context of `run`. */
export type AlignScriptContext = ContextOf<typeof inputs, typeof options>;
