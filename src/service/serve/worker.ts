import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLinkSender } from '../adapters/links/link-sender.ts';
import { createLinkFetcher } from '../adapters/links/link-fetcher.ts';
import { createWebhookSender } from '../adapters/links/webhook-sender.ts';
import { createHeartbeat } from '../adapters/postgres/shared/heartbeat.ts';
import { tidyFleet } from '../adapters/postgres/fleet/fleet.ts';
import { reenqueueLost, removeStale } from '../adapters/postgres/housekeeping.ts';
import { tallyEndedJobs } from '../adapters/postgres/jobs/job-counts.ts';
import { shareTallies } from '../adapters/postgres/shared/tallies.ts';
import { createLeadership } from '../adapters/postgres/shared/leadership.ts';
import { createWorkQueue } from '../adapters/queue/work-queue.ts';
import type { MediaWork } from '../../library/contract/media-work.ts';
import { createMediaWork } from '../../library/runtime/engine/media-work.ts';
import { takeDelegated } from '../../library/runtime/confine/job-groups.ts';
import { tooSmallFor } from '../../library/contract/job-memory.ts';
import { AttemptCounts } from '../rules/jobs/attempt-counts.ts';
import { parseJobOptions } from '../offers/job-options.ts';
import type { Config } from '../rules/settings/config.ts';
import { createMakeVoice } from '../rules/voices/make-voice.ts';
import { createFileTasks } from '../rules/files/tasks/file-tasks.ts';
import { createOrder } from '../rules/jobs/order.ts';
import { createLegacyTasks } from '../rules/legacy-jobs/tasks.ts';
import { type Log, withFields } from '../rules/shared/log.ts';
import type { ObjectStore } from '../rules/files/object-store.ts';
import type { WorkQueue } from '../rules/worker/work-queue.ts';
import type { Refills } from '../rules/payments/payment-use-cases.ts';
import { createPayments } from '../rules/payments/payments.ts';
import { createPrices } from '../rules/tools/prices.ts';
import { createTokens } from '../rules/shared/tokens.ts';
import { createAcceptance } from '../rules/runners/accept.ts';
import { rotateKeys, rotateTokenKeys } from '../rules/shared/token-keys.ts';
import { accessTokenSeconds, makeSigningKey } from '../adapters/oauth/signing-keys.ts';
import { indexTools } from '../rules/tools/tool-facts.ts';
import { createInputsAhead } from '../rules/worker/inputs-ahead.ts';
import { Fitness } from '../rules/worker/fitness.ts';
import { createDiskRoom } from '../rules/worker/output-estimate.ts';
import { createProbe } from '../rules/worker/probe.ts';
import { createRunFolders } from '../rules/worker/run-folders.ts';
import { createMailEvents } from '../rules/webhooks/mail-event.ts';
import { tellOff } from '../rules/webhooks/tell-off.ts';
import { createWebhookDelivering } from '../rules/webhooks/deliver.ts';
import type { Round } from '../rules/worker/periodic.ts';
import { createWorker, type WorkerDeps } from '../rules/worker/worker.ts';
import { offeredTools } from '../offers/offers.ts';
import { type Backend, openBackend, processUrls } from './backend.ts';
import type { Mailer } from '../rules/mails/mailer.ts';
import { createMailer } from './mailer.ts';
import { createPaymentProvider } from './payment-provider.ts';
import { prepareFence } from './fence.ts';
import { createObjects, objectsFolder } from './objects.ts';
import type { RunningPart } from './running-part.ts';
import { tracesHere } from './tracing.ts';
import { busyPart, databaseClock, claimingFor, workerFacts } from './worker-facts.ts';

/** Longer than an update of all workers takes. */
const unsuitedSeconds = 15 * 60;

