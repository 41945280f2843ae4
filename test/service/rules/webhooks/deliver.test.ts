// Events of jobs and files, from the change of the record to a receiver that is not always kind.
import { afterEach, expect, it } from 'vitest';
import { createWebhookDelivering, type DeliveryTerms } from '../../../../src/service/rules/webhooks/deliver.ts';
import { tellOff } from '../../../../src/service/rules/webhooks/tell-off.ts';
import type { Mail } from '../../../../src/service/rules/mails/mailer.ts';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import { createWebhooks, type Webhooks } from '../../../../src/service/rules/webhooks/webhooks.ts';
import type { WebhookEvent } from '../../../../src/service/rules/webhooks/webhook-store.ts';
import type { Account } from '../../../../src/service/rules/accounts/account.ts';
import { publicAddress } from '../../../fixtures/links/server.ts';
import { seeded } from '../../../fixtures/random.ts';
import { rounds, slow } from '../../../fixtures/rounds.ts';
import { quietLog, useDatabases, type TestStores } from '../../../fixtures/service/database.ts';
import { newAccount, newFile, newJob, paid } from '../../../fixtures/service/rows.ts';
import { until } from '../../../fixtures/until.ts';
import {
  type HostileReceiver,
  manners,
  type Received,
  startHostileReceiver,
} from '../../../fixtures/webhooks/hostile-server.ts';

const databases = useDatabases();
const url = 'https://media.example.com/hooks';
const quickTerms: DeliveryTerms = {
  waitsSeconds: [0.02, 0.05, 0.1],
  switchOffSeconds: 3600,
  leaseSeconds: 4,
  betweenLooksMs: 20,
};
const receivers: HostileReceiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

interface Bench {
  readonly stores: TestStores;
  readonly account: Account;
  readonly receiver: HostileReceiver;
  readonly webhooks: Webhooks;
  readonly endpoint: string;
  readonly switchedOff: string[];
  readonly mails: Mail[];
  delivering(terms?: Partial<DeliveryTerms>): ReturnType<typeof createWebhookDelivering>;
}

async function bench(events?: readonly WebhookEvent[]): Promise<Bench> {
  const stores = await databases.freshStores();
  const account = await newAccount(stores, 100_000);
  const receiver = await startHostileReceiver(40);
  receivers.push(receiver);
  const webhooks = createWebhooks({ webhooks: stores.webhooks, links: createLinkFetcher() });
  const { endpoint, secret } = await webhooks.create(account, { url, ...(events === undefined ? {} : { events }) });
  receiver.secret = secret;
  const switchedOff: string[] = [];
  const mails: Mail[] = [];
  return {
    mails,
    stores,
    account,
    receiver,
    webhooks,
    endpoint: endpoint.id,
    switchedOff,
    delivering: (terms = {}) =>
      createWebhookDelivering({
        webhooks: stores.webhooks,
        sender: receiver.sender,
        log: quietLog,
        now: () => new Date(),
        terms: { ...quickTerms, ...terms },
        onSwitchedOff: async (accountId, off) => {
          switchedOff.push(off.url);
          await tellOff({
            accounts: { get: async () => ({ ...account, email: 'ann@example.org' }) },
            mailer: { send: async (mail) => void mails.push(mail), close: async () => undefined },
            baseUrl: () => 'https://earshot.example.org',
          })(accountId, off);
        },
      }),
  };
}

const leads = (): Promise<void> => Promise.resolve();

/** Ordered, started, and at its end. */
async function runJob({ jobs }: TestStores, account: Account, end: 'succeed' | 'fail' | 'cancel'): Promise<string> {
  const { job } = await jobs.create(newJob(account.id, paid(1)));
  const started = await jobs.start(job.id, 'worker', 3);
  const attempt = started?.attempt ?? 0;
  if (end === 'succeed') {
    const output = newFile(account.id, { kind: 'output', status: 'ready', sourceJobId: job.id });
    await jobs.succeed(job.id, attempt, {
      outputs: [output],
      result: {},
      warnings: [],
      processedSeconds: 60,
      credits: 1,
    });
  } else if (end === 'fail')
    await jobs.fail(job.id, attempt, { code: 'no_audio', message: 'secret words', retryable: false });
  else await jobs.cancel(job.id, attempt);
  return job.id;
}

