import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../rules/settings/config.ts';
import { isUnder, pathOf } from './paths.ts';

/**
 * Mounts our app inside a host app. The host's router passes requests on before its own hooks run, so that neither app
 * is affected by the other's hooks, parsers, decorators, limits and error handlers.
 */

/** The client's address and the public host, as seen by the outermost server, which knows the proxies. */
export interface Caller {
  /** IP address of the client. */
  readonly ip: string;
  /** "http" or "https". */
  readonly protocol: string;
  /** The requested host with its port. */
  readonly host: string;
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** From the host app, if there is one: it knows which proxies to trust. */
export function callerOf(request: FastifyRequest): Caller {
  return callers.get(request.raw) ?? request;
}

/**
 * Strict-Transport-Security, where the service is reached over https: browsers then never ask over http again. In a
 * host app the name is the host's, and so is this choice.
 */
export function transportHeaders(
  request: FastifyRequest,
  { baseUrl }: Pick<Config, 'baseUrl'>,
): Readonly<Record<string, string>> {
  const caller = callers.get(request.raw);
  const isHttps = request.protocol === 'https' || baseUrl?.startsWith('https:') === true;
  return caller === undefined && isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {};
}

/** The URL without the path prefix of the host app: /audio/api/v1?x -> /api/v1?x. */
export function withoutRoot(url: string, rootPath: string): string {
  if (!isUnder(pathOf(url), rootPath)) return url;
  const rest = url.slice(rootPath.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Passes requests of a host app to our app. */
export interface Mount {
  /**
   * Lets our app respond. Keeps headers that the host's hooks have set, such as CORS headers.
   */
  answer(request: FastifyRequest, reply: FastifyReply): void;
  /**
   * The host begins to close: waiting requests are answered, and our connections are closed after their responses.
   * Resolves when all responses have ended.
   */
  close(): Promise<void>;
}

/**
 * @param app must not listen itself
 * @param silenceMs idle timeout of connections during our responses; then the host's own applies again
 * @param graceMs for responses in progress when the host closes
 */
export function createMount(app: FastifyInstance, silenceMs: number, graceMs: number): Mount {
  const underWay = new Set<ServerResponse>();
  return {
    answer(request, reply) {
      const { ip, protocol, host, raw } = request;
      callers.set(raw, { ip, protocol, host });
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value);
      reply.hijack();
      underWay.add(reply.raw);
      reply.raw.once('close', () => underWay.delete(reply.raw));
      const { url, socket } = raw;
      const hostsTimeoutMs = socket.timeout ?? 0;
      socket.setTimeout(silenceMs);
      // Before Node's own listener, which starts the keep-alive timeout.
      reply.raw.prependOnceListener('finish', () => {
        socket.setTimeout(hostsTimeoutMs);
        // The host logs the original URL at the end.
        if (url !== undefined) raw.url = url;
      });
      app.routing(raw, reply.raw);
    },
    async close() {
      // Keep-alive connections would prevent the host from closing.
      for (const response of underWay) {
        if (!response.headersSent) response.setHeader('connection', 'close');
        const { socket } = response;
        response.once('finish', () => socket?.destroySoon());
      }
      const late = setTimeout(() => {
        for (const { socket } of underWay) socket?.destroy();
      }, graceMs);
      const answered = [...underWay].map((response) => new Promise((resolve) => response.once('close', resolve)));
      await app.close();
      await Promise.all(answered);
      clearTimeout(late);
    },
  };
}
