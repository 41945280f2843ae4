import type { QueueHandler } from '../../shared/queue-handler.ts';

/**
 * Runs one task at a time for each owner. A task that has to wait frees its slot in the worker and is run by the task
 * before it; if that process dies, the queue's reconciler finds it again.
 * @param onLeft number of tasks that were waiting behind an aborted one
 */
export function createOwnerQueues(
  onLeft: (waiting: number) => void,
): (owner: string, id: string, signal: AbortSignal, work: QueueHandler) => Promise<void> {
  /** By owner: the running task and those waiting behind it, in order. */
  const queues = new Map<string, string[]>();
  return async (owner, id, signal, work) => {
    const queue = queues.get(owner);
    if (queue !== undefined) {
      if (!queue.includes(id)) queue.push(id);
      return;
    }
    const mine = [id];
    queues.set(owner, mine);
    try {
      for (let next = mine[0]; next !== undefined && !signal.aborted; next = mine[0]) {
        await work(next, signal);
        mine.shift();
      }
    } finally {
      queues.delete(owner);
      if (mine.length > 1) onLeft(mine.length - 1);
    }
  };
}
