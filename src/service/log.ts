/**
 * What rules and workers write to the log: plain fields and one sentence. Never secrets, tokens or links. A pino logger
 * fits.
 */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
