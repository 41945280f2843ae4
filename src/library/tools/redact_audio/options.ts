import * as Type from 'typebox/type';
import { patternKinds, wordMatches } from '../../contract/sought.ts';
import { mediaFile, textFile } from '../declare/inputs.ts';
import { defaulted } from '../declare/options.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = {
  file_id: mediaFile(),
  transcript_file_id: textFile({
    title: 'A verbatim transcript of this recording; without it the recording is transcribed',
    extensions: ['json'],
    optional: true,
  }),
  plan_file_id: textFile({
    title: 'The result of a run with find_only, edited: its places are taken out, but those with "keep": true',
    extensions: ['json'],
    optional: true,
  }),
  captions_file_id: textFile({
    title: 'Captions of this recording (SRT, VTT), which come back without what was taken out',
    extensions: ['srt', 'vtt'],
    optional: true,
  }),
};

const second = Type.Number({ minimum: 0, maximum: 36_000 });

export const options = Type.Object(
  {
    words: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 500,
        description: 'Words and phrases, in any case, with or without accents and hyphens; what sounds the same counts',
      }),
    ),
    match: defaulted(
      Type.Enum(wordMatches, {
        default: 'words',
        description: 'words: alone; forms: also plurals and cases; parts: also within longer words, as in compounds',
      }),
    ),
    patterns: Type.Optional(
      Type.Array(Type.Enum(patternKinds), {
        minItems: 1,
        maxItems: patternKinds.length,
        description: 'Numbers and addresses by their form, written or spoken; number: four digits and more',
      }),
    ),
    speaker_numbers: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 1000 }), {
        minItems: 1,
        maxItems: 20,
        description: 'Everything that these speakers say, by their numbers in the transcript',
      }),
    ),
    ranges: Type.Optional(
      Type.Array(Type.Tuple([second, second]), {
        minItems: 1,
        maxItems: 10_000,
        description: 'Stretches as [start, end] in seconds, in any order',
      }),
    ),
    mode: defaulted(
      Type.Enum(['mute', 'bleep', 'noise'], {
        default: 'mute',
        description: "What is heard instead: nothing, a tone of 1 kHz, or noise of the room's colour",
      }),
    ),
    guard_ms: defaulted(
      Type.Integer({
        minimum: 0,
        maximum: 500,
        default: 20,
        description: 'How far before and behind a word its sound is taken, in ms',
      }),
    ),
    find_only: defaulted(
      Type.Boolean({ default: false, description: 'List what would be taken out, as a plan, and make no audio' }),
    ),
    language: Type.Optional(
      Type.String({ pattern: '^[a-z]{2,3}$', description: 'Code of the language that is spoken; default detected' }),
    ),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type RedactAudioContext = ContextOf<typeof inputs, typeof options>;
