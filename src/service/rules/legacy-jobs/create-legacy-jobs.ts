import type { Config } from '../settings/config.ts';
import type { Arrivals } from '../files/arrivals.ts';
import { deleted, ownFile, requireReady } from '../files/guards.ts';
import { createIntake, type Intake } from '../files/intake.ts';
import { type Quotas, requireRoomForFile } from '../accounts/quotas.ts';
import { requireDiskRoom } from '../files/disk-room.ts';
import { newId } from '../shared/ids.ts';
import { requireAvailable } from '../jobs/inputs.ts';
import type { OrderJob } from '../jobs/order.ts';
import type { LegacyJobs } from './legacy-job-use-cases.ts';
import type { LegacyJobStore, NewLegacyJob } from './legacy-job-store.ts';
import type { FileStore } from '../files/file-store.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { LinkFetcher } from '../files/links.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { Account } from '../accounts/account.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { fromStored } from '../shared/stored-error.ts';
import type { FactsByTool } from '../tools/tool-facts.ts';
import type { Tokens } from '../shared/tokens.ts';
import { waitFor, type Changes } from '../shared/wait-for.ts';
import { orderLegacyJob } from './order-legacy-job.ts';
import { createLegacyResults } from './results.ts';
import { createLegacyStatuses } from './statuses.ts';

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

/** The use cases of the older API. */
export function createLegacyJobs(deps: LegacyJobsDeps): LegacyJobs {
  const { legacyJobs, files, objects, links, changes, tools, arrivals, config, now } = deps;

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
    ...createLegacyStatuses(deps),
    ...createLegacyResults(deps),

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
        const refusal = await orderLegacyJob(deps, made, field, file);
        if (refusal !== null) throw refusal;
      } catch (thrown) {
        await legacyJobs.remove(made.id);
        throw thrown;
      }
      return made.id;
    },
  };
}
