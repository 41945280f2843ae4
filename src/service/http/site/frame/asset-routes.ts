import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { engineAt } from './assets.ts';
import type { Site } from './site.ts';

/**
 * Of the scripts that run tools in a browser: workers have a policy of their own. It alone allows WebAssembly; text
 * becomes no code anywhere.
 */
export const enginePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

const options = { config: { access: 'asset' as const }, schema: { hide: true } };

async function send(
  { assets }: Site,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asset = await assets.read(name);
  if (asset === null) throw new EarshotError('not_found', `There is no asset ${name.slice(0, 100)}`);
  const { type, bytes, gzipped, immutable } = asset;
  const accepts = request.headers['accept-encoding']?.includes('gzip') === true;
  void reply.headers({
    'content-type': type,
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Accept-Encoding',
  });
  if (gzipped === null || !accepts) return reply.send(bytes);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

/** Scripts, styles and fonts of the pages. */
export function assetRoutes(scope: FastifyInstance, site: Site): void {
  scope.get<{ Params: { name: string } }>(`${site.assetsAt}/:name`, options, (request, reply) =>
    send(site, request.params.name, request, reply),
  );
}

/** What runs tools in the browser. */
export function engineRoutes(scope: FastifyInstance, site: Site): void {
  if (!site.config.onDevice) return;
  scope.get<{ Params: { '*': string } }>(`${site.assetsAt}/${engineAt}*`, options, (request, reply) =>
    send(site, `${engineAt}${request.params['*']}`, request, reply.header('content-security-policy', enginePolicy)),
  );
}
