import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Response headers that pages of other origins may read. */
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
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** How long browsers may cache preflight responses. */
const maxAgeSeconds = 600;

/**
 * Lets pages of these origins read responses, including errors. Without cookies: such pages use keys or links. Must be
 * called before all other hooks.
 * @param origins separated by commas, or "*"
 * @param onPreflight called for preflight requests, which reach no other hook
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
    // Proxies must not cache preflight responses.
    cacheControl: 'no-store',
  });
}
