import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { notInThisVersion } from '../../contract/unavailable.ts';
import { defaulted, defineTool, givenFields, mediaFile, refuseFields, refuseUnsuitable, textFile } from '../define.ts';

const options = Type.Object(
  {
    dry_run: defaulted(Type.Boolean({ default: false, description: 'List the cuts with their ids and make no audio' })),
    cut_ids: Type.Optional(
      Type.Array(Type.String({ pattern: '^c[0-9]{1,5}$' }), {
        minItems: 1,
        maxItems: 5000,
        description:
          'Ids of the cuts to make, from a dry run of the same transcript; needs transcript_file_id. ' +
          'Default: every cut',
      }),
    ),
    repeats: defaulted(
      Type.Boolean({
        default: true,
        description: 'Also cut a word or phrase of up to 3 words that is said twice in a row, keeping the second',
      }),
    ),
    language: Type.Optional(
      Type.String({
        pattern: '^[a-z]{2,3}$',
        description:
          'Code of the language whose fillers are looked for: en, de, fr, es, it, nl, ja, ko; default detected',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Parsed: defaults filled in. */
export type RemoveFillersOptions = Readonly<Static<typeof options>>;

export const removeFillers = defineTool({
  id: 'remove_fillers',
  slug: 'remove-fillers',
  title: 'Remove fillers',
  description: 'Cuts um, uh and repeated words out of a recording. Not part of this version.',
  inputs: {
    file_id: mediaFile(),
    transcript_file_id: textFile({
      title: 'A verbatim transcript of this recording; without it the recording is transcribed',
      extensions: ['json'],
      optional: true,
    }),
  },
  options,
  fieldRules: { needs: { cut_ids: 'transcript_file_id' } },
  free: { a: { seconds: 120, dailyUses: 3 }, b: { seconds: 120, dailyUses: 3 } },
  creditsPerMinute: 2,
  creditsPerMinuteWith: { transcript_file_id: 1 },
  examples: [{ description: 'See what would be cut', command: 'remove-fillers interview.wav --dry-run --json' }],
  plan(facts, parsed) {
    const given = givenFields(facts, parsed);
    return {
      steps: [
        ...(given.has('transcript_file_id') ? [] : ['Write down what is said, word for word']),
        `Find fillers${parsed.repeats ? ' and repeated words' : ''}`,
        parsed.dry_run
          ? 'List the cuts'
          : `Cut ${parsed.cut_ids === undefined ? 'all of them' : `${parsed.cut_ids.length} of them`}`,
      ],
      notes: [],
      refusals: [...refuseFields(this.fieldRules ?? {}, given), ...refuseUnsuitable(this.inputs, facts)],
    };
  },
  unavailable: () => Promise.resolve(notInThisVersion('remove_fillers')),
  run: () => import('./run.ts'),
});
