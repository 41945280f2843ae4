import type { FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Account } from '../../rules/accounts/account.ts';
import type { Authentication, Door } from '../../rules/accounts/access.ts';

/**
 * The token of "Authorization: Bearer"; null without the header.
 * @throws EarshotError unauthorized for another scheme
 */
export function bearerToken({ headers: { authorization } }: FastifyRequest): string | null {
  if (authorization === undefined) return null;
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token !== undefined) return token;
  throw new EarshotError(
    'unauthorized',
    'Expected Authorization: Bearer <API key> but received ' +
      (authorization === '' ? 'an empty header' : `the scheme ${authorization.split(' ', 1)[0]?.slice(0, 20)}`),
  );
}

/**
 * The account of a token, which a request must have.
 * @param token null: it has none
 * @param door which one the request came to. Default: api
 * @throws EarshotError unauthorized
 */
export function bearerAccount(
  token: string | null,
  access: Pick<Authentication, 'byBearer'>,
  door: Door = 'api',
): Promise<Account> {
  if (token === null) throw new EarshotError('unauthorized', 'Expected Authorization: Bearer <API key>');
  return access.byBearer(token, door);
}
