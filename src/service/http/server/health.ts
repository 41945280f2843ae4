import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors.ts';
import type { Dialect } from './dialect.ts';
import { sendError } from './errors.ts';

/** Each resolves when its part works: the database answers, the object folder can be written to. */
export type ReadinessChecks = Readonly<Record<string, () => Promise<unknown>>>;

const patienceMs = 3000;

/** GET /livez: the process answers. GET /readyz: it can do its work; not while it stops. */
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

/** null: it works. */
async function outcome(check: () => Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${patienceMs / 1000} seconds`)), patienceMs);
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
