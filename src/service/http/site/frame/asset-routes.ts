import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { engineAt } from './assets.ts';
import type { Site } from './site.ts';

/**
 * Of the scripts that run tools in a browser: workers have a policy of their own. It alone allows WebAssembly; text
 * becomes no code anywhere.
 */
const enginePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** Scripts, styles and fonts of the pages; and what runs tools in the browser. */
export function assetRoutes(scope: FastifyInstance, { assets, assetsAt, config }: Site): void {
  const options = { config: { access: 'asset' as const }, schema: { hide: true } };
  const send = async (name: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
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
  };
  scope.get<{ Params: { name: string } }>(`${assetsAt}/:name`, options, (request, reply) =>
    send(request.params.name, request, reply),
  );
  if (config.site && config.onDevice)
    scope.get<{ Params: { '*': string } }>(`${assetsAt}/${engineAt}*`, options, (request, reply) =>
      send(`${engineAt}${request.params['*']}`, request, reply.header('content-security-policy', enginePolicy)),
    );
}
