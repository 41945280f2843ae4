import { errorAnswer } from '../interface/errors.ts';
import type { Dialect } from '../server/dialect.ts';
import { type HomeParts, sendHomePage } from './page.ts';

/** The page at the service's own address, for whoever comes by with a browser. */
export function homeDialect(parts: HomeParts): Dialect {
  const { rootPath = '' } = parts;
  return {
    name: 'home',
    prefixes: ['/'],
    pathHelp: `Check the path; ${rootPath}/api/openapi.json lists all of them.`,
    errorAnswer,
    routes(scope) {
      scope.get('/', { config: { access: 'public' }, schema: { hide: true } }, (request, reply) =>
        sendHomePage(request, reply, parts),
      );
    },
  };
}
