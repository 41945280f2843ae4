import type { JobClass } from '../../rules/fleet/job-classes.ts';
import type { TaskKind } from './boss.ts';
import type { Claim } from './leases.ts';

/** Handles tasks of one kind. */
export interface Slots {
  /** Looks into the queue, unless all slots are busy. */
  poll(): void;
  /** Number of running tasks. */
  readonly running: number;
  /** Resolves when no task is running; call once no more are taken. */
  drained(): Promise<void>;
}

export interface SlotOptions {
  readonly kind: TaskKind;
  /** Most tasks at a time. */
  readonly slots: number;
  /** false once no more tasks may be taken. */
  mayTake(): boolean;
  /** Takes up to so many tasks from the queue, beside those that run in slots. */
  claim(most: number, running: Readonly<Record<JobClass, number>>): Promise<readonly Claim[]>;
  /**
   * Runs one task to its end. Never rejects.
   * @param free gives its slot to another task; at most as many tasks as there are slots end without one
   */
  run(claim: Claim, free: () => void): Promise<void>;
  onError(thrown: unknown): void;
}

/**
 * Only some of many free slots are filled at once; the rest is left to other machines, which poll at the same moment.
 */
const atOnce = (free: number): number => Math.ceil(free / 8);

/**
 * Handles up to `slots` tasks of a kind at a time. Polls the queue when told to, and again while it finds tasks; so an
 * idle queue costs one query, and a task two.
 */
export function openSlots({ slots, mayTake, claim, run, onError }: SlotOptions): Slots {
  let running = 0;
  const byClass = { paid: 0, free: 0 };
  /** Tasks without a slot that have not ended. */
  let finishing = 0;
  let isLooking = false;
  /** Told to poll during a poll, or tasks were left in the queue because all slots were busy. */
  let lookAgain = false;
  const onDrained: (() => void)[] = [];

  const ended = (jobClass: JobClass): void => {
    running -= 1;
    byClass[jobClass] -= 1;
    if (lookAgain && mayTake()) look();
    settle();
  };
  /** Runs a task, which may give its slot to the next one before its own end. */
  const begin = async (task: Claim): Promise<void> => {
    running += 1;
    byClass[task.jobClass] += 1;
    let hasSlot = true;
    const free = (): void => {
      if (!hasSlot || finishing >= slots) return;
      hasSlot = false;
      finishing += 1;
      ended(task.jobClass);
    };
    await run(task, free);
    if (hasSlot) return ended(task.jobClass);
    finishing -= 1;
    settle();
  };
  const settle = (): void => {
    if (running > 0 || finishing > 0 || isLooking) return;
    for (const resolve of onDrained.splice(0)) resolve();
  };
  const hasRoom = (): boolean => mayTake() && running < slots;
  const fill = async (): Promise<void> => {
    while (hasRoom()) {
      lookAgain = false;
      const claims = await claim(atOnce(slots - running), byClass);
      for (const each of claims) void begin(each);
      if (claims.length === 0 && !lookAgain) return;
    }
    // All slots are busy: more may wait.
    lookAgain = true;
  };
  const look = (): void => {
    if (isLooking) {
      lookAgain = true;
      return;
    }
    isLooking = true;
    void fill()
      .catch(onError)
      .finally(() => {
        isLooking = false;
        // Told to poll after the last poll had returned.
        if (lookAgain && running < slots && mayTake()) look();
        else settle();
      });
  };

  return {
    poll() {
      if (mayTake()) look();
    },
    get running() {
      return running;
    },
    drained: () =>
      running === 0 && finishing === 0 && !isLooking
        ? Promise.resolve()
        : new Promise((resolve) => onDrained.push(resolve)),
  };
}
