// A service without HTTP and without media: real stores, a real queue and real files, and work that does what the job's
// options say.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createDiskStore } from '../../../src/service/adapters/disk/object-store.ts';
import type { JsonObject } from '../../../src/library/core/json.ts';
import type { Warning } from '../../../src/library/core/progress/progress.ts';
import { AbortError } from '../../../src/library/core/abort.ts';
import { EarshotError } from '../../../src/library/core/errors/errors.ts';
import { loadConfig, type Config } from '../../../src/service/rules/settings/config.ts';
import { newId } from '../../../src/service/rules/shared/ids.ts';
import { createJobs, type Jobs } from '../../../src/service/rules/jobs/jobs.ts';
import { createOperator, type Operator } from '../../../src/service/rules/operator/operator.ts';
import type { MediaWork, ToolRunRequest } from '../../../src/library/contract/media-work.ts';
import type { NewFile } from '../../../src/service/rules/files/file-store.ts';
import type { ObjectStore } from '../../../src/service/rules/files/object-store.ts';
import { createPrices, type Prices } from '../../../src/service/rules/tools/prices.ts';
import { terminalJobStatuses, type JobSummary } from '../../../src/service/rules/jobs/stored-job.ts';
import type { Account } from '../../../src/service/rules/accounts/account.ts';
import type { LedgerEntry } from '../../../src/service/rules/money/ledger.ts';
import type { StoredFile } from '../../../src/service/rules/files/stored-file.ts';
import type { JobRequest } from '../../../src/library/contract/job-request.ts';
import { indexTools } from '../../../src/service/rules/tools/tool-facts.ts';
import type { FileTaskHandlers } from '../../../src/service/rules/files/tasks/deps.ts';
import { createWorker, type Worker, type WorkerDeps } from '../../../src/service/rules/worker/worker.ts';
import type { TestStores } from '../../fixtures/service/database.ts';
import { fakeTools } from './tool-facts.ts';
import { createLog } from './worker/log.ts';
import { createGate, eventually } from '../../fixtures/until.ts';

/** What a job's work comes to. */
interface Work {
  readonly ms?: number;
  readonly outputs?: number;
  readonly processedSeconds?: number;
  readonly warnings?: readonly Warning[];
}

/** What a job's work does at one of its starts; the last of a list stays. */
export type Act = 'succeed' | 'crash' | 'fail' | 'bug' | 'hang' | 'deaf' | 'held';

export interface FakeMedia extends MediaWork {
  /** Every request, by the order of the starts. */
  readonly requests: ToolRunRequest[];
  running: number;
  most: number;
  /** What 'held' waits for, whatever its signal says. */
  held: Promise<void>;
  letGo(): void;
}

function createFakeMedia(): FakeMedia {
  const starts = new Map<string, number>();
  const gate = createGate();
  const media: FakeMedia = {
    requests: [],
    running: 0,
    most: 0,
    held: gate.opened,
    letGo: gate.open,
    async run(request) {
      media.requests.push(request);
      const {
        acts,
        id,
        ms = 0,
        outputs = 1,
        processedSeconds = request.windowSeconds ?? 60,
        warnings = [],
      } = request.options as unknown as Work & { acts: Act[]; id: string };
      const start = starts.get(id) ?? 0;
      starts.set(id, start + 1);
      media.most = Math.max(media.most, ++media.running);
      try {
        request.onProgress({ progress: 0.5, stage: 'encoding', estimatedSecondsLeft: 1 });
        request.onFinishedPart?.({ key: `start ${start + 1}`, value: [start + 1] });
        const act = acts[Math.min(start, acts.length - 1)];
        if (act === 'deaf') await sleep(ms);
        else if (act === 'held') await media.held;
        else
          await sleep(act === 'hang' ? 600_000 : ms, undefined, { signal: request.signal }).catch(() =>
            Promise.reject(new AbortError()),
          );
        if (act === 'crash')
          throw new EarshotError('internal_error', 'The job process ended unexpectedly (signal SIGSEGV)', {
            details: { crashed: true, signal: 'SIGSEGV' },
          });
        if (act === 'fail')
          throw new EarshotError(
            'no_audio',
            `Expected sound in ${request.inputs['file_id']?.[0]?.path} but it has none`,
          );
        if (act === 'bug') throw new EarshotError('internal_error', `ENOENT: ${request.outputDir}`);
        const made = [];
        for (let index = 0; index < outputs; index++) {
          const path = join(request.outputDir, `out-${index}.wav`);
          await writeFile(path, `output ${index} of ${id}, start ${start + 1}`);
          made.push({
            path,
            filename: `out-${index}.wav`,
            contentType: 'audio/wav',
            format: 'wav',
            durationSeconds: 1,
            hasVideo: false,
            hasAudio: true,
            media: { codec: 'pcm_s16le', sampleRate: 48_000, channels: 1, width: null, height: null },
          });
        }
        return { outputs: made, result: { start: start + 1 }, processedSeconds, warnings };
      } finally {
        media.running--;
      }
    },
    check: () => Promise.reject(new Error('not part of this test')),
    peaks: () => Promise.reject(new Error('not part of this test')),
    voicePrint: () => Promise.reject(new Error('not part of this test')),
    close: () => Promise.resolve(),
  };
  return media;
}

