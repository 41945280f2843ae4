// Job processes that have done their run and may do another of the same owner: starting one is most of what a short run costs,
// and model weights stay loaded.
import { usedBytes } from './process-tree.ts';
import { type JobProcess } from './spawn.ts';
import { removeWorkFolder } from './work-folder.ts';

export interface KeptProcess {
  readonly process: JobProcess;
  /** The folder that it is bound to; null: to none. */
  readonly folder: string | null;
  /** Whose files it has seen. */
  readonly owner: string;
  /** What it was started with, see `KeptProcesses.take`. */
  readonly setting: string;
  /** That it has done. */
  readonly runs: number;
  /** The tool of the last one. */
  readonly toolId: string;
}

export interface KeptOptions {
  /** After so many runs a process ends. */
  readonly mostRuns: number;
  /** So many wait at the same time; the one that has waited longest ends for one more. */
  readonly mostKept: number;
  /** One that is larger after its run ends. */
  readonly mostBytes: number;
}

export interface KeptProcesses {
  /**
   * The process that fits best: one that has run the same tool has its models loaded.
   * @param setting everything about its start that a run may rely on, as one text: a process that was started otherwise is
   *   not taken
   */
  take(owner: string, setting: string, toolId: string): KeptProcess | null;
  /** Lets a process wait for its next run, or ends it. */
  keep(process: KeptProcess): void;
  /** Ends a process and removes its folder. */
  drop(process: Pick<KeptProcess, 'process' | 'folder'>): Promise<void>;
  close(): Promise<void>;
}

/** How long a process waits for its next run. */
const idleMilliseconds = 30_000;

export function createKeptProcesses({ mostRuns, mostKept, mostBytes }: KeptOptions): KeptProcesses {
  /** Those that have waited longest come first. */
  const waiting = new Map<KeptProcess, NodeJS.Timeout>();
  let isClosed = false;

  const remove = (one: KeptProcess): void => {
    clearTimeout(waiting.get(one));
    waiting.delete(one);
  };
  const drop: KeptProcesses['drop'] = async ({ process, folder }) => {
    // Held, or a host with nothing else to do would end in the middle of this wait.
    process.setHeld(true);
    process.kill();
    await process.exit;
    if (folder !== null) await removeWorkFolder(folder).catch(() => undefined);
  };
  const retire = (one: KeptProcess): Promise<void> => {
    remove(one);
    return drop(one);
  };
  const isTooLarge = ({ process }: KeptProcess): boolean =>
    process.pid !== undefined && (usedBytes(process.pid) ?? process.reportedBytes() ?? 0) > mostBytes;

  return {
    take(owner, setting, toolId) {
      const fitting = [...waiting.keys()].filter(
        (one) => !one.process.ended && one.owner === owner && one.setting === setting,
      );
      const best = fitting.find((one) => one.toolId === toolId) ?? fitting.at(-1) ?? null;
      if (best) remove(best);
      return best;
    },
    keep(one) {
      if (isClosed || one.process.ended || one.runs >= mostRuns || isTooLarge(one)) {
        void drop(one);
        return;
      }
      one.process.setHeld(false);
      waiting.set(one, setTimeout(() => void retire(one), idleMilliseconds).unref());
      // One that dies while it waits leaves its folder.
      void one.process.exit.then(() => (waiting.has(one) ? retire(one) : undefined));
      const [oldest] = waiting.keys();
      if (waiting.size > mostKept && oldest) void retire(oldest);
    },
    drop,
    async close() {
      isClosed = true;
      await Promise.all([...waiting.keys()].map(retire));
    },
  };
}
