import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Log } from '../../../rules/shared/log.ts';
import type { Address } from './embedded-access.ts';
import type { Programs, ServerUser } from './embedded-install.ts';

/** How to start, reach, control and guard a server: one implementation for sockets, one for Windows. */
export interface ServerWays {
  /** The address of a running server on this data folder; null: none. */
  running(): Promise<Address | null>;
  /** The address for a new server. */
  fresh(): Promise<Address>;
  /** Keeps the server alive. Called before looking for one, so that it does not end in between. */
  hold(log: Log): Promise<Lifeline | null>;
  /** @throws EarshotError internal_error when the program cannot be run */
  start(address: Address, settings: Readonly<Record<string, string>>): Promise<Server>;
  /** Reloads its access rules. */
  reload(pid: number): Promise<void>;
  /** Stops it. 'fast': rolls back open transactions; 'immediate': like a crash, the next start recovers. */
  stop(pid: number, how: 'fast' | 'immediate'): Promise<void>;
}

/** A server that was just started. */
export interface Server {
  /** Process id of the postmaster; 0: none. */
  readonly pid: number;
  readonly exited: Promise<void>;
  /** Its output before it opens its own log. */
  readonly startupLog: string;
  /** Output of the program that started it. */
  readonly said: string;
}

/** Keeps a server alive while this process runs. */
export interface Lifeline {
  /**
   * A process with this descriptor open keeps the server alive: for child processes that outlive this one. null: not
   * supported.
   */
  readonly fd: number | null;
  /** Was there already a guard? Then it does not end the server before this is released. */
  readonly isGuarded: boolean;
  /**
   * Starts the guard, which ends the server with its last user.
   * @param exited resolves when the server exits, if this process started it
   */
  guard(pid: number, exited?: Promise<void>): Promise<void>;
  /** Joins the guard of the process that has just started the server. */
  joinGuard(pid: number): Promise<void>;
  /** This process no longer needs the server. */
  release(): void;
}

/** The facts that both implementations need. */
export interface Place {
  /** Absolute. */
  readonly dataDir: string;
  readonly programs: Programs;
  readonly user: ServerUser;
}

export const cannotRun = (program: string, user: ServerUser, cause: Error): EarshotError =>
  new EarshotError('internal_error', `Cannot run ${program}: ${cause.message}`, {
    cause,
    nextAction:
      user === null
        ? 'Install Earshot again.'
        : `The user ${user.name} must be able to enter every folder above it; install Earshot elsewhere, ` +
          'or start it as an ordinary user.',
  });

export function signalServer(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already exited.
  }
}
