import type { FastifyReply, FastifyRequest } from 'fastify';
import { PassThrough, pipeline, Readable } from 'node:stream';
import type { EarshotError } from '../../../library/core/errors/errors.ts';
import { chooseCalls, usualCalls } from '../../../library/tools/assistant-groups.ts';
import { badInput } from '../../../library/core/checks/schema.ts';
import { packageVersion } from '../../../library/core/start/package-version.ts';
import type { Account } from '../../rules/accounts/account.ts';
import { bearerAccount, bearerToken } from '../interface/bearer.ts';
import { addressOf, requireOwnAddress } from '../interface/own-address.ts';
import { statusOf } from '../server/errors.ts';
import { accountOf, clientSignal } from '../server/context.ts';
import type { Dialect, ErrorAnswer } from '../server/dialect.ts';
import { accountCalls } from './calls/account.ts';
import type { Call } from './calls/call.ts';
import { chainCalls } from './calls/chains.ts';
import { fileCalls } from './calls/files.ts';
import { jobCalls } from './calls/jobs.ts';
import { canAsk, Questions, type Reply, sessionOf } from './questions.ts';
import { mediaCalls } from './calls/media.ts';
import { toolCalls } from './calls/tools.ts';
import type { DialectDeps } from '../interface/dialect-deps.ts';

const path = '/mcp';
const sessionHeader = 'mcp-session-id';
/** RFC 9728, 3.1: the well-known path goes before the resource's own. */
const metadataPath = `/.well-known/oauth-protected-resource${path}`;
/** A script of 2 MiB characters, each of which JSON may write in six bytes, and the rest of the message. */
const bodyLimit = 6 * 2 * 1024 * 1024 + 1024 * 1024;

/** The Model Context Protocol over HTTP: tools, files and jobs for assistants, with the REST API's keys and prices. */
export function mcpDialect(deps: DialectDeps): Dialect {
  const { service, config, rootPath = '' } = deps;
  const makeCalls = (): readonly Call[] =>
    chooseCalls(
      [
        ...chainCalls(deps),
        ...toolCalls(deps),
        ...fileCalls(deps),
        ...jobCalls(deps),
        ...mediaCalls(deps),
        ...accountCalls(deps),
      ],
      config.mcpTools,
      'EARSHOT_MCP_TOOLS',
    );
  return {
    name: 'mcp',
    prefixes: [path, '/.well-known/oauth-protected-resource'],
    pathHelp: `Check the path; the address for assistants is ${rootPath}${path}.`,
    errorAnswer: (error, request) => {
      const address = request === null ? null : addressOf(request, config, rootPath);
      return errorAnswer(error, address === null ? null : `${address.href.replace(/\/$/, '')}${metadataPath}`);
    },
    authenticate: (request) => bearerAccount(bearerToken(request), service.access, 'mcp'),
    routes(scope, { closing }) {
      // A setting that names what there is not is said at the start.
      if (config.mcpTools !== usualCalls) scope.addHook('onReady', async () => void makeCalls());
      const questions = new Questions();
      let loading: ReturnType<typeof load> | undefined;
      const load = async () => {
        const { createHandler } = await import('./server.ts');
        return createHandler({
          calls: makeCalls(),
          version: packageVersion(),
          onError: (thrown) => scope.log.error({ err: thrown }, 'a call of an assistant failed'),
          closing,
        });
      };

      scope.route({
        method: ['GET', 'POST', 'DELETE'],
        url: path,
        exposeHeadRoute: false,
        bodyLimit,
        config: { access: 'account', batches: true },
        handler: async (request, reply) => {
          refuseBatch(request);
          const address = requireOwnAddress(request, config, rootPath);
          loading ??= load().catch((thrown: unknown) => {
            // The next request tries again.
            loading = undefined;
            throw thrown;
          });
          const { fetch } = await loading;
          const account = accountOf(request);
          if (questions.answer(account.id, request.body)) return reply.code(202).send();
          const session = sessionOf(request.body);
          if (session !== null) void reply.header(sessionHeader, session);
          const gone = clientSignal(reply);
          const events = new PassThrough();
          const elicit = (params: object): Promise<Reply> =>
            questions.ask(account.id, params, (event) => void events.write(event), AbortSignal.any([gone, closing]));
          const authInfo = authInfoOf(account, canAsk(request.headers[sessionHeader]) ? elicit : null);
          const answer = await fetch(asWebRequest(request, address, gone), { authInfo, parsedBody: request.body });
          return sendWebResponse(reply, answer, events);
        },
      });

      scope.get(metadataPath, { config: { access: 'public' } }, (request) => {
        const address = requireOwnAddress(request, config, rootPath);
        const issuer = config.oauthIssuer ?? (service.programs === null ? null : address);
        return {
          resource: `${address}${path}`,
          resource_name: 'Earshot',
          bearer_methods_supported: ['header'],
          ...(issuer === null ? {} : { authorization_servers: [issuer] }),
        };
      });
    },
  };
}

/** Errors that occur before the protocol takes over: credentials, limits, bodies that are not JSON. */
function errorAnswer(error: EarshotError, metadataUrl: string | null): ErrorAnswer {
  const status = statusOf(error);
  const body = { error: error.toJSON() };
  if (error.code !== 'unauthorized') return { status, body };
  const resource = metadataUrl === null ? '' : ` resource_metadata="${metadataUrl}"`;
  return { status, headers: { 'www-authenticate': `Bearer${resource}` }, body };
}

/** The protocol of 2025-03-26, which is also that of requests without a version, is the last one with batches. */
function refuseBatch({ body, headers }: FastifyRequest): void {
  const version = headers['mcp-protocol-version'];
  if (Array.isArray(body) && version !== undefined && version !== '2025-03-26')
    throw badInput('body', 'one message, since batches ended with the protocol of 2025-03-26', 'a list', 'the body');
}

/** The credentials are already checked. The protocol's library requires a token, so it gets an empty one. */
const authInfoOf = (account: Account, elicit: ((params: object) => Promise<Reply>) | null) => ({
  token: '',
  clientId: account.id,
  scopes: [],
  extra: { account, elicit },
});

/** Without the body, which is already parsed and passed separately. */
function asWebRequest(request: FastifyRequest, base: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && name !== 'authorization' && name !== sessionHeader)
      headers.set(name, [value].flat().join(', '));
  return new Request(`${base}${path}`, { method: request.method, headers, signal });
}

/** @param events written into it as they come */
function sendWebResponse(reply: FastifyReply, response: Response, events: PassThrough): FastifyReply {
  void reply.code(response.status).header('cache-control', 'no-store');
  for (const [name, value] of response.headers) if (name !== 'content-length') void reply.header(name, value);
  if (response.body === null) return reply.send(null);
  const body = Readable.fromWeb(response.body);
  return reply.send(
    pipeline(body, events, () => {
      // What failed is seen by who reads it.
    }),
  );
}
