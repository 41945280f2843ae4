// Paying for the rest of a file: confirmed once and again, late, by two at once, for files that have gone; by the
// operator and by Stripe, whose stand-in runs here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOperator } from '../../../../src/service/serve/backend.ts';
import { loadConfig } from '../../../../src/service/rules/settings/config.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import {
  atStripe,
  sessionOf,
  startStripe,
  stripeEvent,
  type StripeStandIn,
} from '../../../fixtures/stripe/stand-in.ts';
import { createFakeMedia, named } from './fake-media.ts';
import { ended, poll, tryTool } from './support.ts';
import { slow } from '../../../fixtures/rounds.ts';

const services = useServices();
const media = createFakeMedia();
let stripe: StripeStandIn;
let byOperator: TestService;
let byStripe: TestService;
let clock = 0;
const now = (): Date => new Date(Date.now() + clock);
let address = 0;
const somebody = (): { from: string } => ({ from: `203.0.113.${(address += 1)}` });

beforeAll(async () => {
  stripe = await startStripe();
  const config = { trustProxy: 'true', jobSlots: '4' };
  byOperator = await services.start({ media, now, config: { ...config, paymentInstructions: 'Pay at the <till>.' } });
  byStripe = await services.start({
    media,
    now,
    config: { ...config, ...atStripe(stripe) },
  });
});
afterAll(() => stripe.close());

/** A free run of ten minutes that was cut short, and its finish page. */
async function cutShort(service: TestService, name = '600s.wav') {
  const visitor = somebody();
  const run = await tryTool(service, 'remove-noise', [['file', named(name)]], {
    ...visitor,
    headers: { prefer: 'respond-async' },
  });
  const { json } = { json: await ended(run.json.statusUrl) };
  return {
    statusUrl: json.statusUrl as string,
    finishUrl: json.finishUrl as string,
    price: json.finishPriceCredits as number,
    visitor,
  };
}

const html = async (url: string): Promise<{ status: number; text: string; csp: string; refresh: string | null }> => {
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  return {
    status: response.status,
    text: await response.text(),
    csp: response.headers.get('content-security-policy') ?? '',
    refresh: response.headers.get('refresh'),
  };
};

/** Presses the button; answers where it leads. */
async function press(url: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
    redirect: 'manual',
  });
  expect(response.status, await response.clone().text()).toBe(303);
  return response.headers.get('location') ?? '';
}

const lastPayment = async (service: TestService) => {
  const { items } = await service.service.payments.list({ cursor: null, limit: 1 });
  return items[0] ?? expect.fail('no payment');
};

/** What the books say: purchases, charges and refunds of an account. */
const books = async (service: TestService, accountId: string) => {
  const { items } = await service.operator.ledger(accountId, { cursor: null, limit: 100 });
  return items
    .filter(({ credits }) => credits !== 0)
    .map(({ kind, credits, note }) => [kind, credits, note])
    .toReversed();
};

const send = async (service: TestService, type: string, object: object, secret?: string): Promise<number> => {
  const { body, headers } = stripeEvent(type, object, secret);
  return (await fetch(`${service.base}/payments/stripe`, { method: 'POST', headers, body })).status;
};

describe('the finish page', () => {
  it('says what is paid for and what it costs, and needs no script', slow, async () => {
    const { finishUrl } = await cutShort(byOperator, '600s <b>.wav');
    const { status, text, csp } = await html(finishUrl);
    expect(status).toBe(200);
    expect(text).toContain('600s &lt;b>.wav');
    expect(text).toContain('10:00');
    expect(text).toMatch(/<button [^>]*type="submit">Pay \$5.00<\/button>/);
    expect(csp).toMatch(/default-src 'none'.*form-action 'self'; .*frame-ancestors 'none'/);
    expect((await html(`${finishUrl.slice(0, -3)}xyz`)).status).toBe(404);
  });

  it('leads to a receipt that waits', async () => {
    const { finishUrl } = await cutShort(byOperator);
    const receipt = await press(finishUrl);
    const { text, refresh } = await html(receipt);
    expect(text).toContain('The operator confirms this payment');
    expect(text).toContain('Pay at the &lt;till>.');
    expect(text).toContain((await lastPayment(byOperator)).id);
    expect(refresh).toBe('5');
  });
});

