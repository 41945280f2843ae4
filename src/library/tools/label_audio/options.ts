import * as Type from 'typebox/type';
import { coverFile, mediaFile } from '../declare/inputs.ts';
import type { ContextOf } from '../declare/run.ts';

export const inputs = { file_id: mediaFile(), cover_file_id: coverFile() };

/** Of a tag. */
const tag = (description: string, maxLength = 200): Type.TOptional<Type.TString> =>
  Type.Optional(Type.String({ maxLength, description }));

const chapter = Type.Object(
  {
    start_seconds: Type.Number({ minimum: 0, maximum: 36_000, description: 'Where it begins' }),
    title: Type.String({ maxLength: 400, description: 'What it is called' }),
  },
  { additionalProperties: false, description: 'Where a chapter begins, and its title' },
);

export const options = Type.Object(
  {
    title: tag('Of the recording; an empty text takes a tag away'),
    artist: tag('Who is heard'),
    album: tag('The show, or the album'),
    date: tag('The year, or a date as 2026-11-30'),
    genre: tag('Such as Podcast'),
    comment: tag('A few words about it', 2000),
    chapters: Type.Optional(
      Type.Array(chapter, { maxItems: 500, description: 'In place of its own; an empty list takes them away' }),
    ),
  },
  { additionalProperties: false },
);

/** The context of `run`. */
export type LabelAudioContext = ContextOf<typeof inputs, typeof options>;
