import * as Type from 'typebox/type';
import { fillerLanguages } from '../../contract/filler-languages.ts';
import { mediaFile, textFile } from '../declare/inputs.ts';
import { keepEncodingOption } from '../declare/keep-encoding.ts';
import { defaulted } from '../declare/options.ts';
import type { FieldRules } from '../declare/refusals.ts';
import type { ContextOf } from '../declare/run.ts';

const soundAction = (what: string): Type.TEnum<['keep', 'cut', 'mute', 'lower']> =>
  defaulted(
    Type.Enum(['keep', 'cut', 'mute', 'lower'], {
      default: 'keep',
      description: what,
    }),
  );

export const inputs = {
  file_id: mediaFile(),
  transcript_file_id: textFile({
    title: 'A verbatim transcript of this recording; without it the recording is transcribed',
    extensions: ['json'],
    optional: true,
  }),
};

export const options = Type.Object(
  {
    dry_run: defaulted(Type.Boolean({ default: false, description: 'List the cuts with their ids and make no audio' })),
    cut_ids: Type.Optional(
      Type.Array(Type.String({ pattern: '^c[0-9]{1,5}$' }), {
        minItems: 1,
        maxItems: 5000,
        description: 'Ids of cuts from a dry run of the same transcript; needs transcript_file_id. Default: all',
      }),
    ),
    fillers: defaulted(
      Type.Enum(['cut', 'mute', 'lower'], { default: 'cut', description: 'Fillers and repeats; lower is by 15 dB' }),
    ),
    repeats: defaulted(
      Type.Boolean({
        default: true,
        description: 'Also up to 3 words that are said twice in a row, keeping the second',
      }),
    ),
    breaths: soundAction('Breaths between words'),
    mouth_clicks: soundAction('Clicks of lips and tongue in pauses'),
    coughs: soundAction('Coughs between words'),
    stutters: soundAction("A word's first sound said again before it (h-h-here), and words that break off (wh- what)"),
    keep_encoding: keepEncodingOption,
    language: Type.Optional(
      Type.String({
        pattern: '^[a-z]{2,3}$',
        description: `Code of the language whose fillers are looked for: ${fillerLanguages.join(', ')}; default detected`,
      }),
    ),
  },
  { additionalProperties: false },
);

export const fieldRules: FieldRules = { needs: { cut_ids: 'transcript_file_id' } };

/** The context of `run`. */
export type RemoveFillersContext = ContextOf<typeof inputs, typeof options>;
