import { createRequire } from 'node:module';
import { pino, type Logger } from 'pino';
import type { Config } from '../rules/config.ts';

/**
 * On standard error, which leaves standard output to people: JSON lines, or lines for people where it is a terminal.
 * @param stream default: standard error
 */
export function createLog(
  level: Config['logLevel'],
  part: 'launcher' | 'api' | 'worker',
  stream: { readonly isTTY?: boolean; write(line: string): unknown } = process.stderr,
): Logger {
  // A log that no one reads any more ends nothing: without this, a line that meets a closed pipe is an error that nothing
  // caught, which is logged.
  if (stream === process.stderr && !process.stderr.listeners('error').includes(ignore))
    process.stderr.on('error', ignore);
  return pino(
    {
      level,
      base: { part },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream.isTTY === true ? readable(stream) : stream,
  );
}

const ignore = (): void => undefined;

function readable(stream: { write(line: string): unknown }): { write(line: string): void } {
  // Most processes never need it.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  const colorize = !process.env['NO_COLOR'];
  const prettify = prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'part',
    messageFormat: '{part}: {msg}',
    singleLine: true,
  });
  return { write: (line) => void stream.write(prettify(line)) };
}
