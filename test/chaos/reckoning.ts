// What clients of the storms do, and what must be true of their jobs, credits and files when it is over.
import type { Client } from '../fixtures/service/running-service.ts';

export interface JobRecord {
  readonly id: string;
  readonly status: string;
  readonly outputs: readonly { readonly id: string; readonly sizeBytes: number }[];
  readonly error: { readonly code: string } | null;
}
interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly credits: number;
  readonly balance: number;
  readonly jobId: string | null;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Every request is repeated until it is answered, as a good client does; idempotency keys make that safe. */
export function patient(connect: () => Client): {
  <Answer>(request: (client: Client) => Promise<Answer>): Promise<Answer>;
  failures(): number;
} {
  let failures = 0;
  const call = async <Answer>(request: (client: Client) => Promise<Answer>): Promise<Answer> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await request(connect());
      } catch (thrown) {
        failures += 1;
        // Ten a second: a service that stays away for good fails the storm, one that is killed twenty times does not.
        if (attempt > 4000) throw thrown;
        await sleep(100);
      }
    }
  };
  return Object.assign(call, { failures: () => failures });
}

async function everything<Item>(client: Client, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = null; ;) {
    const page: { data: Item[]; nextCursor: string | null } = await client.call(
      'GET',
      `${path}?limit=100${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    items.push(...page.data);
    if (page.nextCursor === null) return items;
    cursor = page.nextCursor;
  }
}

export function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

export interface Reckoning {
  readonly jobs: Readonly<Record<string, number>>;
  readonly charged: number;
  readonly filesChecked: number;
}

/**
 * @param deletedFiles ids of outputs that their client deleted
 * @param look looks at the bytes of each other file. Default: only their number is compared
 * @throws Error naming what is not accounted for
 */
export async function account(
  client: Client,
  submitted: readonly string[],
  deletedFiles: ReadonlySet<string> = new Set(),
  look: (fileId: string, bytes: Uint8Array) => Promise<void> = () => Promise.resolve(),
): Promise<Reckoning> {
  const jobs = await everything<JobRecord>(client, '/api/v1/jobs');
  demand(
    jobs.length === submitted.length && submitted.every((id) => jobs.some((job) => job.id === id)),
    `${submitted.length} jobs were created, ${jobs.length} are there`,
  );
  const open = jobs.filter((job) => !['succeeded', 'failed', 'cancelled'].includes(job.status));
  demand(
    open.length === 0,
    `${open.length} jobs have not ended: ${open.map(({ id, status }) => `${id} ${status}`).join(', ')}`,
  );
  const failed = jobs.filter((job) => job.status === 'failed');
  demand(
    failed.length === 0,
    `Jobs failed although ten starts were allowed: ${JSON.stringify(failed.map(({ error }) => error))}`,
  );

  const entries = await everything<Entry>(client, '/api/v1/ledger');
  const succeeded = jobs.filter((job) => job.status === 'succeeded');
  const charges = entries.filter((entry) => entry.kind === 'charge');
  for (const job of jobs) {
    const own = charges.filter((entry) => entry.jobId === job.id);
    demand(
      own.length === (job.status === 'succeeded' ? 1 : 0),
      `Job ${job.id} ${job.status} with ${own.length} charges`,
    );
  }
  demand(charges.length === succeeded.length, `${charges.length} charges for ${succeeded.length} jobs that succeeded`);
  const { balance, balanceCents, availableCents } = await client.call<{
    balance: number;
    balanceCents: number;
    availableCents: number;
  }>('GET', '/api/v1/account');
  const sum = entries.reduce((total, entry) => total + entry.credits, 0);
  demand(
    sum === balance && entries[0]?.balance === balance,
    `The ledger sums to ${sum}, its last entry says ${entries[0]?.balance}, the account ${balance}`,
  );
  demand(
    balanceCents === balance && availableCents === balance,
    `Credits are still held: balance ${balanceCents}, available ${availableCents}`,
  );

  const files = await everything<{ id: string; kind: string; status: string; sizeBytes: number }>(
    client,
    '/api/v1/files',
  );
  const outputs = succeeded.flatMap((job) => job.outputs.filter(({ id }) => !deletedFiles.has(id)));
  const kept = succeeded.length - deletedFiles.size;
  demand(
    outputs.length === kept,
    `${succeeded.length} jobs succeeded, ${kept} outputs are kept, ${outputs.length} named`,
  );
  demand(
    files.length === kept + 1 && files.every(({ id }) => !deletedFiles.has(id)),
    `Expected ${kept} outputs and the upload, ${files.length} files are listed`,
  );
  for (const file of files) {
    const { url } = await client.call<{ url: string }>('GET', `/api/v1/files/${file.id}/download`);
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    demand(bytes.length === file.sizeBytes, `File ${file.id} says ${file.sizeBytes} bytes and gives ${bytes.length}`);
    await look(file.id, bytes);
  }
  const byStatus: Record<string, number> = {};
  for (const { status } of jobs) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return {
    jobs: byStatus,
    charged: -charges.reduce((total, entry) => total + entry.credits, 0),
    filesChecked: files.length,
  };
}
