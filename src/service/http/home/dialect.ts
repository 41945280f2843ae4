import { errorAnswer } from '../interface/errors.ts';
import type { Dialect } from '../server/dialect.ts';
import { type HomeDeps, sendHomePage } from './page.ts';

/** The home page of the service, for browsers. */
export function homeDialect(deps: HomeDeps): Dialect {
  const { rootPath = '' } = deps;
  return {
    name: 'home',
    prefixes: ['/'],
    pathHelp: `Check the path; ${rootPath}/api/openapi.json lists all of them.`,
    errorAnswer,
    routes(scope) {
      scope.get('/', { config: { access: 'public' }, schema: { hide: true } }, (request, reply) =>
        sendHomePage(request, reply, deps),
      );
    },
  };
}