export interface Host extends AsyncDisposable {
  readonly stores: TestStores;
  readonly config: Config;
  readonly operator: Operator;
  readonly prices: Prices;
  readonly jobs: Jobs;
  readonly objects: ObjectStore;
  readonly media: FakeMedia;
  readonly log: ReturnType<typeof createLog>;
  readonly data: string;
  makeWorker(changes?: Partial<WorkerDeps>): Worker;
  account(credits: number): Promise<Account>;
  /** A checked recording of a minute, unless told otherwise. */
  file(account: Account, changes?: Partial<NewFile>): Promise<StoredFile>;
  /** Starts remove_noise on the file with that work ahead. */
  job(
    account: Account,
    file: StoredFile,
    acts: readonly Act[],
    changes?: Partial<JobRequest> & Work,
  ): Promise<JobSummary>;
  /** Waits until the job has ended. */
  ended(id: string): Promise<JobSummary>;
  /** The books of the account agree with each other, with its jobs, and with what it was given. */
  expectExact(account: Account, granted: number): Promise<void>;
  /** Keys of all outputs in the object store. */
  outputKeys(): Promise<string[]>;
}

export const idle: FileTaskHandlers = {
  checkFile: () => Promise.resolve(),
  importFile: () => Promise.resolve(),
  makePeaks: () => Promise.resolve(),
  sweep: () => Promise.resolve({ expired: 0, leftovers: 0 }),
  sweepHere: () => Promise.resolve(0),
};

