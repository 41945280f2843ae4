import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { EarshotError } from '../../../../src/library/core/errors/errors.ts';
import { newId } from '../../../../src/service/rules/shared/ids.ts';
import type { Funds, Terms } from '../../../../src/service/rules/accounts/free.ts';
import type { JobSuccess } from '../../../../src/service/rules/jobs/job-store.ts';
import type { NewFile } from '../../../../src/service/rules/files/file-store.ts';
import { useDatabases, type TestStores } from '../../../fixtures/service/database.ts';
import { slow } from '../../../fixtures/rounds.ts';

const databases = useDatabases();
const seed = Number(process.env['EARSHOT_TEST_SEED'] ?? Date.now() % 1_000_000);
console.log(`money: EARSHOT_TEST_SEED=${seed}`);

const day = '2026-11-21';
const accounts = 3;

/**
 * One thing that somebody does. `job` picks among those that exist, `attempt` is how far behind the current one the
 * caller is.
 */
type Step =
  | { readonly do: 'grant'; readonly account: number; readonly credits: number }
  | { readonly do: 'adjust'; readonly account: number; readonly credits: number }
  | { readonly do: 'create'; readonly account: number; readonly price: number; readonly key: number | null }
  | { readonly do: 'createFree'; readonly account: number; readonly key: number | null }
  | { readonly do: 'turn' | 'start' | 'run'; readonly job: number; readonly worker: number }
  | { readonly do: 'requestCancel'; readonly job: number }
  | { readonly do: 'succeed' | 'fail' | 'cancel' | 'requeue'; readonly job: number; readonly behind: number };

const account = fc.nat(accounts - 1);
const job = fc.nat(40);
const behind = fc.constantFrom(0, 0, 0, 0, 1, 2, -1);
const key = fc.option(fc.nat(4));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('grant' as const), account, credits: fc.integer({ min: 1, max: 60 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('adjust' as const),
      account,
      credits: fc.integer({ min: -40, max: 20 }).filter((credits) => credits !== 0),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('create' as const), account, price: fc.integer({ min: 1, max: 30 }), key }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('createFree' as const), account, key }) },
  {
    weight: 7,
    arbitrary: fc.record({ do: fc.constantFrom('turn' as const, 'start' as const), job, worker: fc.nat(2) }),
  },
  // Single steps rarely meet: of 170 paid jobs four were charged, and in one of twenty tests none.
  { weight: 3, arbitrary: fc.record({ do: fc.constant('run' as const), job, worker: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('requestCancel' as const), job }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'succeed' as const,
        'succeed' as const,
        'fail' as const,
        'cancel' as const,
        'requeue' as const,
      ),
      job,
      behind,
    }),
  },
);
/** Reaches each kind of entry, which forty histories by chance now and then do not. */
const whole: Step[][] = [
  [
    { do: 'adjust', account: 1, credits: -3 },
    { do: 'create', account: 0, price: 5, key: null },
  ],
  [{ do: 'run', job: 0, worker: 0 }],
  [{ do: 'create', account: 1, price: 3, key: null }],
  [{ do: 'requestCancel', job: 1 }],
];

