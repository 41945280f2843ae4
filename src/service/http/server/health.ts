import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors.ts';
import type { Dialect } from './dialect.ts';
import { sendError } from './errors.ts';

/** Checks by name; each resolves when its dependency works: the database, the object store. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<unknown>>>;

const timeoutMs = 3000;

/** GET /livez: the process responds. GET /readyz: its dependencies work, and it is not stopping. */
export function healthRoutes(
  app: FastifyInstance,
  checks: ReadinessChecks,
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
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
    );
    if (closing.aborted) results.push(['stopping', new Error('The service is stopping')]);
    const failed = results.filter(([, error]) => error !== null);
    if (failed.length === 0)
      return reply
        .header('cache-control', 'no-store')
        .send({ status: 'ready', checks: Object.fromEntries(results.map(([name]) => [name, 'ok'])) });

    for (const [name, error] of failed)
      if (name !== 'stopping') request.log.error({ err: error, check: name }, 'not ready');
    const states = Object.fromEntries(results.map(([name, error]) => [name, error === null ? 'ok' : 'failed']));
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
