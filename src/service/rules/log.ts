/**
 * What rules and workers write to the log: plain fields and one sentence. Never secrets, tokens or links. A pino logger
 * fits.
 */
export interface Log {
  /** What happened as it should: starts, ends, finished work. */
  info(fields: object, message: string): void;
  /** What went wrong and is mended or tried again by itself. */
  warn(fields: object, message: string): void;
  /** What somebody has to look at. */
  error(fields: object, message: string): void;
}