describe('a confirmed payment', () => {
  it(
    'starts the whole file exactly once, however often it is confirmed, and keeps what is over as credits',
    slow,
    async () => {
      const { statusUrl, finishUrl } = await cutShort(byOperator);
      const receipt = await press(finishUrl);
      const { id } = await lastPayment(byOperator);
      const { payments } = byOperator.service;
      const confirmed = await Promise.all(Array.from({ length: 10 }, () => payments.confirm(id, 500)));
      expect(new Set(confirmed.map(({ jobId }) => jobId)).size).toBe(1);
      const [{ accountId, jobId } = { accountId: null, jobId: null }] = confirmed;

      const { json } = await poll(statusUrl);
      expect(json.finishedBy).toEqual({ jobId, statusUrl: expect.stringContaining(`/api/try/jobs/${jobId}?t=`) });
      expect(json.finishUrl).toBeUndefined();
      const whole = await ended(json.finishedBy.statusUrl);
      expect(whole).toMatchObject({
        id: jobId,
        status: 'succeeded',
        free: false,
        processedSeconds: 600,
        finishedBy: null,
      });
      expect(await (await fetch(whole.outputs[0].url)).text()).toBe('RIFF of 600s.wav, 600 s');
      expect(
        media.runs.filter(
          ({ windowSeconds, inputs }) => windowSeconds === null && inputs['file_id']?.[0]?.name === '600s.wav',
        ),
      ).toHaveLength(1);

      const price =
        (await byOperator.service.tools.offers()).find((offer) => offer.id === 'remove_noise')!.creditsPerMinute * 10;
      expect(await books(byOperator, accountId ?? '')).toEqual([
        ['purchase', 500, id],
        ['charge', -price, null],
      ]);
      const { text } = await html(receipt);
      for (const shown of [
        accountId ?? '',
        `${500 - price} credits ($`,
        'Download ',
        whole.outputs[0].filename as string,
      ])
        expect(text).toContain(shown);
      // The results are the account's: kept as long as an account's, reachable with its key.
      const made = await fetch(receipt, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: '',
      });
      const secret = /svc_sk_\w+/.exec(await made.text())?.[0] ?? '';
      const account = await fetch(`${byOperator.base}/api/v1/account`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      expect(((await account.json()) as { balance: number }).balance).toBe(500 - price);
      expect((await fetch(receipt, { method: 'POST' })).status).toBe(409);
      expect((await html(finishUrl)).text).toContain('has been paid');
    },
  );

  it('starts the job at once from the command line, too', slow, async () => {
    const { statusUrl, finishUrl } = await cutShort(byOperator);
    await press(finishUrl);
    const { items } = await byOperator.service.payments.list({ cursor: null, limit: 1 });
    // As `earshot payments confirm` does beside the running service. Nothing here looks for what fell out of the queue.
    const { databaseUrl, data } = { databaseUrl: byOperator.stores.database.url, data: byOperator.config.data };
    await using opened = await openOperator(loadConfig({}, { databaseUrl, data, payments: 'operator' }));
    const { jobId, outcome } = await opened.payments.confirm(items[0]?.id ?? '', 500);
    expect(outcome).toBe('job_started');
    const { finishedBy } = (await poll(statusUrl)).json;
    expect(finishedBy.jobId).toBe(jobId);
    expect((await ended(finishedBy.statusUrl as string)).status).toBe('succeeded');
  });

  it('of two for one file: the second is credits on the same account', async () => {
    const { finishUrl } = await cutShort(byStripe);
    expect(await press(finishUrl)).toBe(stripe.sessions.at(-1)?.url);
    const first = await lastPayment(byStripe);
    await press(finishUrl);
    const second = await lastPayment(byStripe);
    const done = await Promise.all([first, second].map(({ id }) => byStripe.service.payments.confirm(id, 500)));
    expect(new Set(done.map(({ outcome }) => outcome))).toEqual(new Set(['already_finished', 'job_started']));
    expect(new Set(done.map(({ accountId }) => accountId)).size).toBe(1);
  });

  it('of less than the price, or for a file that has gone, is credits and no job', slow, async () => {
    const long = await cutShort(byOperator, '36000s.wav');
    expect(long.price).toBeGreaterThan(500);
    await press(long.finishUrl);
    const short = await byOperator.service.payments.confirm((await lastPayment(byOperator)).id, 500);
    expect([short.outcome, short.jobId]).toEqual(['too_little', null]);

    const { finishUrl, statusUrl } = await cutShort(byOperator);
    const receipt = await press(finishUrl);
    const { id } = await lastPayment(byOperator);
    clock += 90_000_000;
    try {
      expect((await html(finishUrl)).status).toBe(410);
      expect((await poll(statusUrl)).status).toBe(410);
      const late = await byOperator.service.payments.confirm(id, 500);
      expect([late.outcome, late.jobId]).toEqual(['file_gone', null]);
      expect((await html(receipt)).text).toContain('deleted');
      expect(await books(byOperator, late.accountId ?? '')).toEqual([['purchase', 500, id]]);
      // Refunded by the operator: money and credits go together, once, and no more than there is.
      const { payments } = byOperator.service;
      await expect(payments.refund(id, 600)).rejects.toMatchObject({ code: 'bad_request' });
      expect((await payments.refund(id, 200)).status).toBe('paid');
      expect((await payments.refund(id, null)).status).toBe('refunded');
      await expect(payments.refund(id, null)).rejects.toMatchObject({ code: 'bad_request' });
      expect(await books(byOperator, late.accountId ?? '')).toEqual([
        ['purchase', 500, id],
        ['adjustment', -200, `refund of ${id}`],
        ['adjustment', -300, `refund of ${id}`],
      ]);
    } finally {
      clock = 0;
    }
  });

  it('whose whole file fails costs nothing: all of it is credits', async () => {
    const { finishUrl, statusUrl } = await cutShort(byOperator);
    await press(finishUrl);
    const run = media.run;
    media.run = async () => {
      throw Object.assign(new Error('broken on purpose'));
    };
    try {
      const { accountId, id } = await byOperator.service.payments.confirm((await lastPayment(byOperator)).id, 500);
      const { json } = await poll(statusUrl);
      expect((await ended(json.finishedBy.statusUrl)).status).toBe('failed');
      expect(await books(byOperator, accountId ?? '')).toEqual([['purchase', 500, id]]);
      expect((await byOperator.operator.account(accountId ?? '')).reserved).toBe(0);
    } finally {
      media.run = run;
    }
  });
});

