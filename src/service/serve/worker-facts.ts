import { readFileSync } from 'node:fs';
import { hostname, loadavg } from 'node:os';
import { packagePath } from '../../library/core/running-files.ts';
import { installedModelIds } from '../../library/runtime/engine/installed-models.ts';
import { furtherConnections } from '../adapters/postgres/database/database.ts';
import type { Config } from '../rules/settings/config.ts';
import type { ClaimingWorker, FleetRole, WorkerFacts } from '../rules/fleet/fleet.ts';
import { poolWaitSeconds, readPools, toolsWithModels } from '../rules/fleet/pools.ts';
import { newWorkerId } from '../rules/worker/worker.ts';

/** Roles of processes with a database. */
export type OwnRole = Exclude<FleetRole, 'runner'>;

/**
 * Connections of a process besides those of `furtherConnections`. A worker has at most four in all, so that a database
 * of a hundred carries twenty machines without a pooler.
 */
export const connectionsOf: Readonly<Record<OwnRole, number>> = { api: 16, worker: 2 };

/** What this process registers in the fleet. */
export function workerFacts(
  role: OwnRole,
  config: Pick<Config, 'jobSlots' | 'takeJobs' | 'workerLabels' | 'modelsDir'>,
): WorkerFacts {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { readonly version: string };
  return {
    id: newWorkerId(),
    host: hostname(),
    version,
    roles: [role],
    labels: (config.workerLabels ?? '')
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
    // Other machines would leave jobs to free slots of one that takes none.
    slots: role === 'api' || !config.takeJobs ? 0 : config.jobSlots,
    connections: connectionsOf[role] + furtherConnections,
    build: `${version} ${process.platform}-${process.arch}`,
    models: installedModelIds(config.modelsDir ?? undefined),
  };
}

/** How this worker chooses among jobs; null: it takes any, as on one machine without pools. */
export function claimingFor(
  config: Pick<Config, 'databaseUrl' | 'pools'>,
  { version, labels, models }: WorkerFacts,
): ClaimingWorker | null {
  const pools = readPools(config.pools);
  if (config.databaseUrl === null && Object.keys(pools).length === 0) return null;
  return { version, labels, models, pools, modelTools: toolsWithModels, waitSeconds: poolWaitSeconds };
}

/** The database's clock as of the last beat, so that machines' clocks need not agree. */
export const databaseClock =
  ({ clockOffsetMs }: { clockOffsetMs(): number }): (() => Date) =>
  () =>
    new Date(Date.now() + clockOffsetMs());

/** Load of the cores: runnable processes per core in the last minute. 0 on Windows, which does not count them. */
export const busyPart = (cores: number): number => (loadavg()[0] ?? 0) / Math.max(1, cores);
