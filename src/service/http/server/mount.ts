import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isUnder, pathOf } from './paths.ts';

/**
 * An app inside of another one. It stays whole: the host's router hands requests over before anything else of the host
 * has touched them, so neither sees the other's hooks, parsers, decorators, limits and error handlers.
 */

/** Who asks and whom, as the outermost server sees it, which knows the proxies. */
export interface Caller {
  /** Address of the client. */
  readonly ip: string;
  /** "http" or "https". */
  readonly protocol: string;
  /** Host name with its port, as the client named it. */
  readonly host: string;
}

const callers = new WeakMap<IncomingMessage, Caller>();

/** The host app's word counts where there is one: only it knows which proxies to believe. */
export function callerOf(request: FastifyRequest): Caller {
  return callers.get(request.raw) ?? request;
}

/** The address without the path that leads to us: /audio/api/v1?x -> /api/v1?x. */
export function withoutRoot(url: string, rootPath: string): string {
  if (!isUnder(pathOf(url), rootPath)) return url;
  const rest = url.slice(rootPath.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The way of requests from a host app to one of ours. */
export interface Mount {
  /**
   * Lets our app answer. Headers that the host's hooks have set go along, such as those that let other sites' pages read
   * the answer.
   */
  answer(request: FastifyRequest, reply: FastifyReply): void;
  /**
   * The host begins to close: whoever waits is answered with what there is, and connections that we have used end after
   * their answers. Resolves when no answer is under way.
   */
  close(): Promise<void>;
}

/**
 * @param app one that does not listen itself
 * @param silenceMs without a byte in either direction, after which a connection ends; the host's own limit holds again
 *   after the answer
 * @param graceMs for answers that are under way when the host closes
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
      // Before Node's own listener, which begins the silence between two requests.
      reply.raw.prependOnceListener('finish', () => {
        socket.setTimeout(hostsTimeoutMs);
        // What the host logs and counts at the end is the address that was asked for.
        if (url !== undefined) raw.url = url;
      });
      app.routing(raw, reply.raw);
    },
    async close() {
      // Kept alive, a connection would keep the host from closing for as long as its client likes.
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
