import { pino, type Logger } from 'pino';
import type { Config } from '../service/config.ts';

/** JSON lines on standard error, which leaves standard output to people. */
export function createLog(level: Config['logLevel'], part: 'launcher' | 'api' | 'worker'): Logger {
  return pino(
    {
      level,
      base: { part },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    process.stderr,
  );
}