/** Events of accounts, to their servers and mailboxes. */
const webhooksOf = ({ stores }: Backend, config: Config, mailer: Mailer | null, log: Log, now: () => Date) =>
  createWebhookDelivering({
    webhooks: stores.webhooks,
    sender: createWebhookSender(),
    mail: createMailEvents({
      accounts: stores.accounts,
      orderedAt: async (id) => {
        const isChain = id.startsWith('chain_');
        const ordered = isChain ? (await stores.chains.get(id))?.chain : await stores.jobs.getSummary(id);
        return ordered?.createdAt ?? null;
      },
      mailer,
      baseUrl: baseUrlOf(config),
    }),
    log,
    now,
    onSwitchedOff: tellOff({ accounts: stores.accounts, mailer, baseUrl: baseUrlOf(config) }),
  });

/**
 * The supervisor: takes tasks from the queue and runs them in job processes.
 * @param onHopeless called when its machine could run none of several jobs in a row
 */
export async function startWorker(
  config: Config,
  databaseUrl: string,
  processLog: Log,
  onHopeless: (lacks: string) => void,
): Promise<RunningPart> {
  const facts = workerFacts('worker', config);
  const log = withFields(processLog, { worker: facts.id, host: facts.host });
  const backend = await openBackend(processUrls(databaseUrl, config), 'worker', log, facts);
  const { stores, database } = backend;
  const workDir = join(config.data, 'work');
  await mkdir(workDir, { recursive: true });
  const objects = await createObjects(config);
  await prepareFence(config, [workDir, objectsFolder(config)], log);
  sayTooSmall(config, log);
  const traces = await tracesHere('worker');
  const work = openMedia(config, workDir, log);
  const media = traces?.jobs.media(work) ?? work;
  const disk = createDiskRoom(config.data);
  const folders = createRunFolders(workDir, config.jobSeconds);
  const fitness = new Fitness({ probe: createProbe({ media, disk, folders }) });
  const heartbeat = createHeartbeat(database, facts, () => ({
    running: queue.busy(),
    load: busyPart(config.cores),
    unfit: fitness.reason,
  }));
  const queue = createWorkQueue(database, heartbeat);
  const now = databaseClock(heartbeat);
  const { files, legacyJobs } = stores;
  const counts = new AttemptCounts();
  const jobs = counts.of(stores.jobs);
  const sharing = shareTallies(database, facts.id, counts);
  const tools = indexTools(offeredTools);
  const order = createOrder({ jobs, files, tools, prices: createPrices(tools, config.prices), config, now });
  const mailer = createMailer(config);
  const refills = await refillsOf(stores, mailer, config, log, now);
  const ofBucket = bucketParts(backend, config, objects, facts.id, queue, log);
  const worker = createWorker({
    stores: { ...stores, jobs: traces === null ? jobs : traces.jobs.jobs(jobs) },
    queue,
    heartbeat,
    workerId: facts.id,
    fitness,
    disk,
    onHopeless,
    objects,
    media,
    tools,
    files: createFileTasks({
      files: stores.files,
      objects,
      links: createLinkFetcher(),
      media,
      config,
      log,
      now,
      onHeld: (id) => ofBucket.onHeld?.([id]),
    }),
    makeVoice: createMakeVoice({ voices: stores.voices, files, objects, media, log }),
    legacy: createLegacyTasks({
      legacyJobs,
      files,
      jobs,
      objects,
      links: createLinkSender(),
      order,
      tools,
      config,
      log,
    }),
    acceptance: createAcceptance({ runners: stores.runners, jobs, files, objects, media, config, log, now }),
    config,
    log,
    now,
    claiming: claimingFor(config, facts),
    ...ofBucket,
    leadership: createLeadership(database, facts.id),
    webhooks: webhooksOf(backend, config, mailer, log, now),
    housekeeping: housekeepingOf(backend, config, now, refills),
  });
  await worker.start();
  return {
    address: null,
    legacyAddress: null,
    async stop() {
      await worker.stop();
      await sharing.stop();
      await heartbeat.stop();
      await media.close();
      await traces?.close();
      await mailer?.close();
      await backend[Symbol.asyncDispose]();
    },
  };
}

