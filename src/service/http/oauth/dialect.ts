import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { ProtocolAnswer, ProtocolEndpoint } from '../../rules/accounts/authorization-server.ts';
import type { Config } from '../../rules/settings/config.ts';
import type { Programs } from '../../rules/sign-in/program-use-cases.ts';
import { requireOwnAddress } from '../interface/own-address.ts';
import { statusOf } from '../server/errors.ts';
import type { Dialect, ErrorAnswer } from '../server/dialect.ts';
import { callerOf } from '../server/mount.ts';
import { addressKey, createRateLimiter, rateLimited } from '../server/rate-limit.ts';

/** Dependencies of the dialect. */
export interface OauthDeps {
  readonly programs: Programs;
  readonly config: Config;
  /** Path prefix in a host app, without a trailing slash. Default: ''. */
  readonly rootPath?: string;
}

const bodyLimit = 16 * 1024;
/** Requests that one network address may send in a minute. Programs register once, and refresh once an hour. */
const perMinute = { register: 10, token: 120, revoke: 60 } as const;

const metadataPaths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

/** OAuth 2.1 for programs: registration, tokens, revocation, keys and metadata. The site has the pages for browsers. */
export function oauthDialect({ programs, config, rootPath = '' }: OauthDeps): Dialect {
  return {
    name: 'oauth',
    prefixes: ['/oauth/token', '/oauth/register', '/oauth/revoke', '/oauth/keys', ...metadataPaths],
    errorAnswer,
    routes(scope) {
      const limiter = createRateLimiter();
      const limit = (request: FastifyRequest, endpoint: keyof typeof perMinute): void => {
        const state = limiter.take(`${endpoint}:${addressKey(callerOf(request).ip)}`, perMinute[endpoint]);
        if (!state.allowed) throw rateLimited(state);
      };
      keepText(scope, 'application/x-www-form-urlencoded');

      const ask = async (request: FastifyRequest, reply: FastifyReply, endpoint: ProtocolEndpoint) =>
        send(
          reply,
          await programs.answer({
            endpoint,
            base: requireOwnAddress(request, config, rootPath),
            method: request.method,
            ...(typeof request.body === 'string' ? { body: request.body } : {}),
            authorization: request.headers.authorization,
          }),
        );
      const route = { config: { access: 'public' as const } };

      for (const endpoint of ['token', 'revoke'] as const)
        scope.post(`/oauth/${endpoint}`, { ...route, bodyLimit }, async (request, reply) => {
          limit(request, endpoint);
          if (typeof request.body !== 'string')
            throw new EarshotError('bad_request', 'Expected a form (application/x-www-form-urlencoded)');
          return ask(request, reply, endpoint);
        });
      scope.get('/oauth/keys', route, async (request, reply) => ask(request, reply, 'keys'));
      for (const path of metadataPaths)
        scope.get(path, route, async (request, reply) => ask(request, reply, 'metadata'));
      scope.register(async (inner) => {
        keepText(inner, 'application/json');
        inner.post('/oauth/register', { ...route, bodyLimit }, async (request, reply) => {
          limit(request, 'register');
          return ask(request, reply, 'register');
        });
      });
    },
  };
}

/** The protocol's library reads bodies itself. */
function keepText(scope: FastifyInstance, type: string): void {
  if (scope.hasContentTypeParser(type)) scope.removeContentTypeParser(type);
  scope.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

const send = (reply: FastifyReply, { status, headers, body }: ProtocolAnswer): FastifyReply =>
  reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .send(body === '' ? null : body);

/** In the form of RFC 6749, 5.2. */
function errorAnswer(error: EarshotError): ErrorAnswer {
  const status = statusOf(error);
  const code = status === 429 || status >= 500 ? 'temporarily_unavailable' : 'invalid_request';
  return { status, body: { error: code, error_description: error.message } };
}
