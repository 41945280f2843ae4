import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../settings/config.ts';
import type { LegacyTasks } from '../legacy-jobs/tasks.ts';
import type { ClaimingWorker, Heartbeat } from '../fleet/fleet.ts';
import type { FileTaskHandlers } from '../files/tasks/deps.ts';
import { type Leadership, leadsAlone } from '../fleet/leadership.ts';
import type { Log } from '../shared/log.ts';
import type { MediaWork } from '../../../library/contract/media-work.ts';
import type { StoredJob } from '../jobs/stored-job.ts';
import type { FileStore } from '../files/file-store.ts';
import type { SaidSentences } from '../jobs/said-sentences.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { QueueHandler } from '../shared/queue-handler.ts';
import type { WorkQueue } from './work-queue.ts';
import type { FactsByTool } from '../tools/tool-facts.ts';
import { type AttemptDeps, type AttemptEnd, runAttempt, type Unfit } from './attempt.ts';
import { createCancelWatch } from './cancel-watch.ts';
import { retryWithBackoff } from './retry-with-backoff.ts';
import { repeat, repeatLeading, type Periodic, type Round } from './periodic.ts';
import { Fitness } from './fitness.ts';
import { createDiskRoom, type DiskRoom, noRoomPauseSeconds } from './output-estimate.ts';
import { progressTimes, type ProgressTimes } from './progress-writer.ts';
import { createRunFolders } from './run-folders.ts';
import { createTurns } from './turns.ts';
import type { VoicesOfJobs } from '../voices/voices.ts';
import type { WebhookDelivering } from '../webhooks/deliver.ts';

export interface WorkerDeps {
  readonly stores: {
    readonly jobs: JobStore;
    readonly files: FileStore;
    /** Of accounts whose jobs ask for them. Default: none are known */
    readonly voices?: VoicesOfJobs;
    /** Default: nothing is said before a job's end. */
    readonly said?: Pick<SaidSentences, 'say'>;
  };
  readonly queue: WorkQueue;
  readonly heartbeat: Heartbeat;
  /** Its name in the jobs that it runs, and in the fleet. Default: host, process and a random part */
  readonly workerId?: string;
  readonly objects: ObjectStore;
  readonly media: MediaWork;
  readonly tools: FactsByTool;
  readonly files: FileTaskHandlers;
  /** Makes prints of voices. Default: none are made */
  readonly makeVoice?: QueueHandler;
  /** Default: none. */
  readonly legacy?: LegacyTasks;
  /** Handles the answers of runners. Default: none. */
  readonly acceptance?: QueueHandler;
  /**
   * Further periodic work of the leader, by name, at the start and every minute: lost tasks, outdated rows.
   */
  readonly housekeeping?: Readonly<Record<string, Round>>;
  /** Who does the housekeeping of the fleet; asked before each round. Default: always this worker */
  readonly leadership?: Leadership;
  readonly config: Pick<
    Config,
    | 'data'
    | 'jobSlots'
    | 'takeJobs'
    | 'jobAttempts'
    | 'accountRunningJobs'
    | 'freeSlots'
    | 'paidSlots'
    | 'jobSeconds'
    | 'jobTimeFactor'
    | 'graceSeconds'
    | 'retentionSeconds'
    | 'freeRetentionSeconds'
  >;
  readonly log: Log;
  /** For jobs that suit this machine. Default: it takes any */
  readonly claiming?: ClaimingWorker | null;
  /** Do outputs go to another machine? Then the next job runs while they are sent. Default: false */
  readonly storesElsewhere?: boolean;
  /** Sends webhooks, in the worker that leads. Default: none are sent */
  readonly webhooks?: WebhookDelivering;
  /** Fetches inputs of jobs that wait while all slots are busy. Default: none are fetched ahead */
  readonly ahead?: () => Promise<unknown>;
  /** Called with the files that this machine has copies of. Default: no one is told */
  readonly onHeld?: (fileIds: readonly string[]) => void;
  /** Whether this machine can run jobs. Default: without a probe, and no one else asks */
  readonly fitness?: Fitness;
  /** Called when too many jobs in a row failed because of this machine: the process should end. */
  readonly onHopeless?: (lacks: string) => void;
  /** Default: of the disk with the data. */
  readonly disk?: DiskRoom;
  /** Default: this machine's clock. */
  readonly now?: () => Date;
  /** For tests. */
  readonly times?: Partial<WorkerTimes>;
}