function openMedia(config: Config, workDir: string, log: Log): MediaWork {
  const groups = takeDelegated();
  if (groups !== null) log.info({ folder: groups.folder }, 'Each job process has its own control group');
  return createMediaWork({
    cores: config.cores,
    groups,
    jobSlots: config.jobSlots,
    maxJobMemoryBytes: config.jobMemoryBytes,
    maxJobSeconds: config.jobSeconds,
    workDir,
    modelsDir: config.modelsDir,
    parseOptions: parseJobOptions,
    runsPerProcess: config.jobReuse,
  });
}

function sayTooSmall(config: Pick<Config, 'jobMemoryBytes'>, log: Log): void {
  const missing = tooSmallFor(config.jobMemoryBytes);
  if (missing.length > 0)
    log.warn(
      { jobMemoryBytes: config.jobMemoryBytes },
      `A job may use ${Math.round(config.jobMemoryBytes / 2 ** 20)} MiB here, too little for some ` +
        `tools: ${missing.join('; ')}`,
    );
}

/** For links in mails. */
const baseUrlOf =
  ({ baseUrl, host, port }: Pick<Config, 'baseUrl' | 'host' | 'port'>) =>
  (): string =>
    baseUrl ?? `http://${host}:${port}`;

async function refillsOf(
  stores: Backend['stores'],
  mailer: ReturnType<typeof createMailer>,
  config: Config,
  log: Log,
  now: () => Date,
): Promise<Refills> {
  const { refills } = createPayments({
    ...stores,
    provider: await createPaymentProvider(config),
    mailer,
    log,
    tokens: await createTokens(stores.tokenKeys, now),
    config,
    baseUrl: baseUrlOf(config),
    now,
  });
  return refills;
}

/** What one worker does for all, by name. */
function housekeepingOf(
  { stores, database, enqueuer }: Backend,
  config: Config,
  now: () => Date,
  refills: Pick<Refills, 'sweep'>,
): Readonly<Record<string, Round>> {
  return {
    'auto-refill': (stillLeads) => refills.sweep(stillLeads),
    fleet: () => tidyFleet(database),
    'ended jobs': () => tallyEndedJobs(database),
    'jobs without a machine': (stillLeads) => stores.fleet.failUnsuited(unsuitedSeconds, stillLeads),
    'jobs of unfit machines': (stillLeads) => stores.fleet.failPassedOn(stillLeads),
    'runs of runners': () => stores.runners.forgetBefore(new Date(now().getTime() - 7 * 86_400_000)),
    chains: () => stores.chains.goOn(),
    'lost tasks': () => reenqueueLost(database, enqueuer),
    'stale rows': (stillLeads) => removeStale(database, now(), config, stillLeads),
    'token keys': () =>
      rotateTokenKeys(stores.tokenKeys, now(), {
        days: config.tokenKeyDays,
        longestSeconds: Math.max(config.uploadSeconds, config.downloadSeconds, config.retentionSeconds),
      }),
    'keys of access tokens': () =>
      rotateKeys(stores.programKeys, now(), {
        days: config.tokenKeyDays,
        longestSeconds: accessTokenSeconds,
        make: makeSigningKey,
      }),
  };
}

/** What files in a bucket add: copies of this machine draw jobs, and transfers go on beside runs. */
function bucketParts(
  { stores }: Backend,
  config: Pick<Config, 's3Bucket' | 'jobSlots'>,
  objects: ObjectStore,
  workerId: string,
  queue: Pick<WorkQueue, 'busy'>,
  log: Log,
): Pick<WorkerDeps, 'onHeld' | 'storesElsewhere' | 'ahead'> {
  if (config.s3Bucket === null) return {};
  const { fleet, files } = stores;
  return {
    storesElsewhere: true,
    onHeld(ids) {
      if (ids.length > 0)
        fleet
          .noteHeld(workerId, ids)
          .catch((thrown: unknown) => log.warn({ err: thrown }, 'Could not note which files are here'));
    },
    ahead: createInputsAhead({ fleet, files, objects }, workerId, () => queue.busy() >= config.jobSlots),
  };
}
