import type { FastifyRequest } from 'fastify';
import { badValue } from '../../../library/core/checks/schema.ts';

/** The Idempotency-Key header. @throws EarshotError bad_request unless it has 1 to 200 characters */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length > 0 && Array.from(key).length <= 200) return key;
  throw badValue('Idempotency-Key', 'string of 1 to 200 characters', key);
}
