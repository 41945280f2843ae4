// Mails about long jobs and chains, to the account's own address: written with the change, sent once, and asked for.
import { expect, it } from 'vitest';
import { createLinkFetcher } from '../../../../src/service/adapters/links/link-fetcher.ts';
import type { Account } from '../../../../src/service/rules/accounts/account.ts';
import type { Mail } from '../../../../src/service/rules/mails/mailer.ts';
import { endedMail } from '../../../../src/service/rules/mails/mails.ts';
import { createWebhookDelivering } from '../../../../src/service/rules/webhooks/deliver.ts';
import { createMailEvents } from '../../../../src/service/rules/webhooks/mail-event.ts';
import { createWebhooks } from '../../../../src/service/rules/webhooks/webhooks.ts';
import { quietLog, useDatabases } from '../../../fixtures/service/database.ts';
import { newAccount, newJob, paid } from '../../../fixtures/service/rows.ts';

const databases = useDatabases();
const leads = (): Promise<void> => Promise.resolve();

async function bench() {
  const stores = await databases.freshStores();
  const plain = await newAccount(stores, 1000);
  const account: Account = { ...plain, email: 'ann@example.org', language: 'de' };
  const mails: Mail[] = [];
  let isDown = false;
  const mailer = {
    send: async (mail: Mail) => {
      if (isDown) throw new Error('The mail server cannot be reached');
      mails.push(mail);
    },
    close: async () => undefined,
  };
  const mail = createMailEvents({
    accounts: { get: async () => account },
    orderedAt: async (id) => (await stores.jobs.getSummary(id))?.createdAt ?? null,
    mailer,
    baseUrl: () => 'https://earshot.example.org',
  });
  const never = () => Promise.reject(new Error('nothing is posted'));
  const delivering = () =>
    createWebhookDelivering({
      webhooks: stores.webhooks,
      sender: { post: never },
      mail,
      log: quietLog,
      now: () => new Date(),
      terms: { waitsSeconds: [0.01], switchOffSeconds: 3600, leaseSeconds: 4, betweenLooksMs: 10 },
    });
  const webhooks = createWebhooks({ webhooks: stores.webhooks, links: createLinkFetcher(), sendsMails: true });
  /** Ordered so many minutes ago, and failed now. */
  const failed = async (minutes: number): Promise<string> => {
    const { job } = await stores.jobs.create(newJob(account.id, paid(1)));
    await stores.database.query(
      `update jobs set created_at = clock_timestamp() - $2 * interval '1 minute' where id = $1`,
      [job.id, minutes],
    );
    const started = await stores.jobs.start(job.id, 'worker', 3);
    await stores.jobs.fail(job.id, started?.attempt ?? 0, { code: 'no_audio', message: 'words', retryable: false });
    return job.id;
  };
  return { stores, account, mails, webhooks, delivering, failed, setDown: (down: boolean) => void (isDown = down) };
}

it('mails the end of a job that took five minutes, once, and of no shorter one', async () => {
  const { account, mails, webhooks, delivering, failed } = await bench();
  const { endpoint } = await webhooks.create(account, { url: 'mailto:Ann@example.org' });
  expect(endpoint.events).toEqual(['job.completed', 'job.failed', 'chain.completed', 'chain.failed']);
  const [long, short] = [await failed(12), await failed(2)];
  for (let round = 0; round < 3; round += 1) await delivering().round(leads);
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatchObject({ to: 'ann@example.org', subject: expect.stringContaining('Fehlgeschlagen: ') });
  expect(mails[0]?.text).toContain(long);
  expect(mails[0]?.text).toContain('no_audio');
  expect(mails[0]?.text).not.toContain('words');
  const { items } = await webhooks.deliveries(account, endpoint.id, { cursor: null, limit: 10 });
  expect(items.map(({ subject, status, answer }) => [subject, status, answer])).toEqual([
    [short, 'delivered', 'No mail: it took less than 5 minutes'],
    [long, 'delivered', 'The mail server took it'],
  ]);
});

