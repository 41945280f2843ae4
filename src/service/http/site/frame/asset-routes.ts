import type { FastifyInstance } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Site } from './site.ts';

/** Scripts, styles and fonts of the pages. */
export function assetRoutes(scope: FastifyInstance, { assets, assetsAt }: Site): void {
  scope.get<{ Params: { name: string } }>(
    `${assetsAt}/:name`,
    { config: { access: 'asset' }, schema: { hide: true } },
    async (request, reply) => {
      const { name } = request.params;
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
    },
  );
}
