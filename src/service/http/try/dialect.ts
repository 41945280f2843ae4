import multipart from '@fastify/multipart';
import { errorAnswer } from '../interface/errors.ts';
import { authenticate, hasSession } from '../interface/authenticate.ts';
import type { Dialect } from '../server/dialect.ts';
import { cameFromPage } from './page-forms.ts';
import { tryRoutes } from './routes.ts';
import type { DialectDeps } from '../interface/dialect-deps.ts';

/** Additions for the website. */
export interface WithSite {
  /** Answers requests that a page has sent with error pages. Default: with JSON. */
  readonly errorAnswer?: Dialect['errorAnswer'];
}

/** /api/try: one request per tool, which sends files and gets the result. Needs no account. */
export function tryDialect(deps: DialectDeps, site: WithSite = {}): Dialect {
  return {
    name: 'try',
    prefixes: ['/api/try'],
    pathHelp:
      'Check the path; the paths are ' +
      `${deps.tools.map(({ slug }) => `${deps.rootPath ?? ''}/api/try/${slug}`).join(', ')}.`,
    errorAnswer: (error, request) =>
      request !== null && site.errorAnswer !== undefined && cameFromPage(request)
        ? site.errorAnswer(error, request)
        : errorAnswer(error, request),
    // Signed-in users of the website also use their account's free uses and balance here.
    hasCredentials: (request) => request.headers.authorization !== undefined || hasSession(request, deps.config),
    authenticate: (request) => authenticate(request, deps.service.access, deps.config),
    async routes(scope, given) {
      await scope.register(multipart, { throwFileSizeLimit: false });
      tryRoutes(scope, deps, given);
    },
  };
}
