import { EarshotError } from '../../../library/core/errors.ts';
import type { Config } from '../config.ts';
import type { Arrivals } from '../files/arrivals.ts';
import { deleted, expired, ownFile, requireReady } from '../files/guards.ts';
import { createIntake, type Intake } from '../files/intake.ts';
import { type Quotas, requireRoomForFile } from '../quotas.ts';
import { requireDiskRoom } from '../disk-room.ts';
import { newId } from '../ids.ts';
import { requireAvailable } from '../jobs/inputs.ts';
import type { OrderJob } from '../jobs/order.ts';
import { isFinal, type LegacyJobs, type LegacyStatus } from '../legacy-job-use-cases.ts';
import type { LegacyJobLook, LegacyJobStore, NewLegacyJob } from '../legacy-job-store.ts';
import type { Changes, FileStore, JobStore, LinkFetcher, ObjectStore } from '../ports.ts';
import type { Account, StoredFile } from '../records.ts';
import { fromStored } from '../stored-error.ts';
import type { FactsByTool } from '../tool-facts.ts';
import type { Tokens } from '../tokens.ts';
import { waitFor } from '../wait-for.ts';
import { orderLegacyJob } from './order-legacy-job.ts';
import { statusOf } from './status.ts';
import { createStatusWatch } from './watch.ts';

export interface LegacyJobsDeps {
  readonly legacyJobs: LegacyJobStore;
  readonly files: FileStore;
  readonly jobs: JobStore;
  readonly objects: ObjectStore;
  readonly links: LinkFetcher;
  readonly changes: Changes;
  readonly tools: FactsByTool;
  readonly order: OrderJob;
  readonly arrivals: Arrivals;
  readonly tokens: Tokens;
  readonly config: Pick<
    Config,
    'accountUploads' | 'diskReserveBytes' | 'maxFileBytes' | 'retentionSeconds' | 'legacyDownloads'
  > &
    Quotas;
  readonly now: () => Date;
}

/** Clients of the older API do not poll for the check, which takes some tenths of a second. */
const checkSeconds = 15;
/** How long a result's link works. */
const linkMs = 24 * 3_600_000;

/** The use cases of the older API. */
export function createLegacyJobs(deps: LegacyJobsDeps): LegacyJobs {
  const { legacyJobs, files, objects, links, changes, tools, arrivals, tokens, config, now } = deps;

  const load = async (id: string): Promise<LegacyStatus | null> => {
    const look = await legacyJobs.look(id);
    return look === null ? null : statusOf(look);
  };
  const watch = createStatusWatch(changes, load);

  async function owned(account: Account, jobId: string): Promise<LegacyJobLook> {
    const look = await legacyJobs.look(jobId);
    if (look !== null && look.legacy.accountId === account.id) return look;
    throw new EarshotError('not_found', `There is no job ${jobId}`, { details: { id: jobId } });
  }

  /** The file when it is checked, or after `checkSeconds`. */
  async function checked(account: Account, fileId: string): Promise<StoredFile> {
    return waitFor(
      changes,
      fileId,
      () => ownFile(files, account, fileId, now()),
      ({ status }) => status !== 'processing',
      checkSeconds,
    );
  }

  /** @throws EarshotError the error of its check */
  function requireReadable(file: StoredFile): void {
    if (file.status === 'invalid' && file.error !== null) throw fromStored(file.error, { id: file.id });
    if (file.status === 'deleted') throw deleted(file);
  }

  const expiry = (createdAt: Date): Date => new Date(createdAt.getTime() + config.retentionSeconds * 1000);

  const intakeOf = ({ id }: Account): Intake =>
    createIntake(
      objects,
      { accountId: id, visitor: null },
      (file) => files.create(file, null, (usage) => requireRoomForFile(usage, file.sizeBytes, config)),
      config.retentionSeconds,
      now,
    );

  return {
    async upload(account, sent) {
      await requireDiskRoom(objects, config, 0);
      const entered = arrivals.enter(account.id, config.accountUploads);
      try {
        const { id } = await intakeOf(account).receive(sent, config.maxFileBytes);
        const file = await checked(account, id);
        requireReadable(file);
        return file;
      } finally {
        entered.leave();
      }
    },

    async create(account, { tool, field, options, ownFormat, input, output }) {
      await requireAvailable(tools[tool]);
      const outputUrl = output === null ? null : links.check(output, 'output').href;
      const createdAt = now();
      const job = (fileId: string, fromLink: boolean): NewLegacyJob => ({
        id: newId('job'),
        accountId: account.id,
        fileId,
        tool,
        options,
        ownFormat,
        fromLink,
        outputUrl,
        createdAt,
        expiresAt: expiry(createdAt),
      });
      if (/^[a-z][a-z0-9+.-]*:/i.test(input)) {
        const { id } = await intakeOf(account).fetch(links.check(input, 'input'));
        const made = job(id, true);
        await legacyJobs.create(made, 'task');
        return made.id;
      }
      const file = await checked(account, input);
      requireReadable(file);
      const made = job(file.id, false);
      if (file.status === 'processing') {
        // Its check is not finished yet; a task orders it afterwards.
        await legacyJobs.create(made, 'task');
        return made.id;
      }
      requireReady(file);
      await legacyJobs.create(made, 'caller');
      try {
        await orderLegacyJob(deps, made, field, file);
      } catch (thrown) {
        await legacyJobs.remove(made.id);
        throw thrown;
      }
      return made.id;
    },

    status: async (account, jobId) => statusOf(await owned(account, jobId)),

    async follow(account, jobId, listener) {
      const status = statusOf(await owned(account, jobId));
      listener(status);
      return isFinal(status) ? { stop: () => undefined } : watch.follow(jobId, status, listener);
    },

    nameOf({ fileId, expiresAt }) {
      if (expiresAt === null || config.legacyDownloads === 'key') return fileId;
      // With the default retention, every request returns the same link.
      return tokens.sign('result', fileId, new Date(Math.min(expiresAt.getTime(), now().getTime() + linkMs)));
    },

    async open(account, name) {
      const at = now();
      // With a key, an expired link still works for the account's own file.
      const reading = await tokens.read('result', name, account === null ? at : new Date(0));
      if (account === null && (!reading.ok || config.legacyDownloads === 'key'))
        throw new EarshotError(
          'unauthorized',
          reading.ok || reading.reason === 'forged'
            ? 'Expected a whole download path, or the header x-api-key, but received neither'
            : 'This download path has expired; expected the header x-api-key with an API key',
        );
      const fileId = reading.ok ? reading.id : name;
      const file = account === null ? await files.get(fileId) : await ownFile(files, account, fileId, at);
      if (file !== null && file.expiresAt <= at) throw expired(file);
      if (file?.kind !== 'output')
        throw new EarshotError('not_found', `There is no result ${fileId}`, { details: { id: fileId } });
      const { objectKey } = requireReady(file);
      const stat = await objects.stat(objectKey);
      if (stat === null) throw deleted(file);
      return { file, sizeBytes: stat.sizeBytes, read: (range) => objects.read(objectKey, range) };
    },
  };
}
