import type { QueueHandler } from '../../ports.ts';

/**
 * One task at a time for each owner. One that has to wait gives its place in the worker back and is done by the task that
 * it waits for; if that task's process dies, the queue's reconciler finds it again.
 * @param onLeft tasks that waited behind one that was cut off
 */
export function createOwnerQueues(
  onLeft: (waiting: number) => void,
): (owner: string, id: string, signal: AbortSignal, work: QueueHandler) => Promise<void> {
  /** What runs here for each owner, and what waits behind it, in order. */
  const lines = new Map<string, string[]>();
  return async (owner, id, signal, work) => {
    const line = lines.get(owner);
    if (line !== undefined) {
      if (!line.includes(id)) line.push(id);
      return;
    }
    const mine = [id];
    lines.set(owner, mine);
    try {
      for (let next = mine[0]; next !== undefined && !signal.aborted; next = mine[0]) {
        await work(next, signal);
        mine.shift();
      }
    } finally {
      lines.delete(owner);
      if (mine.length > 1) onLeft(mine.length - 1);
    }
  };
}
