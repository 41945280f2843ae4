import type { ExitCode } from './exit.ts';

/** Shared by every command: the signal of Ctrl-C, and where the exit code goes. */
export interface CommandContext {
  readonly signal: AbortSignal;
  finish(exitCode: ExitCode): void;
}
