import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Config } from '../../rules/config.ts';
import { answerEarly, continueWhenRead, isForm, isRaw, leaveRaw, leaveStreaming, receiveWithin } from './bodies.ts';
import { answerBrokenRequest, refuseUnservable, watchRequests } from './broken-requests.ts';
import { createUnderWay } from './under-way.ts';
import { endRefusedUpgrade, mayUpgrade } from './upgrades.ts';
import { allowOrigins } from './cors.ts';
import { dialectFinder, type Dialects, registerDialect } from './dialect.ts';
import { clientGoneStatus, handleError, sendError } from './errors.ts';
import { healthRoutes, type ReadinessChecks } from './health.ts';
import { logRequest, redacting } from './log.ts';
import { metricsRoutes, type MetricsSources, type RequestObserver } from './metrics.ts';
import { callerOf, withoutRoot } from './mount.ts';
import { proxyTrust } from './proxies.ts';
import { credentialTries } from './credential-tries.ts';
import {
  addressKey,
  createRateLimiter,
  rateLimited,
  type RateLimiter,
  rateLimitHeaders,
  type RateState,
} from './rate-limit.ts';
import { checkBodyPresence, rememberRoutes } from './routes.ts';
import { checkQuery, useJsonBodies } from './validation.ts';

/** Timeouts of clients. An upload may take any time while bytes keep arriving. */
export interface Patience {
  /** For the headers of a request. */
  readonly headersMs: number;
  /** For a JSON body. */
  readonly jsonBodyMs: number;
  /** Idle time without a byte in either direction. Longer than the longest `wait`. */
  readonly silenceMs: number;
}

/** Dependencies of the HTTP server. */
export interface AppDeps {
  /** The dialects; the first one also handles errors outside of all prefixes. */
  readonly dialects: Dialects;
  readonly config: Config;
  /** Any pino logger; credentials are removed from its entries. */
  readonly log: FastifyBaseLogger;
  /** Further sources of /metrics. Default: only the HTTP server's own metrics. */
  readonly metrics?: MetricsSources;
  /** Checks of the readiness probe. Default: none. */
  readonly checks?: ReadinessChecks;
  /** Timeouts. Default: 20 s for headers, 30 s for a JSON body, 120 s idle. */
  readonly patience?: Partial<Patience>;
  /** The rate limiter. Default: one of this process. */
  readonly limiter?: RateLimiter;
  /** Path prefix in a host app, without a trailing slash. Default: ''. See mount.ts. */
  readonly rootPath?: string;
}

/** The default of `AppDeps.patience`. */
export const usualPatience: Patience = { headersMs: 20_000, jsonBodyMs: 30_000, silenceMs: 120_000 };

const jsonBodyBytes = 3 * 1024 * 1024;