interface WorkerTimes extends ProgressTimes {
  readonly betweenRoundsMs: number;
  readonly betweenAheadMs: number;
  readonly betweenWebhooksMs: number;
  /** How often a paused machine looks whether it may try itself again. */
  readonly betweenProbesMs: number;
  /** Pause before a job that could not be run here is started again. */
  readonly afterBrokenMs: number;
  /** The same after an outage of the store. */
  readonly afterOutageMs: number;
}

const usualTimes: WorkerTimes = {
  ...progressTimes,
  betweenRoundsMs: 60_000,
  betweenAheadMs: 2000,
  betweenWebhooksMs: 1000,
  betweenProbesMs: 1000,
  afterBrokenMs: 1000,
  afterOutageMs: 5000,
};

/**
 * Slots per kind of task, so that long jobs do not delay the checks of uploads. The engine runs two checks at a time;
 * the 32 slots let accounts, which run one check each, take turns. Imports and deliveries mostly wait for the network.
 */
const taskSlots = { check: 32, import: 4, peaks: 1, voice: 1, order: 1, deliver: 4, accept: 4 } as const;

export interface Worker {
  /** Begins to take tasks. */
  start(): Promise<void>;
  /**
   * Takes no more tasks, waits the grace time for running jobs, requeues the rest, and resolves when all have ended.
   */
  stop(): Promise<void>;
}

