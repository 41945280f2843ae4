import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { soundKinds } from './sound-kinds.ts';

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

/** A sound that is not speech. */
const TranscriptEvent = Type.Object({
  startSeconds: seconds('Start of the sound, to about a quarter of a second; events are in this order'),
  endSeconds: seconds('End of the sound, not before its start'),
  sound: Type.String({
    maxLength: 40,
    description: `What is heard: ${soundKinds.join(', ')}; later versions may tell more`,
  }),
  score: Type.Number({ minimum: 0, maximum: 1, description: "The classifier's greatest score in it, from 0 to 1" }),
});

export const Transcript = Type.Object({
  format: Type.Literal('earshot-transcript'),
  version: Type.Literal(1),
  language: Type.String({ pattern: '^[a-z]{2,3}$', description: 'ISO 639 code' }),
  durationSeconds: seconds('Length of the recording'),
  speakerCount: Type.Union([Type.Integer({ minimum: 0, maximum: 1000 }), Type.Null()], {
    description: '0 without speech; null without speaker labels',
  }),
  names: Type.Optional(
    Type.Record(Type.String({ pattern: '^[1-9][0-9]{0,3}$' }), Type.String({ maxLength: 1000 }), {
      description: 'Names by number of the speaker, where voices were known or people gave them',
    }),
  ),
  turns: Type.Optional(
    Type.Array(TranscriptTurn, {
      description: 'Who speaks when, also where nothing was understood; turns of several speakers may overlap',
    }),
  ),
  events: Type.Optional(
    Type.Array(TranscriptEvent, {
      description: 'What else is heard; absent where it was not asked for. Events of several sounds may overlap',
    }),
  ),
  sentences: Type.Array(TranscriptSentence),
});

export type TranscriptWord = Static<typeof TranscriptWord>;
export type TranscriptSentence = Static<typeof TranscriptSentence>;
export type TranscriptEvent = Static<typeof TranscriptEvent>;
export type TranscriptTurn = Static<typeof TranscriptTurn>;
export type Transcript = Static<typeof Transcript>;