const typesOf = (received: readonly Received[], subject: string): string[] =>
  received.filter((each) => each.subject === subject).map(({ type }) => type);

it('tells of a job and its file, signed as the scheme says, without what people wrote', async () => {
  const { stores, account, receiver, delivering, webhooks, endpoint } = await bench();
  const done = await runJob(stores, account, 'succeed');
  const failed = await runJob(stores, account, 'fail');
  const other = await newAccount(stores, 100);
  await runJob(stores, other, 'succeed');
  await delivering().round(leads);

  expect(typesOf(receiver.received, done)).toEqual(['job.created', 'job.started', 'job.completed']);
  expect(typesOf(receiver.received, failed)).toEqual(['job.created', 'job.started', 'job.failed']);
  expect(receiver.received.filter(({ type }) => type === 'file.ready')).toHaveLength(1);
  expect(receiver.received.every(({ verified }) => verified)).toBe(true);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(7);
  const { rows } = await stores.database.query('select data from webhook_deliveries');
  expect(JSON.stringify(rows)).not.toMatch(/secret words|talk/);
  const log = await webhooks.deliveries(account, endpoint, { cursor: null, limit: 3 });
  expect(log.items[0]).toMatchObject({ type: 'job.failed', status: 'delivered', answerStatus: 204, tries: 1 });
  const rest = await webhooks.deliveries(account, endpoint, { cursor: log.nextCursor, limit: 100 });
  expect(rest.items).toHaveLength(4);
});

it('an event is written in the transaction of its change: one that is taken back leaves none', async () => {
  const { stores, account } = await bench();
  await expect(
    stores.database.transaction(async (trx) => {
      await trx
        .insertInto('files')
        .values({ ...newFile(account.id, { status: 'ready' }), media: null, upload: null, visitor: null })
        .execute();
      throw new Error('taken back');
    }),
  ).rejects.toThrow('taken back');
  expect((await stores.database.query('select 1 from webhook_deliveries')).rows).toEqual([]);
});

it('the earlier release, whose role has no rights on these tables, ends a job and tells of it', async () => {
  const { stores, account } = await bench(['job.completed']);
  const owner = databases.asOwner(stores.database);
  const { rows } = await stores.database.query('select current_user as role');
  const { role } = rows[0] as { role: string };
  await owner.query(`revoke all on webhook_endpoints, webhook_deliveries from ${role}`);
  const id = await runJob(stores, account, 'succeed');
  expect((await owner.query('select type, subject from webhook_deliveries')).rows).toEqual([
    { type: 'job.completed', subject: id },
  ]);
});

it('only the events asked for are sent, and a new secret signs beside the old one', async () => {
  const { stores, account, receiver, delivering, webhooks, endpoint } = await bench(['job.cancelled', 'file.deleted']);
  const { secret } = await webhooks.rotate(account, endpoint);
  expect(secret).not.toBe(receiver.secret);
  const id = await runJob(stores, account, 'cancel');
  await delivering().round(leads);
  receiver.secret = secret;
  const file = await stores.files.create(newFile(account.id, { status: 'ready' }), null);
  await stores.files.update(file.file.id, ['ready'], { status: 'deleted' });
  await delivering().round(leads);
  expect(receiver.received.map(({ type, subject, verified }) => [type, subject, verified])).toEqual([
    ['job.cancelled', id, true],
    ['file.deleted', file.file.id, true],
  ]);
});

