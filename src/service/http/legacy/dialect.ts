import multipart from '@fastify/multipart';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Dialect } from '../server/dialect.ts';
import { errorAnswer } from './errors.ts';
import type { LegacyDeps } from './deps.ts';
import { legacyRoutes } from './routes.ts';
import { socketRoutes } from './sockets.ts';

/**
 * The older API (/v1): noise removal only.
 * @param host Host header of its requests; default: any, for a separate port
 */
export function legacyDialect(deps: LegacyDeps, host?: string): Dialect {
  return {
    name: 'legacy',
    prefixes: ['/v1'],
    ...(host === undefined ? {} : { host }),
    pathHelp: 'Check the path; the paths are /v1/upload, /v1/remove-noise and those in their responses.',
    errorAnswer,
    hasCredentials: ({ headers }) => headers['x-api-key'] !== undefined,
    async authenticate({ headers }) {
      const key = headers['x-api-key'];
      if (typeof key !== 'string' || key === '')
        throw new EarshotError('unauthorized', 'Expected the header x-api-key with an API key but received none');
      return deps.service.access.byKey(key);
    },
    async routes(scope) {
      await scope.register(multipart, { throwFileSizeLimit: false });
      legacyRoutes(scope, deps);
      // In their own scope: the plugin would accept websocket handshakes on every route of the scope.
      await scope.register(async (inner) => socketRoutes(inner, deps));
    },
  };
}