describe('Stripe', () => {
  it('is told the payment, and its event starts the job: once, repeated and out of order', async () => {
    const { finishUrl, statusUrl } = await cutShort(byStripe);
    expect((await html(finishUrl)).csp).toContain(`form-action 'self' ${stripe.url};`);
    await press(finishUrl);
    const { id, reference } = await lastPayment(byStripe);
    const { form, id: sessionId } = stripe.sessions.at(-1)!;
    expect(reference).toBe(sessionId);
    expect(Object.fromEntries(form)).toMatchObject({
      mode: 'payment',
      client_reference_id: id,
      'metadata[payment_id]': id,
      'payment_intent_data[metadata][payment_id]': id,
      'line_items[0][price_data][unit_amount]': '500',
      'line_items[0][price_data][currency]': 'usd',
      cancel_url: finishUrl,
    });
    // The end of the session comes first, then a session that is complete but unpaid, then the money, twice.
    for (const [type, object] of [
      ['checkout.session.expired', sessionOf(id, 500, 'unpaid')],
      ['checkout.session.completed', sessionOf(id, 500, 'unpaid')],
    ] as const)
      expect(await send(byStripe, type, object)).toBe(200);
    expect((await lastPayment(byStripe)).status).toBe('closed');
    for (let times = 0; times < 3; times++)
      expect(await send(byStripe, 'checkout.session.async_payment_succeeded', sessionOf(id, 500))).toBe(200);
    expect(await send(byStripe, 'checkout.session.expired', sessionOf(id, 500))).toBe(200);
    expect(await lastPayment(byStripe)).toMatchObject({ status: 'paid', outcome: 'job_started', paidCents: 500 });
    const { json } = await poll(statusUrl);
    expect((await ended(json.finishedBy.statusUrl)).processedSeconds).toBe(600);
    expect(stripe.bad).toEqual([]);
  });

  it('is left without paying: who comes back is told so, in their language, and nobody else is', async () => {
    const { finishUrl } = await cutShort(byStripe);
    const begun = await fetch(finishUrl, { method: 'POST', redirect: 'manual' });
    const cookie = (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const look = async (headers: Record<string, string>): Promise<string> =>
      (await fetch(finishUrl, { headers: { accept: 'text/html', ...headers } })).text();
    expect(await look({ cookie })).toContain('You came back without paying');
    expect(await look({ cookie, 'accept-language': 'de' })).toContain('Sie sind zurück, ohne zu bezahlen');
    expect(await look({})).not.toContain('without paying');
    await send(byStripe, 'checkout.session.completed', sessionOf((await lastPayment(byStripe)).id, 500));
    expect(await look({ cookie })).not.toContain('without paying');
  });

  it('counts nothing that it has not signed', async () => {
    const { finishUrl } = await cutShort(byStripe);
    await press(finishUrl);
    const { id } = await lastPayment(byStripe);
    expect(await send(byStripe, 'checkout.session.completed', sessionOf(id, 500), 'whsec_other')).toBe(401);
    const { body, headers } = stripeEvent('checkout.session.completed', sessionOf(id, 500));
    const changed = await fetch(`${byStripe.base}/payments/stripe`, {
      method: 'POST',
      headers,
      body: body.replace('500', '501'),
    });
    expect(changed.status).toBe(401);
    expect((await fetch(`${byStripe.base}/payments/stripe`, { method: 'POST', body })).status).toBe(401);
    expect((await lastPayment(byStripe)).status).toBe('open');
    expect(await send(byStripe, 'checkout.session.completed', sessionOf('pay_of_somebody_else', 500))).toBe(200);
    expect(await send(byStripe, 'customer.created', { id: 'cus_1' })).toBe(200);
    // Where the operator confirms, nobody sends events.
    expect(await send(byOperator, 'checkout.session.completed', sessionOf(id, 500))).toBe(404);
  });

  it('comes through however many strangers share its address', slow, async () => {
    const crowded = await services.start({ media, now, config: { ...atStripe(stripe), rateLimitAddress: '5' } });
    const stranger = async (): Promise<number> => (await fetch(`${crowded.base}/nowhere`)).status;
    for (let asked = 0; asked < 5; asked += 1) expect(await stranger()).toBe(404);
    expect(await stranger()).toBe(429);
    expect(await send(crowded, 'customer.created', { id: 'cus_1' })).toBe(200);
  });

  it('hears of a refund before or after the payment, and takes the credits back once', slow, async () => {
    const { finishUrl } = await cutShort(byStripe);
    await press(finishUrl);
    const early = (await lastPayment(byStripe)).id;
    const refund = (id: string, cents: number) =>
      send(byStripe, 'charge.refunded', {
        id: 'ch_1',
        object: 'charge',
        amount_refunded: cents,
        metadata: { payment_id: id },
      });
    expect(await refund(early, 500)).toBe(200);
    expect(await send(byStripe, 'checkout.session.completed', sessionOf(early, 500))).toBe(200);
    const gone = await byStripe.service.payments.get(early);
    expect([gone.status, gone.jobId, gone.outcome]).toEqual(['refunded', null, 'too_little']);
    expect((await byStripe.operator.account(gone.accountId ?? '')).balance).toBe(0);

    const other = await cutShort(byStripe);
    await press(other.finishUrl);
    const { id } = await lastPayment(byStripe);
    await send(byStripe, 'checkout.session.completed', sessionOf(id, 500));
    await ended((await poll(other.statusUrl)).json.finishedBy.statusUrl);
    const { accountId } = await byStripe.service.payments.get(id);
    const left = (await byStripe.operator.account(accountId ?? '')).balance;
    expect((await byStripe.service.payments.refund(id, left)).refundedCents).toBe(left);
    expect(Object.fromEntries(stripe.refunds.at(-1)!)).toMatchObject({
      amount: String(left),
      payment_intent: `pi_${(await byStripe.service.payments.get(id)).reference}`,
    });
    for (let times = 0; times < 2; times++) await refund(id, left);
    expect((await byStripe.operator.account(accountId ?? '')).balance).toBe(0);
    // What the job took is not there to give back.
    await expect(byStripe.service.payments.refund(id, null)).rejects.toMatchObject({ code: 'insufficient_balance' });
  });

  it('that is down for a moment is asked again, and one that stays down is said without its words', slow, async () => {
    const { finishUrl } = await cutShort(byStripe);
    stripe.failures = 1;
    await press(finishUrl);
    stripe.failures = 100;
    const response = await fetch(finishUrl, { method: 'POST' });
    stripe.failures = 0;
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('stand-in');
  });
});

describe('a file that waits for its payment', () => {
  it('is kept beside the refusal, and its link shows the whole file once it is paid', slow, async () => {
    const visitor = somebody();
    for (let uses = 0; uses < 3; uses++)
      expect((await tryTool(byOperator, 'remove-noise', [['file', named('20s.wav')]], visitor)).status).toBe(200);
    const { status, json, headers } = await tryTool(byOperator, 'remove-noise', [['file', named('600s.wav')]], visitor);
    expect([status, json.error.code]).toEqual([429, 'free_limit_reached']);
    expect(headers.get('ratelimit')).toMatch(/r=0;/);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const { details } = json.error;
    expect(details).toMatchObject({ limit: 3, taken: 3, tool: 'remove_noise', finishPriceCredits: 500 });
    expect(new Date(details.resetsAt as string).getUTCHours()).toBe(0);
    const { json: waiting } = await poll(details.statusUrl);
    expect(waiting).toMatchObject({
      id: details.jobId,
      status: 'queued',
      stage: 'waiting_for_payment',
      finishedBy: null,
    });

    await press(details.finishUrl);
    const { jobId } = await byOperator.service.payments.confirm((await lastPayment(byOperator)).id, 500);
    const done = await ended(details.statusUrl);
    expect(done).toMatchObject({
      id: details.jobId,
      status: 'succeeded',
      processedSeconds: 600,
      finishedBy: { jobId },
    });
    expect(await (await fetch(done.outputs[0].url)).text()).toBe('RIFF of 600s.wav, 600 s');
  });
});
