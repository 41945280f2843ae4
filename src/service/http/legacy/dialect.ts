import multipart from '@fastify/multipart';
import { EarshotError } from '../../../library/core/errors.ts';
import type { Dialect } from '../server/dialect.ts';
import { errorAnswer } from './errors.ts';
import type { LegacyDeps } from './deps.ts';
import { legacyRoutes } from './routes.ts';
import { socketRoutes } from './sockets.ts';

/**
 * /v1: noise removal alone, as clients have known it for years.
 * @param host name that its requests name; without one it is alone on its port
 */
export function legacyDialect(deps: LegacyDeps, host?: string): Dialect {
  return {
    name: 'legacy',
    prefixes: ['/v1'],
    ...(host === undefined ? {} : { host }),
    pathHelp: 'Check the path; there are /v1/upload, /v1/remove-noise and what they answer with.',
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
      // In a scope of their own: the plugin would shake hands at every route beside them.
      await scope.register(async (inner) => socketRoutes(inner, deps));
    },
  };
}
