// Takes back the real-time scheduling that a library has asked for.
import { processesIfAny } from './processes.ts';

/**
 * Calls something whose threads, and the calling one, are scheduled as usual afterwards: in real time they keep every
 * other program from their cores, and what they start inherits that. Threads that were so before stay so.
 */
export function atUsualPriority<Answer>(open: () => Answer): Answer {
  const processes = processesIfAny();
  if (processes === null) return open();
  const { realTimeThreads, endRealTime } = processes;
  const before = new Set(realTimeThreads());
  try {
    return open();
  } finally {
    for (const thread of realTimeThreads()) if (!before.has(thread)) endRealTime(thread);
  }
}
