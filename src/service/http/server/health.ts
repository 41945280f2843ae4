import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Dialect } from './dialect.ts';
import { sendError } from './errors.ts';

/** Checks by name; each resolves when its dependency works: the database, the object store. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Checks of what all APIs share and can do without for a while, such as a bucket. /readyz tells of their failures and
 * stays 200: a load balancer would otherwise take all APIs out at once, with everything that still works.
 */
export type SharedChecks = ReadinessChecks;

const timeoutMs = 3000;

/** GET /livez: the process responds. GET /readyz: its dependencies work, and it is not stopping. */
export function healthRoutes(
  app: FastifyInstance,
  { checks, shared }: { readonly checks: ReadinessChecks; readonly shared: SharedChecks },
  closing: AbortSignal,
  speaker: Pick<Dialect, 'errorAnswer'>,
): void {
  const options = { config: { access: 'health' }, schema: { hide: true } } as const;

  app.route({
    ...options,
    method: 'GET',
    url: '/livez',
    handler: (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  });

  app.route({ ...options, method: 'GET', url: '/readyz', handler: ready });

  async function ready(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const results = await outcomes({ ...checks, ...shared });
    if (closing.aborted) results.push(['stopping', new Error('The service is stopping')]);
    const states = Object.fromEntries(results.map(([name, error]) => [name, error === null ? 'ok' : 'failed']));
    const failing = results.filter(([, error]) => error !== null);
    const failed = failing.filter(([name]) => !Object.hasOwn(shared, name));
    for (const [name, error] of failing)
      if (name !== 'stopping')
        request.log.error(
          { err: error, check: name },
          Object.hasOwn(shared, name) ? 'a shared part fails' : 'not ready',
        );
    if (failed.length === 0) return reply.header('cache-control', 'no-store').send({ status: 'ready', checks: states });
    const error = new EarshotError(
      'tool_unavailable',
      `The service is not ready: ${failed.map(([name]) => name).join(', ')}`,
      {
        retryable: true,
        nextAction: 'Try again shortly.',
        details: { checks: states, retryAfterSeconds: 5 },
      },
    );
    sendError(error, request, reply, speaker);
    return reply;
  }
}

/** What each check found; null: success. */
export const outcomes = (checks: ReadinessChecks): Promise<[name: string, error: unknown][]> =>
  Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)]));

/** null: success. */
async function outcome(check: () => Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No response within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    await Promise.race([check(), late]);
    return null;
  } catch (thrown) {
    return thrown;
  } finally {
    clearTimeout(timer);
  }
}
