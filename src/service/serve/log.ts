import { createRequire } from 'node:module';
import { pino, type Logger } from 'pino';
import type { Config } from '../rules/settings/config.ts';

/**
 * Logs to standard error: JSON lines, or readable lines on a terminal. Standard output is for messages to the user.
 * @param stream default: standard error
 */
export function createLog(
  level: Config['logLevel'],
  part: 'launcher' | 'api' | 'worker' | 'runner',
  stream: { readonly isTTY?: boolean; write(line: string): unknown } = process.stderr,
): Logger {
  // A closed pipe must not end the service: without this, writing to it is an uncaught error, which would be logged.
  if (stream === process.stderr && !process.stderr.listeners('error').includes(ignore))
    process.stderr.on('error', ignore);
  return pino(
    {
      level,
      base: { part },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: withoutClient },
    },
    stream.isTTY === true ? readable(stream) : stream,
  );
}

const ignore = (): void => undefined;

/** pg attaches the client to errors of idle connections: hundreds of lines, with the password. */
function withoutClient(thrown: Error): object {
  if (!(thrown instanceof Error)) return thrown;
  const { client: _client, ...shown } = pino.stdSerializers.err(thrown);
  return shown;
}

function readable(stream: { write(line: string): unknown }): { write(line: string): void } {
  // Loaded only when needed.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  const colorize = !process.env['NO_COLOR'];
  const prettify = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss',
    // On a terminal there is one machine.
    ignore: 'part,worker,host',
    messageFormat: '{part}: {msg}',
    singleLine: true,
  });
  return { write: (line) => void stream.write(prettify(line)) };
}
