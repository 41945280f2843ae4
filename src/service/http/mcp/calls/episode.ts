// An episode as a model orders it: the recipe podcast with names for its fields.
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { badValue, createOptionsParser } from '../../../../library/core/checks/schema.ts';
import { customLufsRange, customLufsRule } from '../../../../library/contract/loudness-target.ts';
import { lenientValues } from '../../../../library/tools/lenient-values.ts';
import type { Files } from '../../../rules/files/file-use-cases.ts';
import { isPictureFile, requireReady } from '../../../rules/files/guards.ts';
import type { CallContext } from './call.ts';
import { mostWaitSeconds } from './waiting.ts';

const closed = { additionalProperties: false } as const;

/** How long files that were just uploaded may take to be checked, seconds. */
const arrivalSeconds = 20;

const fields = {
  tracks: Type.Array(
    Type.Object(
      { file_id: Type.String(), role: Type.Optional(Type.Enum(['voice', 'music', 'effects'], { default: 'voice' })) },
      closed,
    ),
    {
      minItems: 1,
      maxItems: 10,
      description: 'One recording, or a track for each speaker that begins with the others',
    },
  ),
  title: Type.Optional(Type.String()),
  show: Type.Optional(Type.String()),
  cover: Type.Optional(Type.String({ minLength: 1, maxLength: 4000, description: 'JPEG or PNG: file_id or link' })),
  chapters: Type.Optional(
    Type.Array(
      Type.Object({ start_seconds: Type.Number({ description: 'Or 1:02:03' }), title: Type.String() }, closed),
      { minItems: 1, maxItems: 500 },
    ),
  ),
  target: Type.Optional(Type.Enum(['podcast', 'streaming', 'broadcast'], { default: 'podcast' })),
  shorten: Type.Optional(Type.Boolean({ default: true, description: 'Shorten long pauses' })),
  format: Type.Optional(Type.Enum(['wav', 'mp3', 'm4a', 'flac', 'ogg', 'opus'], { default: 'mp3' })),
  max_credits: Type.Optional(Type.Integer({ minimum: 1 })),
  wait: Type.Optional(Type.Number({ minimum: 0, maximum: mostWaitSeconds })),
};

/** As models see it. */
export const episodeShown = Type.Object(fields, closed);

/** A number as `target` is a loudness of one's own. */
const taken = Type.Object(
  {
    ...fields,
    target: Type.Optional(Type.Enum([...fields.target.enum, 'custom'])),
    custom_lufs: Type.Optional(Type.Number(customLufsRange)),
  },
  closed,
);
type Episode = Static<typeof taken>;
const parse = createOptionsParser<Episode>('make_episode', taken);

/** @throws EarshotError bad_request */
export const parseEpisode = (given: Readonly<Record<string, unknown>>): Episode =>
  parse(lenientValues(taken.properties, given, customLufsRule), 'json');

/**
 * The id of a picture that is here, or that a link leads to. The same link within an hour is the same file, so that a
 * repeated call is the same episode.
 * @throws EarshotError bad_request where it is no picture; not_found, file_not_ready; errors of links
 */
export async function coverOf(
  files: Pick<Files, 'get' | 'importLink'>,
  given: string,
  { account, signal }: Pick<CallContext, 'account' | 'signal'>,
): Promise<string> {
  const isLink = /^[a-z]+:/i.test(given);
  const { id } = isLink ? await files.importLink(account, { url: given }) : { id: given };
  const file = requireReady(await files.get(account, id, arrivalSeconds, signal), 'cover');
  if (!isPictureFile(file)) throw badValue('cover', 'a JPEG or PNG', file.format ?? file.filename);
  return id;
}

/** Waits until recordings that have just arrived are checked. @throws EarshotError not_found */
export async function awaitTracks(
  files: Pick<Files, 'get'>,
  { tracks }: Episode,
  { account, signal }: Pick<CallContext, 'account' | 'signal'>,
): Promise<void> {
  await Promise.all(tracks.map(({ file_id: id }) => files.get(account, id, arrivalSeconds, signal)));
}

/** As `run_chain` orders it. @param cover its id; null: none */
export function orderOfEpisode(
  {
    tracks,
    chapters = [],
    format = 'mp3',
    max_credits,
    wait,
    target = 'podcast',
    custom_lufs: lufs,
    title,
    show,
    shorten,
  }: Episode,
  cover: string | null,
) {
  const marks = chapters.map(({ start_seconds: startTime, title }) => ({ startTime, title }));
  const roles = tracks.map(({ role = 'voice' }) => role as string);
  const ids = tracks.map(({ file_id: id }) => id);
  const files = cover === null ? ids : [...ids, cover];
  return {
    file_ids: files,
    recipe: 'podcast',
    options: {
      ...(title === undefined ? {} : { title }),
      ...(show === undefined ? {} : { show }),
      ...(shorten === undefined ? {} : { shorten }),
      target: target === 'custom' ? (lufs ?? target) : target,
      ...(files.length === 1 ? {} : { roles: (cover === null ? roles : [...roles, 'cover']).join(',') }),
      ...(marks.length === 0 ? {} : { chapters: JSON.stringify({ chapters: marks }) }),
    },
    format,
    ...(max_credits === undefined ? {} : { max_credits }),
    ...(wait === undefined ? {} : { wait }),
  };
}
