import type { RouteShorthandOptions } from 'fastify';
import * as Type from 'typebox/type';
import type { TObject, TSchema } from 'typebox/type';
import type { ErrorCode } from '../../../library/core/errors/errors.ts';
import type { Access } from '../server/context.ts';
import { statusByCode } from '../server/errors.ts';

/** The declaration of an operation, from which the route's validation and its part of openapi.json follow. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: Tag;
  readonly access: Access;
  /** Response schemas by status. */
  readonly answers: Readonly<Record<number, TSchema>>;
  /** Error codes besides those of every operation. */
  readonly errors?: readonly ErrorCode[];
  readonly body?: TSchema;
  readonly query?: TObject;
  readonly params?: TObject;
  readonly headers?: TObject;
  /** The contract does not show this path: it is our choice. */
  readonly openPoint?: boolean;
  readonly rawBody?: boolean;
  readonly bodyLimit?: number;
  /** Media type of a raw body. */
  readonly consumes?: string;
}

export type Tag =
  | 'Tools and pricing'
  | 'Account'
  | 'Files'
  | 'Jobs'
  | 'Chains'
  | 'Webhooks'
  | 'Voices'
  | 'Upload page'
  | 'File links';

/** The query of an operation without parameters. */
const noQuery = Type.Object({}, { additionalProperties: false });

const everyError: readonly ErrorCode[] = ['bad_request', 'rate_limited', 'internal_error'];
const accountErrors: readonly ErrorCode[] = ['unauthorized', 'forbidden'];
const bodyErrors: readonly ErrorCode[] = ['file_too_large', 'unsupported_format'];

/** All error codes of the operation. */
function codesOf({ access, errors = [], body }: Operation): readonly ErrorCode[] {
  return [
    ...new Set([
      ...everyError,
      ...(access === 'account' ? accountErrors : []),
      ...(body === undefined ? [] : bodyErrors),
      ...errors,
    ]),
  ];
}

/** Route options of an operation: schema, access, limits. */
export function operation(declared: Operation): RouteShorthandOptions {
  const {
    operationId,
    summary,
    description,
    tag,
    access,
    answers,
    body,
    query = noQuery,
    params,
    headers,
    openPoint,
    rawBody,
    bodyLimit,
    consumes,
  } = declared;
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(declared))
    byStatus.set(statusByCode[code], [...(byStatus.get(statusByCode[code]) ?? []), code]);
  // While the database is unreachable, every operation answers 503 with the code internal_error.
  byStatus.set(503, [...new Set([...(byStatus.get(503) ?? []), 'internal_error' as const])]);
  const failures = [...byStatus].map(([status, codes]) => [status, errorAnswer(codes)] as const);
  return {
    config: { access, ...(rawBody ? { rawBody } : {}) },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    schema: {
      operationId,
      summary,
      ...(description === undefined ? {} : { description }),
      tags: [tag],
      security: access === 'account' ? [{ bearer: [] }, { session: [] }] : [],
      ...(consumes === undefined ? {} : { consumes: [consumes] }),
      ...(openPoint ? { 'x-open-point': true } : {}),
      ...(params === undefined ? {} : { params }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
      querystring: query,
      response: { ...answers, ...Object.fromEntries(failures) },
    },
  };
}

const errorAnswer = (codes: readonly ErrorCode[]): object => ({
  description: codes.join(', '),
  content: { 'application/json': { schema: { $ref: 'Error#' } } },
});

/** A JSON response with one of the shared schemas. */
export const answer = (schema: TSchema, description: string): TSchema =>
  Type.Unsafe({ description, content: { 'application/json': { schema } } });

/** A response without a body. */
export const noContent = (description: string): TSchema => Type.Null({ description });