/** Groups run concurrently, one group after the other. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 3, maxLength: 18 });

const expected = new Set([
  'insufficient_balance',
  'idempotency_key_reused',
  'job_not_cancellable',
  'free_limit_reached',
]);
const dailyUses = 3;

async function perform(stores: TestStores, ids: readonly string[], jobs: string[], action: Step): Promise<void> {
  const { jobs: store, ledger } = stores;
  const accountId = 'account' in action ? (ids[action.account] ?? '') : '';
  const jobId = 'job' in action ? jobs[action.job % Math.max(1, jobs.length)] : undefined;
  if ('job' in action && jobId === undefined) return;
  const id = jobId ?? '';
  switch (action.do) {
    case 'grant':
      await ledger.post({ accountId, kind: 'grant', credits: action.credits, note: null });
      return;
    case 'adjust':
      await ledger.post({ accountId, kind: 'adjustment', credits: action.credits, note: null });
      return;
    case 'create':
    case 'createFree': {
      const free = action.do === 'createFree';
      const price = free ? 0 : action.price;
      const idempotency =
        action.key === null ? null : { key: `key ${action.key}`, requestHash: `${action.do} ${price}` };
      const answer = await store.create({
        id: newId('job'),
        accountId,
        freeSubject: { id: accountId, day },
        tool: 'remove_noise',
        inputs: {},
        options: {},
        idempotency,
        billing: { seconds: 60, creditsPerMinute: 1 },
        decide({ availableCredits, freeUsesTaken }) {
          expect(availableCredits).toBeGreaterThanOrEqual(0);
          if (free && freeUsesTaken >= dailyUses) throw new EarshotError('free_limit_reached', 'none left');
          // Half of the rules are careless, as rules could be: then the store has to refuse.
          if (!free && price % 2 === 0 && availableCredits < price)
            throw new EarshotError('insufficient_balance', 'not enough');
          return { free, windowSeconds: null, price };
        },
      });
      if (answer.created) jobs.push(answer.job.id);
      return;
    }
    case 'turn':
      await store.turn(id, `worker ${action.worker}`);
      return;
    case 'start':
      await store.start(id, `worker ${action.worker}`, 3);
      return;
    case 'run': {
      const started = await store.start(id, `worker ${action.worker}`, 3);
      if (started !== null) await store.succeed(id, started.attempt, success(id, accountId));
      return;
    }
    case 'requestCancel':
      await store.requestCancel(id);
      return;
    case 'succeed':
    case 'fail':
    case 'cancel':
    case 'requeue': {
      const attempt = ((await store.get(id))?.attempt ?? 0) - action.behind;
      const settled =
        action.do === 'succeed'
          ? await store.succeed(id, attempt, success(id, accountId))
          : action.do === 'fail'
            ? await store.fail(id, attempt, { code: 'no_audio', message: 'x' })
            : await store[action.do](id, attempt);
      // Attempts only grow: who is behind now is behind for ever.
      if (action.behind > 0) expect(settled).toBe(false);
    }
  }
}

const success = (jobId: string, accountId: string): JobSuccess => ({
  outputs: [output(accountId)],
  result: {},
  processedSeconds: 1,
  warnings: [],
  // Some runs turn out shorter than what was quoted.
  credits: jobId.charCodeAt(jobId.length - 1) % 2 === 0 ? Infinity : 1,
});

const output = (accountId: string): NewFile => ({
  id: newId('file'),
  accountId: accountId === '' ? null : accountId,
  kind: 'output',
  status: 'ready',
  filename: 'out.wav',
  contentType: 'audio/wav',
  sizeBytes: 1,
  sha256: null,
  durationSeconds: 1,
  format: 'wav',
  hasVideo: false,
  hasAudio: true,
  media: null,
  upload: null,
  objectKey: 'k',
  importHash: null,
  sourceJobId: null,
  createdAt: new Date(),
  expiresAt: new Date(),
});

/** Reads the books as an auditor would: from the tables, not through the code that wrote them. */
async function audit({ database: { kysely } }: TestStores): Promise<void> {
  const one = async (name: string, query: ReturnType<typeof sql<object>>): Promise<void> => {
    const { rows } = await query.execute(kysely);
    expect({ [name]: rows }).toEqual({ [name]: [] });
  };
  await one(
    'accounts whose ledger does not sum to them',
    sql`select a.id, a.balance, a.reserved, sum(l.credits) as credits, sum(l.reserved) as held from accounts a left join ledger l on l.account_id = a.id group by a.id having a.balance <> coalesce(sum(l.credits), 0) or a.reserved <> coalesce(sum(l.reserved), 0) or a.balance < 0 or a.reserved < 0`,
  );
  await one(
    'entries whose balance is not the sum up to them',
    sql`select * from (select id, balance, sum(credits) over (partition by account_id order by position) as running from ledger) as entries where balance <> running`,
  );
  await one(
    'accounts that hold something else than their open jobs cost',
    sql`select a.id from accounts a left join jobs j on j.account_id = a.id and j.status in ('queued', 'running') group by a.id having a.reserved <> coalesce(sum(j.price), 0)`,
  );
  await one(
    'jobs whose entries do not fit their end',
    sql`select * from (
      select j.id, j.status, j.price,
        count(*) filter (where l.kind = 'reserve') as reserves, count(*) filter (where l.kind = 'release') as releases,
        count(*) filter (where l.kind = 'charge') as charges, coalesce(-sum(l.credits), 0) as paid
      from jobs j left join ledger l on l.job_id = j.id group by j.id
    ) as books
    where reserves <> (price > 0)::int
      or charges <> (price > 0 and status = 'succeeded')::int
      or releases <> (price > 0 and status in ('failed', 'cancelled'))::int
      or paid > case when status = 'succeeded' then price else 0 end
      or paid < (price > 0 and status = 'succeeded')::int`,
  );
  await one(
    'free uses that no job took',
    sql`select u.* from free_uses u left join jobs j on j.free and j.free_subject = u.subject and j.free_day = u.day and j.tool = u.tool and j.status in ('queued', 'running', 'succeeded') group by u.subject, u.day, u.tool having u.taken <> count(j.id) or u.taken > ${dailyUses}`,
  );
  await one(
    'keys that name no job of their owner',
    sql`select i.* from idempotency i left join jobs j on j.id = i.target_id and j.account_id = i.owner where j.id is null`,
  );
  await one(
    'jobs without as many outputs as they ended with',
    sql`select id from jobs where cardinality(output_file_ids) <> (status = 'succeeded')::int`,
  );
}