/** Unique among all workers, past ones included. */
export const newWorkerId = (): string => `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;

/** Starts attempts until one is settled; the store fails the job after too many. */
async function runFrom(
  { stores, config, log, storesElsewhere = false }: WorkerDeps,
  attemptDeps: AttemptDeps & { readonly workerId: string; readonly times: WorkerTimes } & FitnessDeps,
  { attempt, id }: { readonly attempt: number; readonly id: string },
  shutdown: AbortSignal,
  free?: () => void,
): Promise<void> {
  const { workerId, times, fitness } = attemptDeps;
  let last = attempt;
  for (;;) {
    const job = await stores.jobs.start(id, workerId, config.jobAttempts, last);
    if (job === null) return;
    last = job.attempt;
    const end: AttemptEnd = await runAttempt(attemptDeps, job, shutdown, storesElsewhere ? free : undefined);
    if (end === 'ended') {
      fitness.succeeded();
      return;
    }
    if (typeof end === 'object') return await passOn(stores.jobs, attemptDeps, job, end);
    const pauseMs = end === 'later' ? times.afterBrokenMs : end === 'outage' ? times.afterOutageMs : 0;
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: shutdown }).catch(() => undefined);
    // After an outage it goes to whichever machine reaches the store.
    if (shutdown.aborted || end === 'outage') {
      const isBack = await retryWithBackoff(
        () => stores.jobs.requeue(id, job.attempt),
        (thrown) => log.warn({ err: thrown, jobId: id }, 'Could not requeue a job; retrying'),
      );
      if (!isBack) log.warn({ jobId: id }, 'A job has ended or was taken over by another worker');
      return;
    }
  }
}

/** The rounds are short and many: their ends are not logged. */
function webhookRounds({ webhooks, log }: WorkerDeps, leadership: Leadership, everyMs: number): readonly Periodic[] {
  if (webhooks === undefined) return [];
  const round = async (): Promise<void> => {
    const stillLeads = await leadership.lead();
    if (stillLeads !== null) await webhooks.round(stillLeads);
  };
  return [repeat('webhooks', everyMs, round, log)];
}

interface FitnessDeps {
  readonly fitness: Fitness;
  readonly onHopeless: WorkerDeps['onHopeless'];
}

/**
 * Gives a job to another machine. Does this one lack it for all jobs, it takes none for a while; one huge job, or one
 * that needs a model, says nothing about others.
 */
async function passOn(
  jobs: JobStore,
  { log, fitness, disk, onHopeless }: Pick<AttemptDeps, 'log' | 'disk'> & FitnessDeps,
  { id, attempt }: Pick<StoredJob, 'id' | 'attempt'>,
  { lacks, error }: Unfit,
): Promise<void> {
  const isForAll = lacks === 'disk' ? !(await disk.hasRoom().catch(() => false)) : lacks !== 'tool';
  if (isForAll) fitness.failed(lacks, log);
  const isBack = await retryWithBackoff(
    () => jobs.passOn(id, attempt, isForAll ? null : error, isForAll ? 0 : noRoomPauseSeconds),
    (thrown) => log.warn({ err: thrown, jobId: id }, 'Could not requeue a job; retrying'),
  );
  if (!isBack) log.warn({ jobId: id }, 'A job has ended or was taken over by another worker');
  if (fitness.isHopeless) onHopeless?.(lacks);
}

/** Takes the tasks that need no turns. */
async function workOthers({ queue, files, makeVoice, legacy, acceptance }: WorkerDeps): Promise<void> {
  await queue.work('peaks', taskSlots.peaks, (id, signal) => files.makePeaks(id, signal));
  if (makeVoice !== undefined) await queue.work('voice', taskSlots.voice, makeVoice, { perOwner: 1 });
  if (legacy !== undefined) {
    await queue.work('order', taskSlots.order, legacy.order);
    await queue.work('deliver', taskSlots.deliver, legacy.deliver);
  }
  if (acceptance !== undefined) await queue.work('accept', taskSlots.accept, acceptance);
}

/** Runs all queued tasks (jobs, checks, imports, peaks) and the periodic work. */
export function createWorker(deps: WorkerDeps): Worker {
  const { stores, queue, objects, media, files, config, log } = deps;
  const times = { ...usualTimes, ...deps.times };
  const workerId = deps.workerId ?? newWorkerId();
  const folders = createRunFolders(join(config.data, 'work'), config.jobSeconds);
  const disk = deps.disk ?? createDiskRoom(config.data);
  const cancels = createCancelWatch(deps.heartbeat, log);
  const turns = createTurns();
  const fitness = deps.fitness ?? new Fitness();
  const attemptDeps = {
    workerId,
    jobs: stores.jobs,
    heartbeat: deps.heartbeat,
    files: stores.files,
    voices: stores.voices,
    said: stores.said,
    objects,
    media,
    tools: deps.tools,
    folders,
    disk,
    fitness,
    onHopeless: deps.onHopeless,
    cancels,
    config,
    log,
    times,
    now: deps.now ?? (() => new Date()),
    onHeld: deps.onHeld ?? (() => undefined),
  };
  let periodic: readonly Periodic[] = [];
  const prove = async (): Promise<void> => {
    const wasHopeless = fitness.isHopeless;
    await fitness.prove(log);
    if (fitness.isHopeless && !wasHopeless) deps.onHopeless?.(fitness.reason ?? 'something');
  };

  /** Waits for the job's turn, then runs it. */
  const runJob: QueueHandler = async (id, shutdown, free) => {
    const turn = await stores.jobs.turn(id, workerId);
    if (turn === null) return;
    if (turn.death !== null)
      log.warn(
        { jobId: id, lost: turn.death.workerId, reason: turn.death.reason, beside: turn.death.shared },
        'The worker of a job is lost; the attempt does not count',
      );
    if (turn.alone) log.info({ jobId: id }, 'Several workers died while this job was running: now it runs alone');
    const endTurn = await turns.take(turn.alone, shutdown);
    try {
      await runFrom(deps, attemptDeps, { attempt: turn.attempt, id }, shutdown, free);
    } finally {
      endTurn();
    }
  };

  return {
    async start() {
      await folders.removeLeftovers();
      await queue.work('check', taskSlots.check, (id, signal) => files.checkFile(id, signal));
      await queue.work('import', taskSlots.import, (id, signal) => files.importFile(id, signal), {
        // Also in other workers.
        perOwner: 1,
      });
      if (config.takeJobs) {
        await prove();
        await queue.work('job', config.jobSlots, runJob, {
          perOwner: config.accountRunningJobs,
          freeSlots: config.freeSlots,
          paidSlots: config.paidSlots,
          worker: deps.claiming ?? null,
          mayTake: () => fitness.mayTake(),
        });
      }
      await workOthers(deps);
      const leadership = deps.leadership ?? leadsAlone;
      const ofLeader: Readonly<Record<string, Round>> = {
        sweep: (stillLeads) => files.sweep(stillLeads),
        ...deps.housekeeping,
      };
      periodic = [
        ...Object.entries(ofLeader).map(([name, round]) =>
          repeatLeading(name, times.betweenRoundsMs, { leadership, round, log }),
        ),
        ...(deps.ahead === undefined ? [] : [repeat('inputs ahead', times.betweenAheadMs, deps.ahead, log)]),
        ...webhookRounds(deps, leadership, times.betweenWebhooksMs),
        ...(config.takeJobs ? [repeat('probe', times.betweenProbesMs, prove, log)] : []),
        repeat('sweep here', times.betweenRoundsMs, () => files.sweepHere(), log),
      ];
      log.info({ workerId, jobSlots: config.jobSlots }, 'The worker takes jobs');
    },
    async stop() {
      deps.webhooks?.stop();
      await Promise.all([...periodic.map((each) => each.stop()), queue.stop(config.graceSeconds * 1000)]);
      log.info({ workerId }, 'The worker has stopped');
    },
  };
}
