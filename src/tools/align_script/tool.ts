import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { textFormats } from '../../contract/text-files.ts';
import { notInThisVersion } from '../../contract/unavailable.ts';
import { defineTool, givenFields, mediaFile, refuseFields, refuseUnsuitable, textFile } from '../define.ts';

const options = Type.Object(
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

/** Parsed. */
export type AlignScriptOptions = Readonly<Static<typeof options>>;

export const alignScript = defineTool({
  id: 'align_script',
  slug: 'align-script',
  title: 'Align a script',
  description: 'Finds when each word of a script is spoken in a recording. Not part of this version.',
  inputs: {
    file_id: mediaFile(),
    script_file_id: textFile({ title: 'The script as a TXT, SRT or VTT file. Either this or text', optional: true }),
  },
  options,
  fieldRules: { exactlyOne: [['text', 'script_file_id']] },
  free: { a: { seconds: 120, dailyUses: 3 }, b: { seconds: 120, dailyUses: 3 } },
  creditsPerMinute: 1,
  examples: [{ description: 'Time a script to its recording', command: 'align-script speech.wav --script speech.txt' }],
  plan(facts, parsed) {
    return {
      steps: ['Find the words of the script in the recording', 'Write the transcript with their times'],
      notes: [],
      refusals: [
        ...refuseFields(this.fieldRules ?? {}, givenFields(facts, parsed)),
        ...refuseUnsuitable(this.inputs, facts),
      ],
    };
  },
  unavailable: () => Promise.resolve(notInThisVersion('align_script')),
  run: () => import('./run.ts'),
});
