import type { ExitCode } from './exit.ts';

/** What every command shares: the signal of Ctrl-C, and where the exit code goes. */
export interface CommandContext {
  readonly signal: AbortSignal;
  finish(exitCode: ExitCode): void;
}
