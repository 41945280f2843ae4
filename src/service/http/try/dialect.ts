import multipart from '@fastify/multipart';
import { errorAnswer } from '../interface/errors.ts';
import { bearerAccount } from '../interface/bearer.ts';
import type { Dialect } from '../server/dialect.ts';
import type { TryDeps } from './deps.ts';
import { eventRoutes, paymentRoutes } from './pay.ts';
import { tryRoutes } from './routes.ts';

/** /api/try: one request per tool, which sends files and gets the result. Needs no account. */
export function tryDialect(deps: TryDeps): Dialect {
  return {
    name: 'try',
    prefixes: ['/api/try', '/finish', '/payments', '/credits'],
    pathHelp: `Check the path; the paths are ${deps.tools.map(({ slug }) => `${deps.rootPath ?? ''}/api/try/${slug}`).join(', ')}.`,
    errorAnswer,
    authenticate: (request) => bearerAccount(request, deps.service.access),
    async routes(scope, given) {
      await scope.register(multipart, { throwFileSizeLimit: false });
      // In its own scope: it accepts bodies of any type, the payment pages do not.
      await scope.register(async (inner) => tryRoutes(inner, deps, given));
      await scope.register(async (inner) => paymentRoutes(inner, deps));
      await scope.register(async (inner) => eventRoutes(inner, deps));
    },
  };
}
