// @module-tag slow
// Chains while workers and APIs are killed: real processes, kill -9, one database. In full:
//   EARSHOT_CHAINS=60 EARSHOT_KILLS=100 npx vitest run --config test/config/all.config.ts
// test/service/serve/chain-kills.test.ts
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/service/adapters/postgres/database/database.ts';
import { createEngine } from '../../../src/library/runtime/engine/engine.ts';
import type { Chain } from '../../../src/library/runtime/chains/chain.ts';
import { runChain } from '../../../src/library/runtime/chains/run-chain.ts';
import { wavBytes } from '../../fixtures/media/pcm-files.ts';
import { useDatabases } from '../../fixtures/service/database.ts';
import { quietLog } from '../../fixtures/service/quiet-log.ts';
import {
  type Client,
  createClient,
  type RunningService,
  startService,
} from '../../fixtures/service/running-service.ts';
import { seeded } from '../../fixtures/random.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const { emptyDatabase } = useDatabases();
const folder = temporaryFolder('earshot-chain-kills-');
const count = Number(process.env['EARSHOT_CHAINS'] ?? 2);
const kills = Number(process.env['EARSHOT_KILLS'] ?? 2);
const seed = Number(process.env['EARSHOT_SEED'] ?? Date.now() % 100_000);

const chain: Chain = {
  name: 'tidy',
  steps: [
    { tool: 'loudness', options: { target: 'broadcast' } },
    { tool: 'cut', options: { ranges: [[0.5, 1]] } },
    { tool: 'loudness', name: 'again', options: { target: 'streaming' } },
  ],
};

const rate = 48_000;
const samples = Float32Array.from({ length: 4 * rate }, (_, at) => 0.2 * Math.sin((2 * Math.PI * 330 * at) / rate));
const source = new Uint8Array(wavBytes([samples], rate));

/** Asks again while the API is being started. */
async function patiently<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (thrown) {
      // What the service says itself counts, but that its database or disk is away.
      if (tries > 6000 || / answered 4/.test(String(thrown))) throw thrown;
      await sleep(100);
    }
  }
}

/** Chains that are under way at a time, so that at any time some are in each of their steps. */
const atOnce = 6;

/**
 * Kills processes of the services until so many are dead: by turns all workers while a first, a second, a third step is
 * at work, and any process at any time.
 * @param isAtWork is a step of this index running?
 */
async function killAll(
  services: readonly RunningService[],
  isOver: () => boolean,
  isAtWork: (step: number) => Promise<boolean>,
): Promise<number> {
  const random = seeded(seed);
  let killed = 0;
  // The last step first: of few kills one meets it.
  for (let turn = 3; killed < kills && !isOver(); turn += 3) {
    const step = (turn % 4) - 1;
    if (step >= 0) {
      while (!isOver() && !(await isAtWork(step).catch(() => false))) await sleep(5);
      for (const pid of services.flatMap((service) => service.pids().worker)) {
        process.kill(pid, 'SIGKILL');
        killed += 1;
      }
      continue;
    }
    await sleep(300 + 1200 * random());
    const pids = services.flatMap((service) => {
      const { api, worker } = service.pids();
      return [...api, ...worker];
    });
    const pid = pids[Math.floor(random() * pids.length)];
    if (pid === undefined) continue;
    process.kill(pid, 'SIGKILL');
    killed += 1;
  }
  return killed;
}

