import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RequestPayload,
} from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Config } from '../../rules/settings/config.ts';
import { answerEarly, continueWhenRead, isForm, isRaw, leaveRaw, leaveStreaming, receiveWithin } from './bodies.ts';
import { answerBrokenRequest, watchRequests } from './broken-requests.ts';
import { mayUpgrade } from './upgrades.ts';
import { allowOrigins } from './cors.ts';
import { dialectFinder, type Dialects, registerDialect } from './dialect.ts';
import { handleError } from './errors.ts';
import { Gate } from './gate.ts';
import { healthRoutes, outcomes, type ReadinessChecks, type SharedChecks } from './health.ts';
import { redacting } from './log.ts';
import { metricsRoutes, type MetricsSources } from './metrics.ts';
import { withoutRoot } from './mount.ts';
import { proxyTrust } from './proxies.ts';
import { addressKey, createRateLimiter, type RateLimiter } from './rate-limit.ts';
import { createRedaction } from './redaction.ts';
import { checkBodyPresence, rememberRoutes } from './routes.ts';
import { checkAddress, useJsonBodies } from './validation.ts';

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
  /** Checks of what all APIs share, told by the probe without failing it. Default: none. */
  readonly sharedChecks?: SharedChecks;
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
  sharedChecks = {},
  patience: wanted = {},
  limiter = createRateLimiter(),
  rootPath = '',
}: AppDeps): Promise<FastifyInstance> {
  const patience: Patience = { ...usualPatience, ...wanted };
  const dialectOf = dialectFinder(dialects);
  const [outside] = dialects;
  const closing = new AbortController();

  const redaction = createRedaction(rootPath);
  const gate = new Gate(config, limiter, dialectOf, redaction);

  const app: FastifyInstance = fastify({
    loggerInstance: redacting(log, redaction),
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
      gate.enter(request, reply);
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
    await gate.underWay.fail(cause, mostMs);
  });
  app.decorateRequest('account', null);
  app.decorateRequest('upgraded', false);
  app.decorateRequest('errorCode', null);
  app.addHook('onRoute', (route) => redaction.add(route));
  useJsonBodies(app);
  app.setErrorHandler((thrown, request, reply) => handleError(thrown, request, reply, dialectOf(request)));
  app.setNotFoundHandler(rememberRoutes(app, dialectOf));

  if (config.corsOrigins !== null)
    await allowOrigins(app, config.corsOrigins, (request, reply) => {
      reply.header('x-request-id', request.id);
      gate.enter(request, reply);
    });
  app.addHook('onRequest', (request, reply) => gate.admit(request, reply));
  app.addHook('preParsing', async (request, reply, payload) => readBody(request, reply, payload, patience.jsonBodyMs));
  app.addHook('preValidation', async (request, reply) => {
    checkAddress(request);
    checkBodyPresence(request);
    gate.countBatch(request, reply);
  });
  app.addHook('onSend', async (request, reply, payload) => answerEarly(request, reply, payload));
  app.addHook('preClose', async () => {
    closing.abort();
    // After the grace time, connections are closed.
    setTimeout(() => app.server.closeAllConnections(), config.graceSeconds * 1000).unref();
  });

  for (const dialect of dialects) await registerDialect(app, dialect, { closing: closing.signal });
  healthRoutes(app, { checks, shared: sharedChecks }, closing.signal, outside);
  const sources = { checks: () => outcomes({ ...checks, ...sharedChecks }), ...metrics };
  metricsRoutes(app, sources, (observer) => void gate.observers.push(observer), config.metricsToken);
  return app;
}

/** The hook preParsing: raw bodies and forms are left to their routes. */
function readBody(request: FastifyRequest, reply: FastifyReply, payload: RequestPayload, jsonBodyMs: number) {
  const { rawBody, anyBody, multipart } = request.routeOptions.config;
  if (rawBody === true || (anyBody === true && isRaw(request))) return leaveRaw(request, payload);
  if (multipart === true && isForm(request)) return leaveStreaming(request, reply, payload);
  return receiveWithin(request, reply, payload, jsonBodyMs);
}
