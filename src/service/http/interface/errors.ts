import type { FastifyRequest } from 'fastify';
import type { EarshotError, ErrorJson } from '../../../library/core/errors/errors.ts';
import type { ErrorAnswer } from '../server/dialect.ts';
import { statusOf } from '../server/errors.ts';

interface ErrorBody {
  readonly error: ErrorJson;
}

/** The error object of the interface, with the status of its code. */
export function errorAnswer(error: EarshotError, request: FastifyRequest | null): ErrorAnswer {
  const body: ErrorBody = { error: error.toJSON() };
  const status = statusOf(error);
  if (error.code !== 'unauthorized') return { status, body };
  const challenge = request?.headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
  return { status, headers: { 'www-authenticate': challenge }, body };
}