/** Creates the HTTP server. Call its `listen`; its `close` finishes the requests in progress. */
export async function createApp({
  dialects,
  config,
  log,
  metrics = {},
  checks = {},
  patience: wanted = {},
  limiter = createRateLimiter(),
  rootPath = '',
}: AppDeps): Promise<FastifyInstance> {
  const patience: Patience = { ...usualPatience, ...wanted };
  const dialectOf = dialectFinder(dialects);
  const [outside] = dialects;
  const closing = new AbortController();

  const anonymous = (request: FastifyRequest): [string, number] => [
    `address:${addressKey(callerOf(request).ip)}`,
    config.rateLimitAddress,
  ];
  const underWay = createUnderWay((error, request, reply) => sendError(error, request, reply, dialectOf(request)));
  const observers: RequestObserver[] = [logRequest];
  // Fastify's onResponse is not called for aborted responses.
  const watch = (request: FastifyRequest, reply: FastifyReply): void => {
    endRefusedUpgrade(request.raw, reply.raw);
    underWay.add(request, reply);
    reply.raw.once('close', () => {
      underWay.remove(reply);
      for (const observer of observers)
        observer(
          request,
          reply,
          request.upgraded ? 101 : reply.raw.writableFinished ? reply.statusCode : clientGoneStatus,
        );
    });
  };
  const tell = (reply: FastifyReply, state: RateState): void => void reply.headers(rateLimitHeaders(state));

  const app: FastifyInstance = fastify({
    loggerInstance: redacting(log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: proxyTrust(config),
    ...(rootPath === ''
      ? {}
      : { rewriteUrl: (raw: { readonly url?: string | undefined }) => withoutRoot(raw.url ?? '/', rootPath) }),
    bodyLimit: jsonBodyBytes,
    // Node's limit on whole requests would abort long uploads; headers, JSON bodies and idle time have their own
    // limits.
    requestTimeout: 0,
    http: {
      headersTimeout: patience.headersMs,
      connectionsCheckingInterval: Math.min(5000, patience.headersMs),
      // `refuseUnservable` refuses requests without Host, with our headers.
      requireHostHeader: false,
      shouldUpgradeCallback: (request) => mayUpgrade(app.server, request),
    },
    connectionTimeout: patience.silenceMs,
    // Longer than proxies' own timeouts, so that they never reuse a connection that we are closing.
    keepAliveTimeout: 75_000,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors: (error, request, reply) => {
      watch(request, reply);
      tell(reply, limiter.take(...anonymous(request)));
      handleError(error, request, reply, dialectOf(request));
    },
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(
        error,
        socket,
        (address) => limiter.take(`address:${addressKey(address)}`, config.rateLimitAddress),
        outside,
      ),
  });
  continueWhenRead(app.server);
  watchRequests(app.server);

  app.decorate('failRequests', async (cause: unknown, mostMs: number) => {
    // New connections go to the replacement process.
    app.server.close();
    await underWay.fail(cause, mostMs);
  });
  app.decorateRequest('account', null);
  app.decorateRequest('upgraded', false);
  app.decorateRequest('errorCode', null);
  useJsonBodies(app);
  app.setErrorHandler((thrown, request, reply) => handleError(thrown, request, reply, dialectOf(request)));
  app.setNotFoundHandler(rememberRoutes(app, dialectOf));

  if (config.corsOrigins !== null)
    await allowOrigins(app, config.corsOrigins, (request, reply) => {
      watch(request, reply);
      reply.header('x-request-id', request.id);
      tell(reply, limiter.take(...anonymous(request)));
    });
  app.addHook('onRequest', async (request, reply) => {
    watch(request, reply);
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' });
    const failed = underWay.refusal();
    if (failed !== null) throw failed;
    const { access = 'public', dialect } = request.routeOptions.config;
    let bucket = anonymous(request);
    if (access === 'health') {
      tell(reply, limiter.peek(...bucket));
      return refuseUnservable(request, reply, dialectOf(request)) ? reply : undefined;
    }
    // Holders of links send many parts and ranges, and payment providers many events: the higher limit of accounts.
    if (access === 'token' || access === 'link' || access === 'signed')
      bucket = [
        `${access === 'signed' ? access : 'token'}:${addressKey(callerOf(request).ip)}`,
        config.rateLimitAccount,
      ];

    let refusal: unknown = null;
    const says = dialect?.hasCredentials?.(request) ?? request.headers.authorization !== undefined;
    const named = access === 'account' || ((access === 'optional' || access === 'link') && says);
    if (named && dialect?.authenticate !== undefined) {
      reply.header('cache-control', 'no-store');
      const tries = credentialTries(limiter, request, config);
      // Before the database is queried.
      if (!tries.state.allowed) {
        tell(reply, tries.state);
        throw rateLimited(tries.state);
      }
      try {
        request.account = await dialect.authenticate(request);
        tries.passed();
        bucket = [`account:${request.account.id}`, config.rateLimitAccount];
      } catch (thrown) {
        tries.failed();
        refusal = thrown;
      }
    }
    const state = limiter.take(...bucket);
    tell(reply, state);
    if (!state.allowed) throw rateLimited(state);
    if (refuseUnservable(request, reply, dialectOf(request))) return reply;
    if (refusal !== null) throw refusal as Error;
    return undefined;
  });
  app.addHook('preParsing', async (request, reply, payload) =>
    request.routeOptions.config.rawBody === true || (request.routeOptions.config.anyBody === true && isRaw(request))
      ? leaveRaw(request, payload)
      : request.routeOptions.config.multipart === true && isForm(request)
        ? leaveStreaming(request, reply, payload)
        : receiveWithin(request, reply, payload as typeof request.raw, patience.jsonBodyMs),
  );
  app.addHook('preValidation', async (request) => {
    checkQuery(request);
    checkBodyPresence(request);
  });
  app.addHook('onSend', async (request, reply, payload) => answerEarly(request, reply, payload));
  app.addHook('preClose', async () => {
    closing.abort();
    // After the grace time, connections are closed.
    setTimeout(() => app.server.closeAllConnections(), config.graceSeconds * 1000).unref();
  });

  for (const dialect of dialects) await registerDialect(app, dialect, { closing: closing.signal });
  healthRoutes(app, checks, closing.signal, outside);
  metricsRoutes(app, metrics, (observer) => void observers.push(observer), config.metricsToken);
  return app;
}
