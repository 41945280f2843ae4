/**
 * The log of rules and workers: plain fields and one sentence. Never secrets, tokens or links. A pino logger fits.
 */
export interface Log {
  /** Normal events: starts, ends, finished work. */
  info(fields: object, message: string): void;
  /** Failures that the service recovers from or retries by itself. */
  warn(fields: object, message: string): void;
  /** Failures that an operator has to look at. */
  error(fields: object, message: string): void;
}

/** The log with further fields in each line. */
export const withFields = (log: Log, fields: object): Log => ({
  info: (more, message) => log.info({ ...fields, ...more }, message),
  warn: (more, message) => log.warn({ ...fields, ...more }, message),
  error: (more, message) => log.error({ ...fields, ...more }, message),
});
