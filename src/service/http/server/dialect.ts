import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { EarshotError } from '../../../library/core/errors.ts';
import type { Account } from '../../rules/records.ts';
import { isUnder, pathOf } from './paths.ts';
import { useCompilers } from './validation.ts';

/** What a dialect makes of an error. Retry-After, Cache-Control and the rate limit's headers are the server's. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body: object;
}

/** What the server has for the routes of a dialect. */
export interface DialectScope {
  /** Fires when the service begins to stop: whoever waits is answered with what there is. */
  readonly closing: AbortSignal;
}

/**
 * One way of speaking to the service over HTTP: paths, shapes, errors and credentials of its own, beside others that it
 * does not know. The server does for all of them alike what is HTTP and not interface: limits, logs, bodies, checks.
 */
export interface Dialect {
  /** For whoever reads why it does not start. */
  readonly name: string;
  /**
   * Paths that are its own, whether there is something at them or not: everything that goes wrong under them, an
   * unknown path, a broken body and a full rate limit included, is answered with its errors. All its routes lie under
   * them.
   */
  readonly prefixes: readonly string[];
  /**
   * The host name, in lower case, that its requests name: nobody else meets its routes, and everything that goes wrong
   * under it is answered with its errors. Default: any.
   */
  readonly host?: string;
  /** Shared JSON schemas that its routes refer to by `$id`; no other dialect sees them. */
  readonly schemas?: readonly object[];
  /** Registers the routes, with whole paths, in a scope of the dialect's own. */
  routes(scope: FastifyInstance, given: DialectScope): void | Promise<void>;
  /**
   * @param error our own failures come without their reason, which only the log has
   * @param request null: what came never became one
   */
  errorAnswer(error: EarshotError, request: FastifyRequest | null): ErrorAnswer;
  /** Does a request say who asks? Default: by the header Authorization. */
  hasCredentials?(request: FastifyRequest): boolean;
  /**
   * Who asks, for routes with access 'account', and for those with 'optional' and 'link' where a request says so; absent
   * where there are none.
   * @throws EarshotError unauthorized, forbidden
   */
  authenticate?(request: FastifyRequest): Promise<Account>;
  /** The next step for somebody at a path where nothing is. */
  readonly pathHelp?: string;
}

/** At least one; the first also answers what lies outside of all prefixes. */
export type Dialects = readonly [Dialect, ...Dialect[]];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whose route it is; absent on the server's own. */
    dialect?: Dialect;
  }
}

/**
 * Whose request it is: by its route, else by the longest prefix of its path, else the first dialect's.
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

/** Routes are found by the decoded path, too. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Registers a dialect's routes, each of which then knows whose it is. */
export async function registerDialect(app: FastifyInstance, dialect: Dialect, given: DialectScope): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      if (!dialect.prefixes.some((prefix) => isUnder(route.url, prefix)))
        throw new TypeError(`${dialect.name} has ${route.url}, which is under none of its prefixes`);
      if (['account', 'optional', 'link'].includes(route.config?.access ?? '') && dialect.authenticate === undefined)
        throw new TypeError(`${dialect.name} authenticates nobody, but ${route.url} needs an account`);
      route.config = { ...route.config, dialect };
      if (dialect.host !== undefined)
        route.constraints = {
          ...route.constraints,
          host: new RegExp(`^${dialect.host.replaceAll('.', '\\.')}(?::\\d+)?$`, 'i'),
        };
    });
    // Fastify makes compilers of its own for a scope that has schemas of its own.
    useCompilers(scope);
    for (const schema of dialect.schemas ?? []) scope.addSchema(schema);
    await dialect.routes(scope, given);
  });
}
