// Clients of the older API in the storm: each uploads, orders a job, follows it over websockets that are cut, and
// downloads the result. Whatever is killed meanwhile, every job they were told of ends well and is charged once.
import { openOperator } from '../../src/service/serve/backend.ts';
import { loadConfig } from '../../src/service/rules/settings/config.ts';
import { olderClient, type Message } from '../service/http/legacy/client.ts';

export interface OlderReport {
  readonly clients: number;
  /** More than clients where a cut connection hid the answer: this API has no idempotency keys. */
  readonly jobs: number;
  readonly charged: number;
  readonly socketsCut: number;
}

interface OlderAccount {
  readonly accountId: string;
  readonly key: string;
  readonly credits: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const demand = (condition: boolean, message: string): void => {
  if (!condition) throw new Error(message);
};

/** An account of their own, made beside the running service. */
export async function olderAccount(data: string, credits: number): Promise<OlderAccount> {
  await using opened = await openOperator(loadConfig({}, { data }));
  const { id: accountId } = await opened.operator.createAccount({ name: 'older', credits });
  return { accountId, key: (await opened.operator.addKey(accountId, 'storm')).secret, credits };
}

export interface OlderClients {
  readonly told: readonly string[];
  /** Requests that may have been done though nobody heard so. */
  readonly unheard: number;
  readonly socketsCut: number;
}

/** @param base of the older API, with /v1 */
export async function olderClients(
  base: string,
  { key }: OlderAccount,
  count: number,
  sound: Uint8Array<ArrayBuffer>,
): Promise<OlderClients> {
  const older = olderClient(base, key);
  let unheard = 0;
  let socketsCut = 0;

  async function patiently<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await request();
      } catch (thrown) {
        // What was refused was not done.
        if (!/: 4\d\d /.test(String(thrown))) unheard += 1;
        else if (!/: 429 /.test(String(thrown))) throw thrown;
        if (attempt > 4000) throw thrown;
        await sleep(100);
      }
    }
  }

  /** A database that is away answers 503: try again. Reading twice does nothing twice. */
  async function downloaded(path: string): ReturnType<typeof older.download> {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await older.download(path).catch((thrown: unknown) => {
        if (attempt > 4000) throw thrown;
        return null;
      });
      if (answer !== null && (answer.status < 500 || attempt > 4000)) return answer;
      await sleep(100);
    }
  }

  async function follow(jobId: string): Promise<Message> {
    let percent = 0;
    for (let attempt = 0; attempt < 4000; attempt += 1) {
      const { messages } = await older.follow(jobId).catch(() => ({ messages: [] as Message[] }));
      for (const message of messages) {
        if (message.state !== 'in_progress') continue;
        demand(Number(message['percent']) >= percent, `${jobId} fell from ${percent} to ${String(message['percent'])}`);
        percent = Number(message['percent']);
      }
      const last = messages.at(-1);
      if (last?.state === 'succeeded' || last?.state === 'failed') return last;
      socketsCut += 1;
      await sleep(100);
    }
    throw new Error(`${jobId} does not end`);
  }

  const told = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const file = new File([sound], `older-${index}.wav`);
      const input = await patiently(() => older.upload(file));
      const jobId = await patiently(() => older.createJob({ input, noiseReductionAmount: 5, autoVolume: null }));
      const last = await follow(jobId);
      demand(last.state === 'succeeded', `${jobId} came to ${JSON.stringify(last)}`);
      const { status, bytes } = await downloaded(String(last['downloadPath']));
      demand(status === 200 && bytes.length > 1000, `${jobId} gives ${bytes.length} bytes with ${status}`);
      return jobId;
    }),
  );
  return { told, unheard, socketsCut };
}

/** Jobs whose answer was cut off have no client, and run on: waits for them beside the running service. */
export async function olderEnded(data: string, { accountId }: OlderAccount): Promise<void> {
  await using opened = await openOperator(loadConfig({}, { data }));
  for (let attempt = 0; attempt < 1200; attempt += 1) {
    if ((await opened.operator.account(accountId)).reserved === 0) return;
    await sleep(100);
  }
}

/** The books, with the service stopped. @throws Error naming what is not accounted for */
export async function accountOlder(
  data: string,
  { accountId, credits }: OlderAccount,
  { told, unheard, socketsCut }: OlderClients,
): Promise<OlderReport> {
  await using opened = await openOperator(loadConfig({}, { data }));
  const account = await opened.operator.account(accountId);
  const { items } = await opened.operator.ledger(accountId, { cursor: null, limit: 1000 });
  demand(account.reserved === 0, `${account.reserved} credits of the older API are still held`);
  const sum = items.reduce((total, entry) => total + entry.credits, 0);
  demand(account.balance === sum, `The account of the older API has ${account.balance}, its books ${sum}`);
  const reserved = items.filter(({ kind }) => kind === 'reserve').map(({ jobId }) => jobId);
  const charged = items.filter(({ kind }) => kind === 'charge').map(({ jobId }) => jobId);
  demand(new Set(charged).size === charged.length, 'A job of the older API was charged twice');
  for (const jobId of told) demand(charged.includes(jobId), `${jobId} was told to its client and is not charged`);
  demand(
    reserved.length <= told.length + unheard,
    `${reserved.length} jobs for ${told.length} clients with ${unheard} requests that nobody heard the answer of`,
  );
  demand(credits - charged.length === account.balance, `${charged.length} jobs cost ${credits - account.balance}`);
  return { clients: told.length, jobs: reserved.length, charged: charged.length, socketsCut };
}
