// A desk for runners on real stores, with media that is what its bytes say.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { createRunnerEntries } from '../../../../src/service/adapters/queue/runner-entries.ts';
import { createAcceptance } from '../../../../src/service/rules/runners/accept.ts';
import { RunnerDesk } from '../../../../src/service/rules/runners/desk.ts';
import type { RunnerOrder } from '../../../../src/service/rules/runners/order.ts';
import type { RunnerMachine } from '../../../../src/service/rules/runners/machine.ts';
import type { RunnerAnswer, RunnerFile } from '../../../../src/service/rules/runners/runner-store.ts';
import { readRunnerAnswer } from '../../../../src/service/serve/runner-answers.ts';
import { createTokens } from '../../../../src/service/rules/shared/tokens.ts';
import { sound } from '../files/host.ts';
import { useDatabases } from '../../../fixtures/service/database.ts';
import { createHost, type Host } from '../host.ts';
import { indexTools } from '../../../../src/service/rules/tools/tool-facts.ts';
import { fakeTools } from '../tool-facts.ts';

const version = '1.2.3';
/** A machine without labels and models, with a free slot; it waits shortly. */
export const plainMachine = {
  version,
  build: `${version} here`,
  models: [],
  labels: [],
  slots: 1,
  running: 0,
  load: 0,
  waitSeconds: 0.05,
} as const;
const never = new AbortController().signal;
export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export interface Bench {
  readonly desk: RunnerDesk;
  /** Asks as the runner of this token. */
  ask(token: string, session?: string, machine?: Partial<RunnerMachine>): Promise<RunnerOrder | null>;
  /** Sends an output in its parts. */
  send(token: string, bytes: Buffer): Promise<number>;
  /** The entry's lease ends, as the queue ends it when nobody renewed it. */
  expire(order: RunnerOrder): Promise<void>;
  /** Its lease is over, and the queue has not looked yet. */
  lapse(order: RunnerOrder): Promise<void>;
  /** The task 'accept' for the job. */
  accept(jobId: string): Promise<void>;
}

/** For tests, each with a desk of its own on a fresh database. */
export function useDesks() {
  const databases = useDatabases();
  return async (
    work: (host: Host, bench: Bench) => Promise<void>,
    env: Readonly<Record<string, string>> = {},
    tools: Parameters<typeof fakeTools>[0] = {},
  ): Promise<void> => {
    await using host = await createHost(await databases.freshStores(), env);
    await work(host, await createBench(host, tools));
  };
}

/** Bytes that begin with "sound" are a recording of 12.5 s; others cannot be read. */
async function createBench(host: Host, changes: Parameters<typeof fakeTools>[0]): Promise<Bench> {
  const { stores, objects, config, log } = host;
  const tokens = await createTokens(stores.tokenKeys);
  const desk = new RunnerDesk({
    runners: stores.runners,
    fleet: stores.fleet,
    entries: createRunnerEntries(stores.database.kysely),
    jobs: stores.jobs,
    files: stores.files,
    objects,
    tokens,
    tools: indexTools(fakeTools(changes)),
    config,
    baseUrl: () => 'https://earshot.example',
    readAnswer: readRunnerAnswer,
    log,
    version,
  });
  const acceptance = createAcceptance({
    runners: stores.runners,
    jobs: stores.jobs,
    files: stores.files,
    objects,
    media: {
      check: async (path) =>
        (await readFile(path, 'utf8')).startsWith('sound')
          ? sound
          : { ok: false, error: { code: 'unsupported_format', message: 'no media' } },
    },
    config,
    log,
  });
  return {
    desk,
    ask: (token, session = 's1', machine = {}) => desk.ask(token, { ...plainMachine, ...machine, session }),
    async send(token, bytes) {
      const { output, parts } = await desk.addOutput(token, bytes.length);
      const receipts = [];
      let from = 0;
      for (const { part, sizeBytes } of parts) {
        const piece = bytes.subarray(from, (from += sizeBytes));
        receipts.push(await desk.acceptPart(token, output, part, Readable.from([piece]), never));
      }
      await desk.completeOutput(token, output, receipts);
      return output;
    },
    async expire({ token }) {
      const [jobId, attempt] = await idOf(tokens, token);
      await sql`update pgboss.job set state = 'retry', start_after = now() where state = 'active' and id =
        (select entry_id from runner_runs where job_id = ${jobId} and attempt = ${attempt})`.execute(
        stores.database.kysely,
      );
    },
    async lapse({ token }) {
      const [jobId, attempt] = await idOf(tokens, token);
      await sql`update pgboss.job set heartbeat_on = now() - interval '1 hour' where state = 'active' and id =
        (select entry_id from runner_runs where job_id = ${jobId} and attempt = ${attempt})`.execute(
        stores.database.kysely,
      );
    },
    accept: (jobId) => acceptance(jobId, never),
  };
}

async function idOf(tokens: Awaited<ReturnType<typeof createTokens>>, token: string): Promise<[string, number]> {
  const reading = await tokens.read('runner', token, new Date(0));
  if (!reading.ok) throw new Error('not a token of a job');
  const [jobId = '', attempt] = reading.id.split('.');
  return [jobId, Number(attempt)];
}

export const soundOf = (text: string): Buffer => Buffer.from(`sound ${text}`);

export const answerWith = (...files: readonly RunnerFile[]): RunnerAnswer => ({
  files,
  result: {
    engine: 'rnnoise',
    noiseReduction: 85,
    linkedChannels: true,
    input: { integratedLufs: -20.5 },
  },
  warnings: [],
  processedSeconds: 60,
});

export const fileOf = (output: number, bytes: Buffer, changes: Partial<RunnerFile> = {}): RunnerFile => {
  const { ok: _ok, ...facts } = sound;
  return { output, sha256: sha256(bytes), filename: 'out.wav', ...facts, ...changes };
};
