// Auto-refill: a card that Stripe keeps is charged below a threshold, once however many look at once, up to a monthly
// cap; what fails is told and not tried again by itself.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Account } from '../../../../src/service/rules/accounts/account.ts';
import { type MailServer, startMailServer } from '../../../fixtures/mail/server.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import { atStripe, startStripe, stripeEvent, type StripeStandIn } from '../../../fixtures/stripe/stand-in.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
let post: MailServer;
let stripe: StripeStandIn;
let service: TestService;
let clock = 0;

beforeAll(async () => {
  post = await startMailServer();
  stripe = await startStripe();
  service = await services.start({
    worker: false,
    now: () => new Date(Date.now() + clock),
    config: { ...atStripe(stripe), smtpUrl: post.url, mailFrom: 'Earshot <noreply@audio.test>' },
  });
});
afterAll(async () => {
  await stripe.close();
  post.close();
});
beforeEach(() => {
  clock = 0;
  stripe.declines = undefined;
  stripe.failures = 0;
});

const wish = { thresholdCents: 100, amountCents: 500, monthlyCapCents: 1000 };
const refills = () => service.service.payments.refills;
const now = (id: string): Promise<Account> => service.operator.account(id);

async function send(type: string, object: object): Promise<void> {
  const { body, headers } = stripeEvent(type, object);
  const answer = await fetch(`${service.base}/payments/stripe`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
}

let cards = 0;

/** An account with few credits, and a card that was saved as Stripe says it. */
async function withCard(credits = 150): Promise<Account> {
  const { account } = await service.account(credits);
  expect(await refills().saveCard(account, `press-${cards}`)).toBe(stripe.sessions.at(-1)?.url);
  const form = stripe.sessions.at(-1)?.form;
  expect([form?.get('mode'), form?.get('metadata[account_id]')]).toEqual(['setup', account.id]);
  await send('checkout.session.completed', {
    id: 'cs_setup',
    object: 'checkout.session',
    mode: 'setup',
    setup_intent: `seti${(cards += 1)}`,
    metadata: { account_id: account.id },
  });
  return now(account.id);
}

const spend = (id: string, credits: number) => service.operator.postCredits(id, 'adjustment', -credits, 'spent');
const bought = async (id: string): Promise<number> =>
  (await service.operator.ledger(id, { cursor: null, limit: 100 })).items.filter(({ kind }) => kind === 'purchase')
    .length;

it('charges below the threshold, once for many who look at once, until the cap of the month', async () => {
  const account = await withCard();
  expect(account.autoRefill.card).toMatchObject({ brand: 'visa', last4: '4242' });
  await refills().save(account, wish);
  expect(await bought(account.id)).toBe(0);
  await spend(account.id, 60);
  await Promise.all(Array.from({ length: 10 }, () => refills().check(account.id)));
  expect([(await now(account.id)).balance, await bought(account.id)]).toEqual([590, 1]);
  expect(Object.fromEntries(stripe.charges.at(-1) ?? [])).toMatchObject({
    amount: '500',
    customer: 'cus_1',
    off_session: 'true',
    confirm: 'true',
    'metadata[automatic]': 'true',
  });
  await spend(account.id, 500);
  await refills().sweep();
  expect([(await now(account.id)).balance, await refills().spentThisMonth(account)]).toEqual([590, 1000]);
  await spend(account.id, 500);
  await refills().sweep();
  expect((await now(account.id)).balance).toBe(90);
  // The cap is of the month.
  clock = 32 * 86_400_000;
  await refills().sweep();
  expect((await now(account.id)).balance).toBe(590);
  // The API shows the card and nothing of the provider.
  const { secret } = await service.operator.addKey(account.id, 'k');
  const shown = await fetch(`${service.base}/api/v1/auto-refill`, { headers: { authorization: `Bearer ${secret}` } });
  expect(await shown.json()).toEqual({ enabled: true, ...wish, card: { brand: 'visa', last4: '4242' } });
});

it.each([
  ['card_declined', 'declined'],
  ['expired_card', 'expired'],
  ['authentication_required', 'confirm'],
])('says %s as %s, and waits for the person', async (code, cause) => {
  const account = await withCard(10);
  const address = `${cause}@example.org`;
  const at = new Date();
  await service.stores.signIn.changeEmail({
    id: `chg_${cause}`,
    accountId: account.id,
    email: address,
    since: at,
    at,
    expiresAt: at,
  });
  stripe.declines = code;
  await refills().save(account, wish);
  expect(post.last()).toContain(`To: ${address}`);
  expect(post.last()).toMatch(/Subject: Auto-refill did not work[^]*card ending in 4242[^]*\/credits/);
  expect((await now(account.id)).autoRefill.failure).toMatchObject({ cause });
  stripe.declines = undefined;
  await refills().sweep();
  await refills().check(account.id);
  expect(await bought(account.id)).toBe(0);
  const [payment] = (await service.service.payments.listOf(account, { cursor: null, limit: 1 })).items;
  expect(payment).toMatchObject({ status: 'closed', automatic: true, failure: code });
  await refills().retry(account);
  await expect.poll(() => post.last()).toContain('500 credits for $5.00');
  expect([await bought(account.id), (await now(account.id)).autoRefill.failure]).toEqual([1, null]);
});

it('repeats a charge that got no answer, as the same charge', slow, async () => {
  const account = await withCard(10);
  stripe.failures = 3;
  await refills().save(account, wish);
  expect(await bought(account.id)).toBe(0);
  const before = stripe.charges.length;
  await refills().check(account.id);
  expect(stripe.charges).toHaveLength(before);
  clock = 3 * 60_000;
  await refills().sweep();
  expect([await bought(account.id), stripe.charges.length]).toEqual([1, before + 1]);
  const [payment] = (await service.service.payments.listOf(account, { cursor: null, limit: 1 })).items;
  // Confirmed again by the event: nothing more. Money back goes to the same charge.
  await send('payment_intent.succeeded', {
    id: payment?.reference,
    object: 'payment_intent',
    amount_received: 500,
    metadata: { payment_id: payment?.id, automatic: 'true' },
  });
  expect((await now(account.id)).balance).toBe(510);
  await service.service.payments.refund(payment?.id ?? '', 200);
  expect(stripe.refunds.at(-1)?.get('payment_intent')).toBe(payment?.reference);
});

it('stops where it is turned off or the card is forgotten, and refuses nonsense', async () => {
  const account = await withCard(10);
  for (const bad of [{ thresholdCents: 0 }, { amountCents: 1 }, { monthlyCapCents: 400 }, { amountCents: 1.5 }])
    await expect(refills().save(account, { ...wish, ...bad })).rejects.toMatchObject({ code: 'bad_request' });
  await refills().turnOff(account);
  await refills().sweep();
  expect(await bought(account.id)).toBe(0);
  await refills().forgetCard(await now(account.id));
  expect(stripe.forgotten.at(-1)).toBe(`pm_seti${cards}`);
  expect((await now(account.id)).autoRefill).toMatchObject({ enabled: false, card: null });
  expect(stripe.bad).toEqual([]);
});

it('is not there where the operator confirms payments', async () => {
  const other = await services.start({ worker: false });
  const { account } = await other.account(10);
  expect(other.service.payments.refills.possible).toBe(false);
  await expect(other.service.payments.refills.save(account, wish)).rejects.toMatchObject({ code: 'forbidden' });
});
