import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Account } from '../../rules/accounts/account.ts';
import { isUnder, pathOf } from './paths.ts';
import { useCompilers } from './validation.ts';

/** An error response of a dialect. The server adds Retry-After, Cache-Control and the rate limit's headers. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as HTML. */
  readonly body: object | string;
}

/** Passed to the routes of a dialect. */
export interface DialectScope {
  /** Aborted when the service begins to stop: waiting requests must be answered. */
  readonly closing: AbortSignal;
}

/**
 * An HTTP interface of the service with its own paths, shapes, errors and credentials, independent of other dialects.
 * The server provides the rest for all: limits, logs, bodies, validation.
 */
export interface Dialect {
  /** For error messages. */
  readonly name: string;
  /**
   * Path prefixes of the dialect. It formats all errors of requests under them, also for unknown paths, invalid bodies
   * and rate limits. All its routes must be under them.
   */
  readonly prefixes: readonly string[];
  /**
   * The Host of its requests, in lower case: its routes exist only there, and it formats all errors of this host.
   * Default: any.
   */
  readonly host?: string;
  /** Shared JSON schemas of its routes, by `$id`. Not visible to other dialects. */
  readonly schemas?: readonly object[];
  /** Registers the routes, with full paths, in the dialect's own scope. */
  routes(scope: FastifyInstance, given: DialectScope): void | Promise<void>;
  /**
   * @param error internal errors without their reason, which is only logged
   * @param request null: the request was not valid HTTP
   */
  errorAnswer(error: EarshotError, request: FastifyRequest | null): ErrorAnswer;
  /** Has the request credentials? Default: the header Authorization. */
  hasCredentials?(request: FastifyRequest): boolean;
  /**
   * The account of the request, for routes with access 'account', and with 'optional' and 'link' if the request has
   * credentials. Absent: no such routes.
   * @throws EarshotError unauthorized, forbidden
   */
  authenticate?(request: FastifyRequest): Promise<Account>;
  /** The nextAction for unknown paths. */
  readonly pathHelp?: string;
}

/** At least one; the first one also handles errors outside of all prefixes. */
export type Dialects = readonly [Dialect, ...Dialect[]];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's dialect; absent for the server's own routes. */
    dialect?: Dialect;
  }
}

/**
 * The dialect of a request: by its route, else by the longest matching prefix, else the first one.
 * @throws TypeError when two dialects claim one prefix
 */
export function dialectFinder(dialects: Dialects): (request: FastifyRequest) => Dialect {
  const claims = dialects
    .flatMap((dialect) => (dialect.host === undefined ? [dialect] : []))
    .flatMap((dialect) => dialect.prefixes.map((prefix) => ({ prefix, dialect })))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  for (const [index, { prefix, dialect }] of claims.entries()) {
    const rival = claims.slice(index + 1).find((claim) => claim.prefix === prefix);
    if (rival !== undefined) throw new TypeError(`${dialect.name} and ${rival.dialect.name} both claim ${prefix}`);
  }
  return (request) => {
    const path = decoded(pathOf(request.url));
    const host = hostNameOf(request);
    return (
      request.routeOptions.config.dialect ??
      dialects.find((dialect) => dialect.host !== undefined && dialect.host === host) ??
      claims.find(({ prefix }) => isUnder(path, prefix))?.dialect ??
      dialects[0]
    );
  };
}

const hostNameOf = (request: FastifyRequest): string | undefined =>
  request.raw.headers.host?.replace(/:\d+$/, '').toLowerCase();

/** Decodes the path, as the router does. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Registers a dialect's routes in a scope of its own. */
export async function registerDialect(app: FastifyInstance, dialect: Dialect, given: DialectScope): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      if (!dialect.prefixes.some((prefix) => isUnder(route.url, prefix)))
        throw new TypeError(`${dialect.name} has ${route.url}, which is under none of its prefixes`);
      if (['account', 'optional', 'link'].includes(route.config?.access ?? '') && dialect.authenticate === undefined)
        throw new TypeError(`${route.url} needs an account but ${dialect.name} has no authenticate()`);
      route.config = { ...route.config, dialect };
      if (dialect.host !== undefined)
        route.constraints = {
          ...route.constraints,
          host: new RegExp(`^${dialect.host.replaceAll('.', '\\.')}(?::\\d+)?$`, 'i'),
        };
    });
    // Fastify creates its own compilers for a scope with schemas.
    useCompilers(scope);
    for (const schema of dialect.schemas ?? []) scope.addSchema(schema);
    await dialect.routes(scope, given);
  });
}