it('loses none while the mail server is away, and repeats one only with the same Message-ID', async () => {
  const { account, mails, webhooks, delivering, failed, setDown, stores } = await bench();
  await webhooks.create(account, { url: 'mailto:ann@example.org' });
  setDown(true);
  await failed(12);
  await delivering().round(leads);
  expect(mails).toEqual([]);
  setDown(false);
  await stores.database.query('update webhook_deliveries set next_at = now()');
  await delivering().round(leads);
  expect(mails).toHaveLength(1);
  // A sender that died after the mail server's answer, before it was written down.
  await stores.database.query(
    `update webhook_deliveries set status = 'pending', leased_until = now(), next_at = now()`,
  );
  await delivering().round(leads);
  expect(new Set(mails.map(({ id }) => id))).toEqual(new Set([mails[0]?.id]));
  expect(mails[0]?.id).toMatch(/^evt_/);
});

it('mails to no address but the account’s own, also when it changes', async () => {
  const { account, mails, webhooks, delivering, failed, stores } = await bench();
  for (const url of ['mailto:bob@example.org', 'mailto:ann@example.org?cc=bob@example.org', 'mailto:'])
    await expect(webhooks.create(account, { url })).rejects.toMatchObject({ code: 'bad_request' });
  const silent = createWebhooks({ webhooks: stores.webhooks, links: createLinkFetcher() });
  await expect(silent.create(account, { url: 'mailto:ann@example.org' })).rejects.toMatchObject({
    code: 'bad_request',
  });
  const { endpoint } = await webhooks.create(account, { url: 'mailto:ann@example.org' });
  Object.assign(account, { email: 'new@example.org' });
  await failed(12);
  await delivering().round(leads);
  expect(mails).toEqual([]);
  expect(await webhooks.get(account, endpoint.id)).toMatchObject({ enabled: false, offReason: 'gone' });
});

it('says of a test that it is one, and leads to the page of what has ended', async () => {
  const { account, mails, webhooks, delivering, failed, stores } = await bench();
  Object.assign(account, { language: 'en' });
  const { endpoint } = await webhooks.create(account, { url: 'mailto:ann@example.org' });
  await webhooks.test(account, endpoint.id);
  await delivering().round(leads);
  expect(mails[0]?.subject).toBe('A test of your mails');
  expect(mails[0]?.text).not.toMatch(/finished|files/);
  expect(mails[0]?.text).toContain(`https://earshot.example.org/webhooks/${endpoint.id}`);
  // Of a job that waited for long, its start is no end.
  // An endpoint of an older release may ask for starts.
  await stores.webhooks.update(account.id, endpoint.id, { events: ['job.started', 'job.failed'] });
  await failed(12);
  await delivering().round(leads);
  expect(mails.map(({ subject }) => subject)).toEqual(['A test of your mails', expect.stringMatching(/^Failed: /)]);
  const facts = { what: 'podcast', errorCode: null, orderedAt: new Date(0), at: new Date(0), siteUrl: 'https://e.org' };
  const chain = endedMail('a@e.org', 'en', { ...facts, id: 'chain_1', ended: 'completed' });
  expect(chain.text).toContain('https://e.org/chains/chain_1\n');
  // How long files are kept is the service's to say: a day is only the default.
  expect(chain.text).not.toContain('a day');
});

it('refuses events that are never mailed, where they are named and where the address becomes a mailbox', async () => {
  const { account, webhooks } = await bench();
  const url = 'mailto:ann@example.org';
  for (const event of ['job.started', 'file.ready', 'chain.created'] as const)
    await expect(webhooks.create(account, { url, events: ['job.failed', event] })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('job.cancelled'),
    });
  const { endpoint } = await webhooks.create(account, { url, events: ['job.cancelled'] });
  await expect(webhooks.update(account, endpoint.id, { events: ['file.ready'] })).rejects.toThrow('events');
  expect(await webhooks.update(account, endpoint.id, { description: 'mine' })).toMatchObject({
    events: ['job.cancelled'],
  });
  const server = await webhooks.create(account, { url: 'https://hooks.example.com/', events: ['file.ready'] });
  await expect(webhooks.update(account, server.endpoint.id, { url })).rejects.toThrow('events');
});
