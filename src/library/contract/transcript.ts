import type { ValidateFunction } from 'ajv';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { compileSchema } from '../core/compile-schema.ts';
import { EarshotError } from '../core/errors.ts';
import type { TimeRange } from '../core/time-range.ts';
import { badValue, describeExpected, type OptionSchema, pathOf, placeOf } from '../core/schema.ts';

/**
 * The transcript format, version 1: transcribe_audio, align_script and remove_fillers write and read it as JSON.
 * docs/transcript-format.md describes it. Further properties are allowed; readers ignore them.
 */
const seconds = (description: string) => Type.Number({ minimum: 0, maximum: 1e9, description });
const speaker = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description: 'Number of the speaker, from 1, in the order people first speak',
});

/** A word, with the punctuation that belongs to it. */
const TranscriptWord = Type.Object({
  text: Type.String({ maxLength: 1000, description: 'As written, with its punctuation' }),
  startSeconds: seconds('Start of the word'),
  endSeconds: seconds('End of the word, not before its start'),
  speaker: Type.Optional(speaker),
  matched: Type.Optional(
    Type.Boolean({ description: 'In an aligned script; false: the word was not found in the recording' }),
  ),
  confidence: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "The recogniser's confidence in the word, from 0 to 1" }),
  ),
});

/** A sentence of one speaker, with its words. */
export const TranscriptSentence = Type.Object({
  startSeconds: seconds('Start of the sentence; sentences are in this order'),
  endSeconds: seconds('End of the sentence, not before its start'),
  text: Type.String({ maxLength: 1_000_000, description: 'The words of the sentence, as written' }),
  speaker: Type.Union([speaker, Type.Null()], {
    description: 'Number of the speaker, from 1; null without speaker labels',
  }),
  language: Type.Optional(
    Type.String({ pattern: '^[a-z]{2,3}$', description: "ISO 639 code, where it is not the transcript's" }),
  ),
  words: Type.Array(TranscriptWord),
});

/** A stretch with one speaker. */
const TranscriptTurn = Type.Object({
  startSeconds: seconds('Start of the turn; turns are in this order'),
  endSeconds: seconds('End of the turn, not before its start'),
  speaker,
});

export const Transcript = Type.Object({
  format: Type.Literal('earshot-transcript'),
  version: Type.Literal(1),
  language: Type.String({ pattern: '^[a-z]{2,3}$', description: 'ISO 639 code' }),
  durationSeconds: seconds('Length of the recording'),
  speakerCount: Type.Union([Type.Integer({ minimum: 0, maximum: 1000 }), Type.Null()], {
    description: '0 without speech; null without speaker labels',
  }),
  turns: Type.Optional(
    Type.Array(TranscriptTurn, {
      description: 'Who speaks when, also where nothing was understood; turns of several speakers may overlap',
    }),
  ),
  sentences: Type.Array(TranscriptSentence),
});

export type TranscriptWord = Static<typeof TranscriptWord>;
export type TranscriptSentence = Static<typeof TranscriptSentence>;
export type TranscriptTurn = Static<typeof TranscriptTurn>;
export type Transcript = Static<typeof Transcript>;

const transcriptFormat = 'earshot-transcript';

let compiled: ValidateFunction | undefined;

/**
 * @param json the content of the file
 * @throws EarshotError wrong_file_type, with the field, what was expected and what was received
 */
export function parseTranscript(json: string): Transcript {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw notTranscript('it is not JSON');
  }
  if (typeof value !== 'object' || value === null || (value as { format?: unknown }).format !== transcriptFormat)
    throw notTranscript(`the property format must be ${transcriptFormat}`);
  compiled ??= compileSchema(Transcript, { allErrors: false, verbose: true, strict: true, strictTypes: false });
  if (!compiled(value)) {
    const error = compiled.errors?.[0];
    const path = error === undefined ? [] : pathOf(error);
    if (error?.keyword === 'required') path.push((error.params as { missingProperty: string }).missingProperty);
    const place = placeOf(path);
    const expected =
      error?.keyword === 'required' ? 'a value' : describeExpected((error?.parentSchema ?? {}) as OptionSchema);
    throw notTranscript(badValue(place, expected, error?.keyword === 'required' ? undefined : error?.data).message);
  }
  const transcript = value as Transcript;
  requireOrder(transcript);
  return transcript;
}

/** Rules that windows rely on and a schema cannot express. */
function requireOrder({ sentences, turns = [] }: Transcript): void {
  for (const [index, turn] of turns.entries()) requireSpan(`turns[${index}]`, turn);
  let last = 0;
  for (const [index, sentence] of sentences.entries()) {
    if (sentence.startSeconds < last)
      throw notTranscript(
        badValue(
          `sentences[${index}].startSeconds`,
          `number of at least ${last}, the start of the sentence before,`,
          sentence.startSeconds,
        ).message,
      );
    last = sentence.startSeconds;
    for (const [name, span] of [
      [`sentences[${index}]`, sentence] as const,
      ...sentence.words.map((word, at) => [`sentences[${index}].words[${at}]`, word] as const),
    ])
      requireSpan(name, span);
  }
}

function requireSpan(name: string, { startSeconds, endSeconds }: TimeRange): void {
  if (endSeconds < startSeconds)
    throw notTranscript(badValue(`${name}.endSeconds`, `number of at least ${startSeconds}`, endSeconds).message);
}

const notTranscript = (reason: string): EarshotError =>
  new EarshotError('wrong_file_type', `Expected a transcript JSON file: ${reason}`);