it('what fails waits longer each time, holds back what follows of the same job, and ends after a day', async () => {
  const { stores, account, receiver, delivering, webhooks, endpoint } = await bench();
  receiver.manner = () => 'error';
  await runJob(stores, account, 'cancel');
  const sending = delivering({ waitsSeconds: [1000, 2000] });
  await sending.round(leads);
  const { items } = await webhooks.deliveries(account, endpoint, { cursor: null, limit: 9 });
  expect(items.map(({ type, tries, answerStatus, answer }) => [type, tries, answerStatus, answer])).toEqual([
    ['job.cancelled', 0, null, null],
    ['job.started', 0, null, null],
    ['job.created', 1, 500, 'not now'],
  ]);
  const waits = (items[2]!.nextAt!.getTime() - items[2]!.triedAt!.getTime()) / 1000;
  expect(waits).toBeGreaterThan(790);
  expect(waits).toBeLessThan(1001);
  // Its day is over: it is tried once more, and gives way to the next.
  await stores.database.query(
    `update webhook_deliveries set next_at = now(), gives_up_at = now() where type = 'job.created'`,
  );
  await sending.round(leads);
  const after = await webhooks.deliveries(account, endpoint, { cursor: null, limit: 9 });
  expect(after.items.map(({ status, tries }) => [status, tries])).toEqual([
    ['pending', 0],
    ['pending', 1],
    ['failed', 2],
  ]);
  // By hand it is sent again, before those that wait behind it.
  receiver.manner = () => 'take';
  await webhooks.replay(account, endpoint, after.items[2]!.id);
  await stores.database.query('update webhook_deliveries set next_at = now()');
  await sending.round(leads);
  expect(receiver.received.map(({ type }) => type)).toEqual(['job.created', 'job.started', 'job.cancelled']);
});

