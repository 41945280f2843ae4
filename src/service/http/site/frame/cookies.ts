import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../../server/mount.ts';

/** Remembers a choice for a year. It is no secret, so scripts may change it, too. */
export function keepChoice(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  name: string,
  value: string,
): void {
  const secure = callerOf(request).protocol === 'https' ? '; Secure' : '';
  void reply.header('set-cookie', `${name}=${value}; Path=${path}; Max-Age=31536000; SameSite=Lax${secure}`);
}