export async function createHost(stores: TestStores, env: Readonly<Record<string, string>> = {}): Promise<Host> {
  const data = await mkdtemp(join(tmpdir(), 'earshot-host-'));
  const config = loadConfig({ EARSHOT_DATA: data, EARSHOT_JOB_SLOTS: '2', EARSHOT_GRACE_SECONDS: '0.2', ...env });
  const tools = indexTools(fakeTools());
  const prices = createPrices(tools, config.prices);
  const objects = createDiskStore(join(data, 'files'));
  const media = createFakeMedia();
  const log = createLog();
  const operator = createOperator(stores);
  const jobs = createJobs({
    jobs: stores.jobs,
    files: stores.files,
    objects,
    changes: stores.changes,
    tools,
    prices,
    config,
  });

  const host: Host = {
    stores,
    config,
    operator,
    prices,
    jobs,
    objects,
    media,
    log,
    data,
    makeWorker: (changes = {}) =>
      createWorker({
        stores,
        queue: stores.queue,
        heartbeat: stores.heartbeat,
        objects,
        media,
        tools,
        files: idle,
        config,
        log,
        times: { betweenWritesMs: 50, withoutNewsMs: 100, afterBrokenMs: 10, afterOutageMs: 10, betweenAheadMs: 20 },
        ...changes,
      }),
    account: (credits) => operator.createAccount({ name: 'somebody', credits }),
    async file(account, changes = {}) {
      const objectKey = `originals/${randomBytes(8).toString('hex')}`;
      const { sizeBytes, sha256 } = await objects.write(objectKey, Readable.from([Buffer.from('sound')]), {
        maxBytes: 100,
      });
      const { file } = await stores.files.create(
        {
          id: newId('file'),
          accountId: account.id,
          kind: 'original',
          status: 'ready',
          filename: 'talk.wav',
          contentType: 'audio/wav',
          sizeBytes,
          sha256,
          durationSeconds: 60,
          format: 'wav',
          hasVideo: false,
          hasAudio: true,
          media: { codec: 'pcm_s16le', sampleRate: 48_000, channels: 1, width: null, height: null },
          upload: null,
          objectKey,
          importHash: null,
          sourceJobId: null,
          createdAt: new Date(),
          expiresAt: new Date(Date.now() + 86_400_000),
          ...changes,
        },
        null,
      );
      return file;
    },
    async job(account, file, acts, { ms = 0, outputs = 1, processedSeconds, warnings, ...changes } = {}) {
      const { job } = await jobs.create(account, {
        tool: 'remove_noise',
        inputs: { file_id: [file.id] },
        options: {
          acts: [...acts],
          id: newId('job'),
          ms,
          outputs,
          ...(processedSeconds === undefined ? {} : { processedSeconds }),
          ...(warnings === undefined ? {} : { warnings: [...warnings] as unknown as JsonObject[] }),
        },
        idempotencyKey: newId('job'),
        maxCredits: null,
        free: false,
        ...changes,
      });
      return job;
    },
    async ended(id) {
      return await eventually(async () => {
        const job = await stores.jobs.get(id);
        if (job === null || !terminalJobStatuses.includes(job.status))
          throw new Error(`Job ${id} is still ${job?.status}`);
        return job;
      });
    },
    async expectExact(account, granted) {
      const now = await operator.account(account.id);
      const entries: LedgerEntry[] = [];
      for (let cursor: string | null = null, more = true; more;) {
        const page = await operator.ledger(account.id, { cursor, limit: 100 });
        entries.push(...page.items);
        cursor = page.nextCursor;
        more = cursor !== null;
      }
      const made: JobSummary[] = [];
      for (let cursor: string | null = null, more = true; more;) {
        const page = await stores.jobs.list(account.id, { tool: null }, { cursor, limit: 100 });
        made.push(...page.items);
        cursor = page.nextCursor;
        more = cursor !== null;
      }
      const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
      expect(sum(entries.map(({ credits }) => credits))).toBe(now.balance);
      expect(sum(entries.map(({ reserved }) => reserved))).toBe(now.reserved);
      const succeeded = made.filter(({ status }) => status === 'succeeded');
      const charged = (id: string): number =>
        -sum(entries.filter(({ jobId, kind }) => jobId === id && kind === 'charge').map(({ credits }) => credits));
      expect(now.balance).toBe(granted - sum(succeeded.map(({ id }) => charged(id))));
      // What was processed may have been less than what was quoted, and costs less then.
      for (const { id, price } of succeeded.filter((each) => each.price > 0)) {
        expect(charged(id)).toBeGreaterThan(0);
        expect(charged(id)).toBeLessThanOrEqual(price);
      }
      expect(now.reserved).toBe(
        sum(made.filter(({ status }) => !terminalJobStatuses.includes(status)).map(({ price }) => price)),
      );
      // Each paid job: held once, and settled once if it has ended.
      for (const job of made.filter(({ price }) => price > 0)) {
        const kinds = entries
          .filter(({ jobId }) => jobId === job.id)
          .map(({ kind }) => kind)
          .sort();
        const settled =
          job.status === 'succeeded' ? ['charge'] : terminalJobStatuses.includes(job.status) ? ['release'] : [];
        expect(kinds.toSorted()).toEqual(['reserve', ...settled].toSorted());
      }
    },
    async outputKeys() {
      const keys: string[] = [];
      for await (const { key } of objects.stale(new Date(Date.now() + 60_000)))
        if (key.startsWith('outputs/')) keys.push(key);
      return keys.sort();
    },
    async [Symbol.asyncDispose]() {
      await stores.queue.stop(0);
      await rm(data, { recursive: true, force: true });
    },
  };
  return host;
}
