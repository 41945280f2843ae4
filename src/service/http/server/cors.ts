import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What pages of other sites may read of an answer, besides its body. */
const exposedHeaders = [
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Svc-Finish-Price-Credits',
  'Svc-Finish-Url',
  'Svc-Full-Price-Credits',
  'Svc-Processed-Seconds',
  'X-Request-Id',
];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
/** How long browsers remember what they were allowed. */
const maxAgeSeconds = 600;

/**
 * Lets pages of these origins read answers, failures and refusals among them. Cookies stay out of it: a key or a link says
 * who asks. Must come before all other hooks.
 * @param origins as the setting has them, or "*"
 * @param onPreflight what is done with every request; no hook but this sees a browser's question
 */
export async function allowOrigins(
  app: FastifyInstance,
  origins: string,
  onPreflight: (request: FastifyRequest, reply: FastifyReply) => void,
): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (request.method === 'OPTIONS' && origin !== undefined && wanted !== undefined) onPreflight(request, reply);
  });
  await app.register(cors, {
    origin: origins === '*' ? '*' : origins.split(','),
    methods,
    exposedHeaders,
    maxAge: maxAgeSeconds,
    strictPreflight: false,
    // No cache of theirs between us and browsers.
    cacheControl: 'no-store',
  });
}
