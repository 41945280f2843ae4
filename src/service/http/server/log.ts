import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from './mount.ts';
import { censor, type Redaction } from './redaction.ts';

const redactedHeaders = ['authorization', 'cookie', '["set-cookie"]', '["x-api-key"]', '["sec-websocket-protocol"]'];

/** Paths of pino's redaction, for logged objects with headers. */
const redactPaths = ['headers', 'req.headers', 'request.headers', 'res.headers'].flatMap((prefix) =>
  redactedHeaders.map((name) => (name.startsWith('[') ? prefix + name : `${prefix}.${name}`)),
);

const serializersOf = ({ text: redactText }: Redaction) => ({
  req: (request: Partial<FastifyRequest>) => ({
    method: request.method,
    url: redactText(request.url ?? ''),
    address: request.ip,
  }),
  err: (error: unknown) => {
    if (!(error instanceof Error)) return redactText(String(error));
    const { code, cause } = error as Error & { code?: unknown };
    const shownCause = cause instanceof Error ? redactText(cause.stack ?? cause.message) : undefined;
    return {
      type: error.name,
      code,
      message: redactText(error.message),
      stack: redactText(error.stack ?? ''),
      cause: shownCause,
    };
  },
});

/** A child of the logger that removes credentials. */
export const redacting = (log: FastifyBaseLogger, redaction: Redaction): FastifyBaseLogger =>
  log.child({}, { serializers: serializersOf(redaction), redact: { paths: redactPaths, censor } });

/** Logs one line per request at its end; health checks only at level debug. */
export const requestLogger =
  (redaction: Redaction) =>
  (request: FastifyRequest, reply: FastifyReply, status: number): void => {
    const { url, config } = request.routeOptions;
    const fields = {
      method: request.method,
      url: redaction.text(request.url),
      route: url,
      status,
      milliseconds: Math.round(reply.elapsedTime * 10) / 10,
      address: callerOf(request).ip,
      account: request.account?.id,
      error: request.errorCode,
    };
    const level = status >= 500 ? 'error' : config.access === 'health' ? 'debug' : 'info';
    request.log[level](fields, 'request');
  };
