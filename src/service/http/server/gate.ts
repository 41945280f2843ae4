import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../rules/settings/config.ts';
import { refuseUnservable } from './broken-requests.ts';
import { credentialTries } from './credential-tries.ts';
import type { Dialect } from './dialect.ts';
import { clientGoneStatus, sendError } from './errors.ts';
import { requestLogger } from './log.ts';
import type { RequestObserver } from './metrics.ts';
import { callerOf, transportHeaders } from './mount.ts';
import type { Redaction } from './redaction.ts';
import { addressKey, rateLimited, type RateLimiter, rateLimitHeaders, type RateState } from './rate-limit.ts';
import { createUnderWay, type UnderWay } from './under-way.ts';
import { endRefusedUpgrade } from './upgrades.ts';

type Settings = Pick<Config, 'rateLimitAddress' | 'rateLimitAccount' | 'baseUrl'>;
/** A key of the rate limiter, and its quota. */
type Bucket = readonly [key: string, quota: number];

/** What every request passes before its route: rate limits, credentials, and the list of requests in progress. */
export class Gate {
  readonly underWay: UnderWay;
  /** Called for every request at its end. */
  readonly observers: RequestObserver[];
  private readonly config: Settings;
  private readonly limiter: RateLimiter;
  private readonly dialectOf: (request: FastifyRequest) => Dialect;

  constructor(
    config: Settings,
    limiter: RateLimiter,
    dialectOf: (request: FastifyRequest) => Dialect,
    redaction: Redaction,
  ) {
    this.observers = [requestLogger(redaction)];
    this.config = config;
    this.limiter = limiter;
    this.dialectOf = dialectOf;
    this.underWay = createUnderWay((error, request, reply) => sendError(error, request, reply, dialectOf(request)));
  }

  /** For requests that reach no hook: counts the request of an address. */
  enter(request: FastifyRequest, reply: FastifyReply): void {
    this.watch(request, reply);
    tell(reply, this.limiter.take(...this.anonymous(request)));
  }

  /** The hook onRequest. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    this.watch(request, reply);
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      ...transportHeaders(request, this.config),
    });
    const failed = this.underWay.refusal();
    if (failed !== null) throw failed;
    if (['health', 'asset'].includes(request.routeOptions.config.access ?? '')) {
      tell(reply, this.limiter.peek(...this.anonymous(request)));
      return refuseUnservable(request, reply, this.dialectOf(request)) ? reply : undefined;
    }
    const { bucket, refusal } = (await this.authenticate(request, reply)) ?? {
      bucket: this.unnamed(request),
      refusal: null,
    };
    const state = this.limiter.take(...bucket);
    tell(reply, state);
    if (!state.allowed) throw rateLimited(state);
    if (refuseUnservable(request, reply, this.dialectOf(request))) return reply;
    if (refusal !== null) throw refusal as Error;
    return undefined;
  }

  /** The hook preValidation, for routes with batches: counts the messages after the first. */
  countBatch(request: FastifyRequest, reply: FastifyReply): void {
    const { batches } = request.routeOptions.config;
    if (batches !== true || !Array.isArray(request.body)) return;
    const { account } = request;
    const [key, quota]: Bucket = account === null ? this.unnamed(request) : this.named(account.id);
    // Once the quota is used up, further messages change nothing.
    const more = Math.min(request.body.length - 1, quota + 1);
    let state = this.limiter.peek(key, quota);
    for (let count = 0; count < more; count++) state = this.limiter.take(key, quota);
    tell(reply, state);
    if (!state.allowed) throw rateLimited(state);
  }

  /** Fastify's onResponse is not called for aborted responses. */
  private watch(request: FastifyRequest, reply: FastifyReply): void {
    endRefusedUpgrade(request.raw, reply.raw);
    this.underWay.add(request, reply);
    reply.raw.once('close', () => {
      this.underWay.remove(reply);
      const sent = reply.raw.writableFinished ? reply.statusCode : clientGoneStatus;
      for (const observer of this.observers) observer(request, reply, request.upgraded ? 101 : sent);
    });
  }

  private anonymous(request: FastifyRequest): Bucket {
    return [`address:${addressKey(callerOf(request).ip)}`, this.config.rateLimitAddress];
  }

  private named(accountId: string): Bucket {
    return [`account:${accountId}`, this.config.rateLimitAccount];
  }

  /** Holders of links send many parts and ranges, and payment providers many events: the higher limit of accounts. */
  private unnamed(request: FastifyRequest): Bucket {
    const { access } = request.routeOptions.config;
    if (access !== 'token' && access !== 'link' && access !== 'signed') return this.anonymous(request);
    const kind = access === 'signed' ? access : 'token';
    return [`${kind}:${addressKey(callerOf(request).ip)}`, this.config.rateLimitAccount];
  }

  /** Sets the request's account. null: the route needs no credentials, or has none and may. */
  private async authenticate(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ readonly bucket: Bucket; readonly refusal: unknown } | null> {
    const { access = 'public', dialect } = request.routeOptions.config;
    const says = dialect?.hasCredentials?.(request) ?? request.headers.authorization !== undefined;
    const named = access === 'account' || ((access === 'optional' || access === 'link') && says);
    if (!named || dialect?.authenticate === undefined) return null;
    reply.header('cache-control', 'no-store');
    const tries = credentialTries(this.limiter, request, this.config);
    // Before the database is queried.
    if (!tries.state.allowed) {
      tell(reply, tries.state);
      throw rateLimited(tries.state);
    }
    try {
      request.account = await dialect.authenticate(request);
      tries.passed();
      return { bucket: this.named(request.account.id), refusal: null };
    } catch (refusal) {
      tries.failed();
      return { bucket: this.unnamed(request), refusal };
    }
  }
}

const tell = (reply: FastifyReply, state: RateState): void => void reply.headers(rateLimitHeaders(state));
