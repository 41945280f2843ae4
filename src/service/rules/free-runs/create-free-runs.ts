import { setTimeout as sleep } from 'node:timers/promises';
import { openFile } from '../files/open-file.ts';
import { terminalJobStatuses } from '../jobs/stored-job.ts';
import { waitFor } from '../shared/wait-for.ts';
import { createAdmission } from './admission.ts';
import { createAllowances } from './allowances.ts';
import { createDriver } from './drive.ts';
import { createLinks, missingRun } from './links.ts';
import { FreeRunViews } from './views.ts';
import type { FreeRuns, FreeRunView } from './free-run-use-cases.ts';
import type { FreeRunsDeps } from './deps.ts';

/** The use cases of the free API. */
export function createFreeRuns(deps: FreeRunsDeps): FreeRuns {
  const { freeRuns, objects, changes, visitors } = deps;
  const views = new FreeRunViews(deps);
  const drive = createDriver(deps);
  const load = async (id: string): Promise<FreeRunView> => {
    const run = await freeRuns.get(id);
    if (run === null) throw missingRun(id);
    return views.view(run);
  };

  return {
    ...createAllowances(deps),
    ...createLinks(deps, views, drive),

    visitor: (account, address) => ({ account, subject: account?.id ?? visitors.subjectOf(address) }),

    admit: createAdmission(deps, drive),

    async follow(id, waitSeconds, until, signal) {
      const end = performance.now() + waitSeconds * 1000;
      const left = (): number => Math.max(0, end - performance.now());
      const over = new AbortController();
      const job = await Promise.race([
        drive(id),
        sleep(left(), id, { signal: AbortSignal.any([over.signal, signal]), ref: false }).catch(() => id),
      ]).finally(() => over.abort());
      const done = ({ run, job: current }: FreeRunView): boolean =>
        run.status === 'refused' ||
        run.status === 'waiting' ||
        (run.status === 'started' &&
          (until === 'started' || (current !== null && terminalJobStatuses.includes(current.status))));
      return waitFor(changes, job, () => load(job), done, left() / 1000, signal);
    },

    open: (file) => openFile(objects, file),

    finishOf: async (run) => (run.finishJobId === null ? null : views.view(run, run.finishJobId)),
  };
}
