import type { Log } from '../../../../src/service/rules/shared/log.ts';

export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

/** Keeps what was logged; `info` apart from what went wrong. */
export function createLog(): Log & { readonly entries: LogEntry[]; readonly infos: LogEntry[] } {
  const entries: LogEntry[] = [];
  const infos: LogEntry[] = [];
  const write =
    (level: LogEntry['level'], into: LogEntry[]) =>
    (fields: object, message: string): void => {
      into.push({ level, fields: { ...fields }, message });
    };
  return { entries, infos, info: write('info', infos), warn: write('warn', entries), error: write('error', entries) };
}
