import type { FileStore } from '../files/file-store.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { JobStatus } from '../jobs/stored-job.ts';

/** An object in the store that no record names. */
export interface UnrecordedOutput {
  /** In the store, without its prefix. */
  readonly key: string;
  /** By the store's clock. */
  readonly writtenAt: Date;
  /** The attempt that wrote it, from 1 on; null: not an output of a job. */
  readonly attempt: number | null;
  /** Its job; null: the database has none, or it is not an output. */
  readonly jobId: string | null;
  readonly jobStatus: JobStatus | null;
  /**
   * 'unknown_job': its job is not in the database. 'not_settled': its attempt runs, waits or was begun by no record:
   * it is being settled now, or its settlement is lost and the job runs again. 'left_over': another attempt settled the
   * job, or it ended without outputs. 'upload': a file that was sent, and that no record names.
   */
  readonly means: 'unknown_job' | 'not_settled' | 'left_over' | 'upload';
}

/** What the books of the database say about themselves. All lists are empty in a sound database. */
export interface Books {
  /** Accounts whose balance or reserved credits are not the sum of their ledger entries. */
  readonly accounts: readonly {
    readonly accountId: string;
    readonly balance: number;
    readonly ledgerBalance: number;
    readonly reserved: number;
    readonly ledgerReserved: number;
  }[];
  /** Jobs that succeeded for a price and have no charge, or have a charge and did not succeed; and chains like that. */
  readonly charges: readonly { readonly jobId: string; readonly status: JobStatus; readonly charges: number }[];
  /** Jobs and chains that have ended and still hold reserved credits. */
  readonly held: readonly { readonly jobId: string; readonly status: JobStatus }[];
}

/** What the database and the store say about each other. */
export interface Reconciliation {
  /** Objects that were looked at. */
  readonly objects: number;
  readonly unrecorded: readonly UnrecordedOutput[];
  /** Records of files whose bytes are not in the store. */
  readonly missing: readonly { readonly fileId: string; readonly jobId: string | null; readonly key: string }[];
  readonly books: Books;
}

/** The database's part. */
export interface ReconciliationStore {
  /** Jobs by the folder of their outputs. */
  jobsOf(
    folders: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly id: string; readonly status: JobStatus; readonly attempt: number }>>;
  /** Files that are ready, in pages by id. */
  readyFiles(
    after: string,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly sourceJobId: string | null; readonly objectKey: string }[]>;
  /** What is not right in one snapshot of it. */
  books(): Promise<Books>;
}

const batch = 1000;
/** Written after the listing began. */
const tomorrowMs = 86_400_000;
const outputKey = /^outputs\/([0-9a-f]{32})\/(\d+)-/;

/**
 * Compares the objects of the store with the records of the database, and the ledger with balances and jobs. After a
 * failover to a replica that missed the last moments it names what they held: outputs are written before they are
 * settled, so the output of each lost settlement is in the store. Changes nothing.
 * @param since only objects that were written later; default: all
 */
export async function reconcile(
  store: ReconciliationStore,
  files: Pick<FileStore, 'usedKeys'>,
  objects: Pick<ObjectStore, 'stale'>,
  since: Date | null,
): Promise<Reconciliation> {
  const unrecorded: UnrecordedOutput[] = [];
  const present = new Set<string>();
  let held: { readonly key: string; readonly writtenAt: Date }[] = [];
  const judge = async (): Promise<void> => {
    const recorded = await files.usedKeys(held.map(({ key }) => key));
    const strange = held.filter(({ key }) => !recorded.has(key));
    const jobs = await store.jobsOf([...new Set(strange.flatMap(({ key }) => outputKey.exec(key)?.[1] ?? []))]);
    for (const { key, writtenAt } of strange) {
      const [, folder, number] = outputKey.exec(key) ?? [];
      const attempt = number === undefined ? null : Number(number);
      const job = folder === undefined ? undefined : jobs.get(folder);
      unrecorded.push({
        key,
        writtenAt,
        attempt,
        jobId: job?.id ?? null,
        jobStatus: job?.status ?? null,
        means: meaningOf(attempt, job),
      });
    }
    held = [];
  };
  let count = 0;
  for await (const { key, kind, writtenAt } of objects.stale(new Date(Date.now() + tomorrowMs))) {
    if (kind !== 'object') continue;
    present.add(key);
    count += 1;
    if (since !== null && writtenAt < since) continue;
    held.push({ key, writtenAt });
    if (held.length >= batch) await judge();
  }
  await judge();
  return {
    objects: count,
    unrecorded: unrecorded.sort((one, other) => one.writtenAt.getTime() - other.writtenAt.getTime()),
    missing: await findMissing(store, present),
    books: await store.books(),
  };
}

function meaningOf(
  attempt: number | null,
  job: { readonly status: JobStatus; readonly attempt: number } | undefined,
): UnrecordedOutput['means'] {
  if (attempt === null) return 'upload';
  if (job === undefined) return 'unknown_job';
  const isOpen = job.status === 'queued' || job.status === 'running';
  return attempt > job.attempt || (isOpen && attempt === job.attempt) ? 'not_settled' : 'left_over';
}

async function findMissing(
  store: ReconciliationStore,
  present: ReadonlySet<string>,
): Promise<Reconciliation['missing']> {
  const missing: Reconciliation['missing'][number][] = [];
  for (let after = ''; ;) {
    const files = await store.readyFiles(after, batch);
    for (const { id: fileId, sourceJobId: jobId, objectKey: key } of files)
      if (!present.has(key)) missing.push({ fileId, jobId, key });
    const last = files.at(-1);
    if (last === undefined || files.length < batch) return missing;
    after = last.id;
  }
}
