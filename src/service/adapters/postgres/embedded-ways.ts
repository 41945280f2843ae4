import { EarshotError } from '../../../library/core/errors.ts';
import type { Log } from '../../rules/log.ts';
import type { Address } from './embedded-access.ts';
import type { Programs, ServerUser } from './embedded-install.ts';

/** How a server is started, reached, told something and watched over: systems do it in two ways. */
export interface ServerWays {
  /** Where a server of this data would be reached that runs already; null: none does. */
  running(): Promise<Address | null>;
  /** Where one will be that is about to start. */
  fresh(): Promise<Address>;
  /** Takes part in keeping it alive, from before it is looked for, so that nothing ends it between finding and using it. */
  hold(log: Log): Promise<Lifeline | null>;
  /** @throws EarshotError internal_error when the program cannot be run */
  start(address: Address, settings: Readonly<Record<string, string>>): Promise<Server>;
  /** Makes it read its rules again. */
  reload(pid: number): Promise<void>;
  /** Asks it to end. 'fast': open transactions are rolled back; 'immediate': as a crash, the next start recovers. */
  stop(pid: number, how: 'fast' | 'immediate'): Promise<void>;
}

/** A server that was just started. */
export interface Server {
  /** Of the postmaster; 0: there is none. */
  readonly pid: number;
  readonly exited: Promise<void>;
  /** What it says until it has a log of its own. */
  readonly startupLog: string;
  /** What the program said that started it. */
  readonly said: string;
}

/** One process's part in keeping a server alive. */
export interface Lifeline {
  /**
   * A process that has it open keeps the server alive: for child processes that work on after this one. null: there are
   * none such.
   */
  readonly fd: number | null;
  /** A guard was waiting at that moment: it ends nothing before this lets go. */
  readonly isGuarded: boolean;
  /**
   * Sets the guard over a server, which ends it with its last user.
   * @param exited of a server that this process started
   */
  guard(pid: number, exited?: Promise<void>): Promise<void>;
  /** Takes part in the guard that the process sets which has just started the server. */
  joinGuard(pid: number): Promise<void>;
  /** Lets go. */
  release(): void;
}

/** What the ways need to know of a server. */
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
    // It has ended meanwhile.
  }
}
