// What an engine tells of its runs: to listeners of all runs, and to the loop that follows one.
import { isAbortError } from '../../core/abort.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { OnProgress, Progress } from '../../core/progress/progress.ts';
import type { EngineEvents, RunState } from './engine-types.ts';

type Listener<Name extends keyof EngineEvents> = (event: EngineEvents[Name]) => void;

/** Tells one run's turns to the engine's listeners. */
export interface RunTeller {
  started(): void;
  ended(run: Promise<{ readonly processedSeconds: number }>): void;
  warning(warning: EngineEvents['warning']['warning']): void;
}

const secondsSince = (start: number): number => Math.round(performance.now() - start) / 1000;

/** The listeners of an engine. */
export class RunEvents {
  private readonly listeners: { readonly [Name in keyof EngineEvents]: Set<Listener<Name>> } = {
    run: new Set(),
    warning: new Set(),
  };
  private runs = 0;

  readonly on = <Name extends keyof EngineEvents>(name: Name, listener: Listener<Name>): (() => void) => {
    const listeners: Set<Listener<Name>> | undefined = this.listeners[name];
    if (listeners === undefined)
      throw new EarshotError('bad_request', `Expected the event run or warning but received ${name}`);
    // Given twice, it is two listeners, as everywhere in Node.
    const own: Listener<Name> = (event) => listener(event);
    listeners.add(own);
    return () => void listeners.delete(own);
  };

  /** Says that a run waits for its turn. */
  queued(tool: string): RunTeller {
    this.runs += 1;
    const of = { runId: this.runs, tool };
    const begun = performance.now();
    const say = (state: RunState): void => this.emit('run', { ...of, ...state });
    say({ state: 'queued' });
    return {
      started: () => say({ state: 'started', waitedSeconds: secondsSince(begun) }),
      warning: (warning) => this.emit('warning', { ...of, warning }),
      ended: (run) =>
        void run.then(
          ({ processedSeconds }) => say({ state: 'succeeded', seconds: secondsSince(begun), processedSeconds }),
          (thrown: unknown) =>
            say(
              isAbortError(thrown)
                ? { state: 'aborted', seconds: secondsSince(begun) }
                : { state: 'failed', seconds: secondsSince(begun), error: EarshotError.from(thrown) },
            ),
        ),
    };
  }

  private emit<Name extends keyof EngineEvents>(name: Name, event: EngineEvents[Name]): void {
    for (const listener of this.listeners[name]) {
      try {
        listener(event);
      } catch (thrown) {
        // As an uncaught exception, whose place Node shows: no run fails for a listener that watches.
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }
}

/** The progress of one run as a loop reads it: always the newest, so that a slow reader holds nothing up. */
export class ProgressFeed {
  private newest: Progress | null = null;
  private count = 0;
  private wake = (): void => undefined;
  private changed = new Promise<void>((resolve) => (this.wake = resolve));
  private readonly onProgress: OnProgress | undefined;

  constructor(onProgress: OnProgress | undefined) {
    this.onProgress = onProgress;
  }

  readonly report: OnProgress = (progress) => {
    this.newest = progress;
    this.count += 1;
    const { wake } = this;
    this.changed = new Promise((resolve) => (this.wake = resolve));
    wake();
    this.onProgress?.(progress);
  };

  /** Ends with the run, and throws what it throws; leaving the loop ends nothing. */
  async *until(run: Promise<unknown>): AsyncGenerator<Progress, void, void> {
    let [seen, over] = [0, false];
    const end = (): void => void (over = true);
    const ended = run.then(end, end);
    for (;;) {
      if (this.newest !== null && this.count > seen) {
        seen = this.count;
        yield this.newest;
      } else if (over) {
        await run;
        return;
      } else await Promise.race([ended, this.changed]);
    }
  }
}
