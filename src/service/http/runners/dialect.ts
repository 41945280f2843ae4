import { errorAnswer } from '../interface/errors.ts';
import type { Dialect } from '../server/dialect.ts';
import { partRoute, runnerRoutes, type RunnerRouteDeps } from './routes.ts';

/**
 * The API of runners: machines that run jobs and have nothing but our address and a token. An addition to the
 * interface, on paths of its own, and not in openapi.json: docs/runners.md describes it.
 */
export function runnersDialect(deps: RunnerRouteDeps): Dialect {
  return {
    name: 'runners',
    prefixes: ['/api/runner'],
    pathHelp: 'Check the path, and that the runner has the version of the service.',
    errorAnswer,
    async routes(scope, { closing }) {
      runnerRoutes(scope, { ...deps, closing });
      await scope.register(async (inner) => partRoute(inner, deps));
    },
  };
}
