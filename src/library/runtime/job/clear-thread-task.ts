import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from '../../core/machine/collect-garbage.ts';
import type { FanOutTask } from '../../core/machine/fan-out.ts';
import { closeKeptSessions } from '../../models/sessions.ts';

export interface ClearItem {
  /** One int32: how many threads have started. */
  readonly arrived: SharedArrayBuffer;
  readonly threads: number;
}

/** Runs once on each thread: a thread that has started waits for the others, so that none runs two of these. */
export async function clearThread({ item: { arrived, threads } }: FanOutTask<ClearItem>): Promise<void> {
  const count = new Int32Array(arrived);
  Atomics.add(count, 0, 1);
  await closeKeptSessions();
  collectGarbage();
  while (Atomics.load(count, 0) < threads) await sleep(1);
}