it('an address that failed for a day, or is gone, is switched off, and nothing is kept for it', async () => {
  const { stores, account, receiver, delivering, webhooks, endpoint, switchedOff, mails } = await bench();
  receiver.manner = () => 'error';
  await runJob(stores, account, 'fail');
  await delivering({ waitsSeconds: [1000] }).round(leads);
  expect(await webhooks.get(account, endpoint)).toMatchObject({ enabled: true, failingSince: expect.any(Date) });
  await stores.database.query(`update webhook_endpoints set failing_since = now() - interval '2 hours'`);
  await stores.database.query('update webhook_deliveries set next_at = now()');
  await delivering({ waitsSeconds: [1000], switchOffSeconds: 3600 }).round(leads);
  expect(await webhooks.get(account, endpoint)).toMatchObject({ enabled: false, offReason: 'failing' });
  expect(switchedOff).toEqual([url]);
  expect(mails.map(({ to, text }) => [to, text.includes(url), text.includes(`/webhooks/${endpoint}`)])).toEqual([
    ['ann@example.org', true, true],
  ]);
  const { items } = await webhooks.deliveries(account, endpoint, { cursor: null, limit: 9 });
  expect(items.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  await runJob(stores, account, 'fail');
  expect((await webhooks.deliveries(account, endpoint, { cursor: null, limit: 9 })).items).toHaveLength(3);
  await expect(webhooks.replay(account, endpoint, items[0]!.id)).rejects.toMatchObject({ code: 'conflict' });
  expect(await webhooks.update(account, endpoint, { enabled: true })).toMatchObject({
    offReason: null,
    failingSince: null,
  });
  receiver.manner = () => 'take';
  await webhooks.test(account, endpoint);
  await delivering().round(leads);
  expect(receiver.received.map(({ type }) => type)).toEqual(['webhook.test']);
});

it('each manner of a bad server is told in the log, and reaches nothing else', slow, async () => {
  const { account, receiver, delivering, webhooks, endpoint } = await bench();
  const told: Record<string, unknown> = {};
  for (const manner of manners) {
    receiver.manner = () => manner;
    const { id } = await webhooks.test(account, endpoint);
    await delivering({ waitsSeconds: [1000] }).round(leads);
    const { items } = await webhooks.deliveries(account, endpoint, { cursor: null, limit: 100 });
    const { status, answerStatus, answer } = items.find((each) => each.id === id)!;
    told[manner] = [status, answerStatus, answer?.slice(0, 100)];
  }
  expect(told).toMatchObject({
    take: ['delivered', 204, ''],
    down: ['pending', null, expect.stringContaining('it refused the connection')],
    deaf: ['pending', null, expect.stringContaining('it did not respond in time')],
    'wrong TLS': ['pending', null, expect.stringContaining('media.example.com')],
    inside: ['pending', null, expect.stringContaining('its name does not resolve')],
    error: ['pending', 500, 'not now'],
    redirect: ['pending', 307, expect.stringContaining('Redirects are not followed')],
    'redirect inside': ['pending', 302, expect.stringContaining('Redirects are not followed')],
    'huge headers': ['pending', null, expect.stringContaining('media.example.com')],
    'huge body': ['delivered', 200, 'x'.repeat(100)],
    'endless error': ['pending', 503, expect.stringMatching(/^z+$/)],
    'no HTTP': ['pending', null, expect.stringContaining('its response is not valid HTTP')],
    'hang up': ['pending', null, expect.stringContaining('the connection was closed')],
  });
  expect(receiver.strays).toBe(0);
  expect(new Set(receiver.dialled)).toEqual(new Set([publicAddress]));
});

it('reaches a server of changing manners with every event, in order, over senders that die', slow, async () => {
  const seed = Number(process.env['EARSHOT_SEED'] ?? Date.now() % 1_000_000);
  const count = Number(process.env['EARSHOT_WEBHOOK_EVENTS'] ?? rounds(60, 300));
  console.info(`webhooks: seed ${seed}, ${count} events`);
  const random = seeded(seed);
  const { stores, account, receiver, delivering } = await bench();
  // Half of what it is asked goes wrong at first: spells of one manner, the last of them kind.
  let asked = 0;
  let spell = 0;
  let manner = manners[0] as (typeof manners)[number];
  receiver.manner = () => {
    asked += 1;
    if (asked > count * 6) return 'take';
    if (spell-- <= 0) {
      spell = 5 + Math.floor(random() * 25);
      manner = manners[Math.floor(random() * manners.length)] ?? 'take';
    }
    return manner;
  };
  const subjects: string[] = [];
  const working = (async () => {
    // A job has four events: three of its own and that of its output, or three.
    for (let events = 0; events < count; events += 3) {
      subjects.push(await runJob(stores, account, (['fail', 'cancel', 'succeed'] as const)[subjects.length % 3]!));
    }
  })();
  let sending = delivering();
  let deaths = 0;
  const left = async (): Promise<number> => {
    const { rows } = await stores.database.query(
      `select count(*)::int as left from webhook_deliveries where status = 'pending'`,
    );
    return (rows[0] as { left: number }).left;
  };
  let worked = false;
  void working.then(() => (worked = true));
  await until('all is delivered', async () => {
    // A process dies with what it was sending; another one goes on when the leases end.
    const killed = sending;
    const death = setTimeout(
      () => {
        deaths += 1;
        killed.stop();
      },
      deaths < 5 ? 50 + random() * count : 1_000_000,
    );
    await sending.round(leads);
    clearTimeout(death);
    sending = delivering();
    return worked && (await left()) === 0;
  });
  await working;

  const { rows } = await stores.database.query(
    'select id, subject, type, position from webhook_deliveries order by position',
  );
  const written = rows as { id: string; subject: string; type: string }[];
  expect(written.length).toBeGreaterThanOrEqual(count);
  const got = new Set(receiver.received.map(({ id }) => id));
  expect(written.filter(({ id }) => !got.has(id))).toEqual([]);
  expect(receiver.received.every(({ verified }) => verified)).toBe(true);
  const wrong = subjects.filter((subject) => {
    const order = written.filter((each) => each.subject === subject).map(({ id }) => id);
    const places = receiver.received.filter((each) => each.subject === subject).map(({ id }) => order.indexOf(id));
    return places.some((place, at) => at > 0 && place < (places[at - 1] ?? 0));
  });
  expect(wrong).toEqual([]);
  expect(receiver.strays).toBe(0);
  expect(new Set(receiver.dialled)).toEqual(new Set([publicAddress]));
  console.info(
    `webhooks: ${written.length} events in ${receiver.received.length} requests taken, ${receiver.dialled.length} connections, ${deaths} deaths`,
  );
});
