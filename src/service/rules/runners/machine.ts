import type { Config } from '../settings/config.ts';
import type { FleetStore, RunIdentity, WorkerFacts } from '../fleet/fleet.ts';
import { poolWaitSeconds, readPools, toolsWithModels } from '../fleet/pools.ts';
import type { ClaimingRunner, Runner } from './runner-store.ts';

/** What a runner's process says of its machine when it asks for a job. */
export interface RunnerMachine extends RunIdentity, Pick<WorkerFacts, 'labels' | 'slots'> {
  /** Of the process: unique among the runner's. */
  readonly session: string;
  /** Number of its jobs, at least 0. */
  readonly running: number;
  /** Load of its cores in the last minute: 0 to 1, more when processes wait. */
  readonly load: number;
  /** What its machine lacks for all jobs, such as "disk". Default: nothing known */
  readonly unfit?: string | null;
  /** false: it asks to be seen in the fleet alone, while it pauses. Default: true */
  readonly takesJobs?: boolean;
}

/** Its id in the fleet, and that of the worker in the rows of its jobs. */
export const fleetIdOf = (runnerId: string, session: string): string => `runner/${runnerId}/${session}`;

/** Which runner that is; null: a worker. */
export const runnerIdIn = (workerId: string): string | null => {
  const [kind, runnerId = ''] = workerId.split('/');
  return kind === 'runner' ? runnerId : null;
};

/** Runners as machines of the fleet: in its list, and when jobs are left to the machines that suit them. */
export class RunnerMachines {
  private readonly fleet: FleetStore;
  private readonly pools: ReturnType<typeof readPools>;

  constructor(fleet: FleetStore, config: Pick<Config, 'pools'>) {
    this.fleet = fleet;
    this.pools = readPools(config.pools);
  }

  /** null: the operator drains or has evicted it, it gets no jobs. */
  async claimingFor(runner: Runner, machine: RunnerMachine): Promise<ClaimingRunner | null> {
    const { draining, evicted } = await this.beat(runner, machine);
    if (draining || evicted) return null;
    const { session, version, labels, models } = machine;
    return {
      workerId: fleetIdOf(runner.id, session),
      version,
      labels,
      models,
      pools: this.pools,
      modelTools: toolsWithModels,
      waitSeconds: poolWaitSeconds,
    };
  }

  /** It has one job more, and soon has copies of its inputs: jobs with the same ones prefer it. */
  async began(runner: Runner, machine: RunnerMachine, fileIds: readonly string[]): Promise<void> {
    await this.beat(runner, { ...machine, running: machine.running + 1 });
    await this.fleet.noteHeld(fleetIdOf(runner.id, machine.session), fileIds);
  }

  private async beat(runner: Runner, machine: RunnerMachine) {
    const { session, running, load, unfit = null, takesJobs: _, ...facts } = machine;
    // It has no connection to the database, and its name is the operator's, not its own word.
    return await this.fleet.beat(
      { ...facts, id: fleetIdOf(runner.id, session), host: runner.name, roles: ['worker', 'runner'], connections: 0 },
      { running, load, unfit },
    );
  }

  async leave(runner: Runner, session: string): Promise<void> {
    await this.fleet.leave(fleetIdOf(runner.id, session));
  }
}

/** A runner that took so many jobs in a row and never ended them gets one at a time, and only now and then. */
const manyUnfinished = 3;
const longestPauseMinutes = 32;

/** Others wait for a job that such a runner holds until its lease passes. One that it ends makes up for them. */
export function mayTakeMore({ unfinished, unfinishedAt }: Runner, running: number, now: Date): boolean {
  if (unfinished < manyUnfinished || unfinishedAt === null) return true;
  const pauseMinutes = Math.min(longestPauseMinutes, 2 ** (unfinished - manyUnfinished));
  return running === 0 && now.getTime() >= unfinishedAt.getTime() + pauseMinutes * 60_000;
}