it(`${count} chains are each done and charged once while ${kills} processes are killed (seed ${seed})`, async () => {
  const url = await emptyDatabase();
  const data = join(folder, 'data');
  const flags = ['--database-url', url, '--rate-limit-account', '1000000'];
  const jobs = ['--role', 'worker', '--job-slots', '1'];
  const api = await startService(data, [...flags, '--role', 'api', '--first-credits', '100000']);
  const workers = await Promise.all([startService(data, [...flags, ...jobs]), startService(data, [...flags, ...jobs])]);
  const services = [api, ...workers];
  const database = openDatabase({ url, log: quietLog });
  const ask = async <Row>(text: string): Promise<Row[]> => (await database.query(text)).rows as Row[];
  try {
    const client: Client = createClient(api.address, api.key ?? '');
    const file = await client.upload(source, 'talk.wav');
    const ended = new Set<string>();
    let killing = true;
    const isAtWork = async (step: number): Promise<boolean> =>
      (await ask(`select 1 from jobs where chain_step = ${step} and status = 'running'`)).length > 0;
    const killer = killAll(services, () => ended.size === count, isAtWork).finally(() => (killing = false));
    const numbers = Array.from({ length: count }, (_, number) => number).values();
    const runAll = async (): Promise<void> => {
      for (const number of numbers) {
        const body = { chain, file_ids: [file.id], format: 'wav', idempotency_key: `chain-${number}` };
        const { id } = await patiently(() => client.call<{ id: string }>('POST', '/api/v1/chains', body));
        for (;;) {
          const shown = await patiently(() =>
            client.call<{ status: string; error: unknown }>('GET', `/api/v1/chains/${id}`),
          );
          expect(['queued', 'running', 'succeeded'], JSON.stringify(shown.error)).toContain(shown.status);
          if (shown.status === 'succeeded') break;
          await sleep(200);
        }
        ended.add(id);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, runAll));
    const killed = await killer;
    expect(killing).toBe(false);

    const ledger = await ask<{ id: string; reserves: number; charges: number; releases: number; left: number }>(
      `select job_id as id, count(*) filter (where kind = 'reserve')::int as reserves,
         count(*) filter (where kind = 'charge')::int as charges,
         count(*) filter (where kind = 'release')::int as releases, sum(reserved)::int as left
       from ledger where job_id is not null group by job_id`,
    );
    expect(new Set(ledger.map(({ id }) => id))).toEqual(ended);
    for (const { id: _, ...entries } of ledger)
      expect(entries).toEqual({ reserves: 1, charges: 1, releases: 0, left: 0 });
    const [account] = await ask<{ balance: number; reserved: number; sum: number }>(
      `select balance::int as balance, reserved::int as reserved,
         (select sum(credits) from ledger where account_id = accounts.id)::int as sum from accounts`,
    );
    expect(account).toEqual({ balance: 100_000 - 3 * count, reserved: 0, sum: 100_000 - 3 * count });
    // A job for each step, each of which succeeded, and one output of each: nothing was done again after it was done.
    const steps = await ask<{ chain: string; done: number; jobs: number; files: number }>(
      `select chain_id as chain, count(distinct jobs.id) filter (where jobs.status = 'succeeded')::int as done,
         count(distinct jobs.id)::int as jobs, count(files.id)::int as files
       from jobs left join files on files.source_job_id = jobs.id group by chain_id`,
    );
    expect(steps).toHaveLength(count);
    for (const { chain: _, ...step } of steps) expect(step).toEqual({ done: 3, jobs: 3, files: 3 });
    const attempts = await ask<{ more: number }>(
      `select sum(attempt - 1)::int as more from jobs group by chain_step order by chain_step`,
    );
    const more = attempts.map((step) => step.more).join(', ');
    process.stdout.write(`${count} chains, ${killed} kills; begun again by step: ${more} (seed ${seed})\n`);

    writeFileSync(join(folder, 'talk.wav'), source);
    await using engine = createEngine({ tempDir: folder, concurrency: 1 });
    const here = await runChain(engine, chain, [join(folder, 'talk.wav')], { output: join(folder, 'here.wav') });
    const sha256 = createHash('sha256')
      .update(readFileSync(here.outputs[0]?.path ?? ''))
      .digest('hex');
    const results = await ask<{ sha256: string }>(
      `select sha256 from files where id in (select unnest(output_file_ids) from chains)`,
    );
    expect(results).toEqual(Array.from({ length: count }, () => ({ sha256 })));
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    await database.close();
  }
}, 3_600_000);
