// Made by scripts/write-result-schemas.ts from the types in result.ts: edit those, then `npm run types:write`.
import { either, list, maybe, none, number, object, text, truth } from './declare/closed-schema.ts';
import { recogniser, edges, places, kind } from './declare/result-shapes.ts';

/** JSON Schema of the result of each tool that writes down what is said. */
export const spokenResultSchemas = {
  transcribe_audio: object({
    language: text,
    translatedFrom: maybe(text),
    recogniser,
    speakerCount: either(number, none),
    voices: maybe(
      list(
        object({
          speaker: number,
          name: either(text, none),
          likeness: either(number, none),
          runnerUp: either(number, none),
          confidence: either(number, none),
          uncertain: truth,
        }),
      ),
    ),
    sentences: number,
    words: number,
    durationSeconds: number,
    soundEvents: maybe(number),
  }),
  align_script: object({
    language: text,
    words: number,
    matchedWords: either(number, none),
    seemsOtherRecording: truth,
    leftOut: list(object({ words: number, begins: text, ends: text, atSeconds: number })),
    recogniser: either(recogniser, none),
  }),
  remove_fillers: object({
    language: text,
    recogniser: maybe(text),
    cutsFound: number,
    cuts: list(
      object({
        id: text,
        kind: { enum: ['filler', 'repeat', 'unwritten_filler', 'breath', 'mouth_click', 'cough', 'stutter'] },
        text,
        startSeconds: number,
        endSeconds: number,
        action: maybe({ enum: ['cut', 'mute', 'lower'] }),
      }),
    ),
    byKind: maybe(
      object({
        filler: maybe(number),
        repeat: maybe(number),
        unwritten_filler: maybe(number),
        breath: maybe(number),
        mouth_click: maybe(number),
        cough: maybe(number),
        stutter: maybe(number),
      }),
    ),
    kept: maybe(
      list(
        object({
          kind: { enum: ['breath', 'mouth_click', 'cough', 'stutter'] },
          startSeconds: number,
          endSeconds: number,
          reason: { enum: ['inside_a_word', 'touches_a_word'] },
        }),
      ),
    ),
    cutsMade: maybe(number),
    softened: maybe(number),
    removedSeconds: maybe(number),
    inputSeconds: maybe(number),
    outputSeconds: maybe(number),
    edges: maybe(list(edges)),
  }),
  redact_audio: object({
    language: text,
    recogniser: maybe(text),
    sought: maybe(
      object({
        words: list(text),
        match: { enum: ['words', 'forms', 'parts'] },
        patterns: list({ enum: ['card', 'iban', 'phone', 'email', 'web', 'address', 'number'] }),
      }),
    ),
    places: list(
      object({
        id: text,
        kind,
        text: maybe(text),
        checked: maybe(truth),
        startSeconds: number,
        endSeconds: number,
        keep: maybe(truth),
        reading: maybe(number),
      }),
    ),
    byKind: object({
      word: maybe(number),
      card: maybe(number),
      iban: maybe(number),
      phone: maybe(number),
      email: maybe(number),
      web: maybe(number),
      address: maybe(number),
      number: maybe(number),
      speaker: maybe(number),
      range: maybe(number),
    }),
    silencedSeconds: number,
    changed: maybe(list(places)),
    readings: maybe(number),
    left: maybe(
      list(
        object({
          kind,
          where: { enum: ['sound', 'tags', 'chapters'] },
          text,
          startSeconds: number,
          endSeconds: number,
        }),
      ),
    ),
    texts: maybe(object({ words: number, captions: number, subtitles: number, tags: number, chapters: number })),
    durationSeconds: number,
  }),
};
