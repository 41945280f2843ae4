import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { textFormats } from '../../../../library/contract/text-files.ts';
import { mostSteps } from '../../../../library/contract/edit-defaults.ts';
import type { JsonBounds } from '../../../../library/core/json-text.ts';

/** Most words of a recording, most of which may be cut one by one. */
const mostSpans = 50_000;
const mostWords = 1_000_000;
const word = Type.Integer({ minimum: 0, maximum: mostWords });
const second = Type.Number({ minimum: 0, maximum: 1e6 });
/** By number of a word, a speaker, a sentence. */
const byNumber = (value: Type.TSchema) =>
  Type.Object(
    {},
    { patternProperties: { '^[0-9]{1,7}$': value }, additionalProperties: false, maxProperties: mostSpans },
  );

const pair = (value: Type.TSchema) => Type.Array(value, { minItems: 2, maxItems: 2 });
const listChange = (value: Type.TSchema) => Type.Optional(pair(Type.Array(value, { maxItems: mostSpans })));
const fieldChange = (value: Type.TSchema) => Type.Optional(byNumber(pair(Type.Union([value, Type.Null()]))));
const text = Type.String({ maxLength: 1000 });
const name = Type.String({ maxLength: 200 });
const number = Type.Integer({ minimum: 1, maximum: 1000 });
const id = Type.String({ maxLength: 40 });
/** Among sentences: between two numbers, also before the first. */
const place = Type.Number({ minimum: -1, maximum: mostWords });
const begins = Type.Integer({ minimum: 0, maximum: 1 });
const shift = Type.Number({ minimum: -60, maximum: 60 });

/** What a step takes out and puts in. */
const change = Type.Object(
  {
    cut: listChange(pair(word)),
    times: listChange(pair(second)),
    texts: fieldChange(text),
    names: fieldChange(name),
    said: fieldChange(number),
    moves: fieldChange(place),
    breaks: fieldChange(begins),
    shifts: fieldChange(pair(shift)),
    kept: listChange(id),
  },
  { additionalProperties: false },
);

/** The steps that lead to a state, for undo: each has a name and a change. */
const steps = Type.Object(
  {
    steps: Type.Array(Type.Tuple([Type.String({ maxLength: 400 }), change]), { maxItems: mostSteps }),
    done: Type.Integer({ minimum: 0, maximum: mostSteps }),
  },
  { additionalProperties: false },
);

/** The body of PUT /edit/<file>/state. docs/editor.md describes it. */
export const EditBody = Type.Object(
  {
    version: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 2, description: 'Of the edit that this one was made from' }),
    transcriptFileId: Type.Union([Type.String({ maxLength: 100, pattern: '^file_[0-9A-Za-z]+$' }), Type.Null()]),
    state: Type.Object(
      {
        cut: Type.Array(pair(word), { maxItems: mostSpans }),
        times: Type.Array(pair(second), { maxItems: mostSpans }),
        texts: byNumber(text),
        names: byNumber(name),
        said: byNumber(number),
        kept: Type.Array(id, { maxItems: mostSpans }),
        // Pages of an earlier release have none.
        moves: Type.Optional(byNumber(place)),
        breaks: Type.Optional(byNumber(begins)),
        shifts: Type.Optional(byNumber(pair(shift))),
      },
      { additionalProperties: false },
    ),
    history: Type.Optional(Type.Union([steps, Type.Null()])),
  },
  { additionalProperties: false },
);

export type EditBody = Static<typeof EditBody>;

/** Of a stored edit. */
export const editBytes = 4 * 1024 * 1024;
/** A pair for each of 50,000 words and 50,000 times; names of an edit are numbers. */
export const editBounds: JsonBounds = { values: 300_000, names: 5000 };

/** The body of POST /edit/<file>/versions: a name for the stored edit. */
export const VersionBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
    seconds: Type.Number({ minimum: 0, maximum: 1e6, description: 'How long what is left is' }),
    version: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 2, description: 'Of the edit that is meant' }),
  },
  { additionalProperties: false },
);

export type VersionBody = Static<typeof VersionBody>;

/** The body of POST /edit/<file>/render: what cut_audio takes, with as many ranges as there are cuts. */
export const RenderBody = Type.Object(
  {
    ranges: Type.Array(Type.Array(Type.Number({ minimum: 0, maximum: 36_000 }), { minItems: 2, maxItems: 2 }), {
      minItems: 1,
      maxItems: 10_000,
      description: 'Stretches that are removed, or kept, seconds',
    }),
    // Pages of an earlier release have none.
    mode: Type.Optional(Type.Enum(['remove', 'keep'])),
    order: Type.Optional(Type.Enum(['recorded', 'given'])),
    crossfade_ms: Type.Integer({ minimum: 0, maximum: 200 }),
    free: Type.Boolean({ description: 'true: only the free part' }),
  },
  { additionalProperties: false },
);

export type RenderBody = Static<typeof RenderBody>;

/** The body of POST /edit/<file>/transcript. */
export const TextBody = Type.Object(
  {
    script: Type.Union([Type.String({ minLength: 1, maxLength: textFormats.txt.maxBytes }), Type.Null()], {
      description: 'What is said, to be put in time; null: it is to be written down',
    }),
  },
  { additionalProperties: false },
);

export type TextBody = Static<typeof TextBody>;
