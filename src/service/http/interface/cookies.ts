import type { FastifyRequest } from 'fastify';

/** The value of a request's cookie; undefined when it is missing or empty. */
export function readCookie({ headers: { cookie = '' } }: FastifyRequest, name: string): string | undefined {
  const pair = cookie.split(';').find((each) => each.trimStart().startsWith(`${name}=`));
  const value = pair?.slice(pair.indexOf('=') + 1).trim() ?? '';
  if (value === '') return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