test('any history of concurrent creations, starts, settlements and cancels leaves exact books', async () => {
  const stores = await databases.freshStores();
  await fc.assert(
    fc.asyncProperty(history, async (groups) => {
      const ids = await Promise.all(
        Array.from(
          { length: accounts },
          async () => (await stores.accounts.create({ id: newId('acc'), name: 'x', oauthSubject: null })).id,
        ),
      );
      for (const accountId of ids) await stores.ledger.post({ accountId, kind: 'grant', credits: 50, note: null });
      const jobs: string[] = [];
      for (const group of groups) {
        const outcomes = await Promise.allSettled(group.map((action) => perform(stores, ids, jobs, action)));
        for (const outcome of outcomes)
          if (
            outcome.status === 'rejected' &&
            !(outcome.reason instanceof EarshotError && expected.has(outcome.reason.code))
          )
            throw outcome.reason;
      }
      await audit(stores);
    }),
    { seed, numRuns: 40, endOnFailure: true, examples: [[whole]] },
  );
  const { rows } = await sql<{
    kind: string;
    count: number;
  }>`select kind, count(*)::int as count from ledger group by kind`.execute(stores.database.kysely);
  // The histories reach everything; otherwise the properties say little.
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(
    new Set(['grant', 'adjustment', 'reserve', 'release', 'charge']),
  );
});

test(
  'one balance, 100 concurrent jobs, settlements that are sent twice: exactly what fits is taken',
  slow,
  async () => {
    const stores = await databases.freshStores();
    const { id: accountId } = await stores.accounts.create({ id: newId('acc'), name: 'x', oauthSubject: null });
    await stores.ledger.post({ accountId, kind: 'purchase', credits: 205, note: null });
    const seen: number[] = [];
    const decide = ({ availableCredits }: Funds): Terms => {
      seen.push(availableCredits);
      return { free: false, windowSeconds: null, price: 10 };
    };
    const created = await Promise.allSettled(
      Array.from({ length: 100 }, () =>
        stores.jobs.create({
          id: newId('job'),
          accountId,
          freeSubject: { id: accountId, day },
          tool: 'remove_noise',
          inputs: {},
          options: {},
          idempotency: null,
          billing: { seconds: 60, creditsPerMinute: 1 },
          decide,
        }),
      ),
    );
    const jobs = created.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.job.id] : []));
    expect(jobs).toHaveLength(20);
    // Nobody decides on credits that somebody else is just taking.
    expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => Math.max(5, 205 - 10 * n)));
    expect(await stores.accounts.get(accountId)).toMatchObject({ balance: 205, reserved: 200 });
    await Promise.all(
      jobs.map(async (id, n) => {
        await stores.jobs.start(id, 'worker', 3);
        const settle = (): Promise<boolean> =>
          n % 2 === 0
            ? stores.jobs.succeed(id, 1, {
                outputs: [output(accountId)],
                result: {},
                processedSeconds: 1,
                warnings: [],
                credits: Infinity,
              })
            : stores.jobs.fail(id, 1, { code: 'no_audio', message: 'x' });
        const settled = await Promise.all([settle(), settle(), settle()]);
        expect(settled.filter(Boolean)).toHaveLength(1);
      }),
    );
    expect(await stores.accounts.get(accountId)).toMatchObject({ balance: 105, reserved: 0 });
    await audit(stores);
  },
);
