// Whose a payment is: the browser's that paid. And what happens between the button and the confirmation: files are
// kept, banks ask for the money back.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createStripePayments } from '../../../../src/service/adapters/stripe/payments.ts';
import type { Payment } from '../../../../src/service/rules/money/payment-store.ts';
import { useServices, type TestService } from '../../../fixtures/service/service.ts';
import {
  atStripe,
  disputeOf,
  secretKey,
  sessionOf,
  startStripe,
  signedBody,
  stripeEvent,
  type StripeStandIn,
  webhookSecret,
} from '../../../fixtures/stripe/stand-in.ts';
import { createFakeMedia, named } from './fake-media.ts';
import { ended, poll, tryTool } from './support.ts';
import { slow } from '../../../fixtures/rounds.ts';

/** Milliseconds that the service is ahead of the system. */
let clock = 0;
const now = (): Date => new Date(Date.now() + clock);
/** The last part of the latest visitor's address. */
let address = 0;
const media = createFakeMedia();
const services = useServices();
let byOperator: TestService;
let byStripe: TestService;
let stripe: StripeStandIn;

beforeAll(async () => {
  stripe = await startStripe();
  const config = { trustProxy: 'true', jobSlots: '4' };
  byOperator = await services.start({ media, now, config });
  byStripe = await services.start({ media, now, config: { ...config, ...atStripe(stripe) } });
});
afterAll(() => stripe.close());
afterEach(() => void (clock = 0));

/** A free run of ten minutes that was cut short. */
async function cutShort(service: TestService): Promise<{ finishUrl: string; statusUrl: string; id: string }> {
  address += 1;
  const run = await tryTool(service, 'remove-noise', [['file', named('600s.wav')]], {
    from: `203.0.113.${address}`,
    headers: { prefer: 'respond-async' },
  });
  const json = await ended(run.json.statusUrl);
  return { finishUrl: json.finishUrl as string, statusUrl: json.statusUrl as string, id: json.id as string };
}

/** What a person sees and presses: keeps cookies by path, follows what it is sent to on this service. */
function browser(): {
  see(url: string): Promise<string>;
  press(
    url: string,
    fields?: Record<string, string>,
  ): Promise<{ status: number; location: string; text: string; refresh: string | null }>;
} {
  const jar = new Map<string, { value: string; path: string }>();
  const headers = (url: string): Record<string, string> => ({
    accept: 'text/html,*/*',
    cookie: [...jar]
      .filter(([, { path }]) => new URL(url).pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; '),
  });
  const keep = (response: Response): void => {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*);(.*)$/.exec(line) ?? [];
      expect(attributes).toMatch(/HttpOnly; SameSite=Lax/);
      jar.set(name, { value, path: /Path=([^;]+)/.exec(attributes)?.[1] ?? '/' });
    }
  };
  return {
    async see(url) {
      const response = await fetch(url, { headers: headers(url) });
      keep(response);
      return response.text();
    },
    async press(url, fields = {}) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers(url), 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
        redirect: 'manual',
      });
      keep(response);
      const location = response.headers.get('location');
      return {
        status: response.status,
        location: location === null ? '' : new URL(location, url).href,
        text: await response.text(),
        refresh: response.headers.get('refresh'),
      };
    },
  };
}

const last = async (service: TestService): Promise<Payment> => {
  const { items } = await service.service.payments.list({ cursor: null, limit: 1 });
  return items[0] ?? expect.fail('no payment');
};

const keysOf = async (service: TestService, accountId: string): Promise<number> =>
  (await service.stores.accounts.listKeys(accountId)).length;

describe('the receipt', () => {
  it('is the browser’s that paid: who else holds the finish link sees that it is paid, and no more', slow, async () => {
    const { finishUrl } = await cutShort(byOperator);
    const [payer, stranger] = [browser(), browser()];
    const { location: receipt } = await payer.press(finishUrl);
    expect(receipt).toContain('/payments/');
    // Begun: the payer's own press leads to it again, a stranger's to a payment of the stranger's.
    expect((await payer.press(finishUrl)).location).toBe(receipt);
    expect(await payer.see(finishUrl)).toContain(receipt);
    const { id } = await last(byOperator);
    expect(await stranger.see(finishUrl)).not.toContain('/payments/');
    expect((await stranger.press(finishUrl)).location).not.toBe(receipt);
    expect((await last(byOperator)).id).not.toBe(id);

    await byOperator.service.payments.confirm(id, 500);
    for (const other of [browser(), stranger]) {
      const page = await other.see(finishUrl);
      expect(page).toContain('has been paid');
      expect(page).not.toContain(receipt);
    }
    expect(await payer.see(finishUrl)).toContain(receipt);
    // A second press is a page, too.
    for (const each of [payer, browser()]) {
      const again = await each.press(finishUrl);
      expect([again.status, again.location]).toEqual([303, finishUrl]);
    }
  });

  it('is not opened by a cookie of another run’s, or by one that somebody made up', slow, async () => {
    const [mine, other] = [await cutShort(byOperator), await cutShort(byOperator)];
    const { location } = await browser().press(mine.finishUrl);
    const token = location.slice(location.lastIndexOf('/') + 1);
    for (const [url, cookie] of [
      [other.finishUrl, `receipt_${other.id}=${token}`],
      [mine.finishUrl, `receipt_${mine.id}=${token.slice(0, -2)}xx`],
      [mine.finishUrl, `receipt_${mine.id}=`],
    ] as const)
      expect(await (await fetch(url, { headers: { cookie } })).text()).not.toContain('/payments/');
    const own = await fetch(mine.finishUrl, { headers: { cookie: `a=b; receipt_${mine.id}=${token}` } });
    expect(await own.text()).toContain(location);
  });

  it('makes one key, however many press at once; a double press shows the same one twice', slow, async () => {
    const { finishUrl } = await cutShort(byOperator);
    const { location: receipt } = await browser().press(finishUrl);
    const { accountId } = await byOperator.service.payments.confirm((await last(byOperator)).id, 500);
    const pressed = async (): Promise<Record<string, string>> => {
      const page = await browser().see(receipt);
      return { press: /name="press" value="([^"]+)"/.exec(page)?.[1] ?? expect.fail('no form') };
    };
    const [first, second] = [await pressed(), await pressed()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => browser().press(receipt, index % 2 === 0 ? first : second)),
    );
    expect(await keysOf(byOperator, accountId ?? '')).toBe(1);
    const shown = answers.flatMap(({ text }) => /svc_sk_\w+/.exec(text)?.[0] ?? []);
    expect(shown).toHaveLength(10);
    expect(new Set(shown).size).toBe(1);
    for (const { status, text } of answers.filter((answer) => !answer.text.includes('svc_sk_')))
      expect([status, text]).toEqual([409, expect.stringContaining('<!doctype html>')]);
    const account = await fetch(`${byOperator.base}/api/v1/account`, {
      headers: { authorization: `Bearer ${shown[0]}` },
    });
    expect(account.status).toBe(200);
    // Revoked, it is not made again.
    const [key] = await byOperator.stores.accounts.listKeys(accountId ?? '');
    await byOperator.stores.accounts.revokeKey(key?.id ?? '', new Date());
    for (const press of [first, second, {}]) expect((await browser().press(receipt, press)).status).toBe(409);
  });
});

describe('files that somebody begins to pay for', () => {
  it('are kept until the checkout has ended, though the run’s hour is over', async () => {
    const { finishUrl, statusUrl } = await cutShort(byStripe);
    clock = 55 * 60_000;
    expect((await browser().press(finishUrl)).location).toBe(stripe.sessions.at(-1)?.url);
    const { id } = await last(byStripe);
    clock = (55 + 31) * 60_000;
    expect((await fetch(finishUrl)).status).toBe(200);
    await byStripe.service.payments.confirm(id, 500);
    const { json } = await poll(statusUrl);
    expect((await ended(json.finishedBy.statusUrl)).processedSeconds).toBe(600);
  });

  it('go when nobody has paid, and never live longer than files do', slow, async () => {
    const { finishUrl } = await cutShort(byStripe);
    for (let hours = 0; hours < 24; hours += 0.75) {
      clock = hours * 3_600_000;
      await browser().press(finishUrl);
    }
    const run = await byStripe.stores.freeRuns.get((await last(byStripe)).freeRunId ?? '');
    const [fileId = ''] = Object.values(run?.request.inputs ?? {}).flat();
    const file = await byStripe.stores.files.get(fileId);
    const kept = (file?.expiresAt.getTime() ?? 0) - (file?.createdAt.getTime() ?? 0);
    expect(kept / 3_600_000).toBeCloseTo(24, 3);
    // Too late for a checkout: none is begun, and the page says so.
    const sessions = stripe.sessions.length;
    clock = 23.6 * 3_600_000;
    const late = await browser().press(finishUrl);
    expect([late.status, stripe.sessions.length]).toEqual([410, sessions]);
    expect(late.text).toContain('expires before a payment could be made');
    expect(late.text).toContain('<!doctype html>');
  });

  it('are kept for a day where the operator confirms', async () => {
    const { finishUrl, statusUrl } = await cutShort(byOperator);
    await browser().press(finishUrl);
    const { id } = await last(byOperator);
    clock = 23 * 3_600_000;
    expect((await byOperator.service.payments.confirm(id, 500)).outcome).toBe('job_started');
    expect((await ended((await poll(statusUrl)).json.finishedBy.statusUrl)).status).toBe('succeeded');
  });
});

describe('the checkout', () => {
  it('that is open is gone on with by the same browser, so that nobody pays twice', async () => {
    const { finishUrl } = await cutShort(byStripe);
    const person = browser();
    const { location } = await person.press(finishUrl);
    const count = stripe.sessions.length;
    expect((await person.press(finishUrl)).location).toBe(location);
    expect(stripe.sessions.length).toBe(count);
    // Paid, but Stripe has not said so yet: the receipt waits.
    stripe.sessions.at(-1)!.status = 'complete';
    expect((await person.press(finishUrl)).location).toContain('/payments/');
    stripe.sessions.at(-1)!.status = 'expired';
    expect((await person.press(finishUrl)).location).not.toBe(location);
    expect(stripe.sessions.length).toBe(count + 1);
  });

  it('at an address that the page’s policy does not know is a page that leads there', async () => {
    const { finishUrl } = await cutShort(byStripe);
    stripe.checkout = 'https://pay.example.com';
    const { status, text, refresh } = await browser().press(finishUrl);
    delete stripe.checkout;
    const { url } = stripe.sessions.at(-1)!;
    expect(status).toBe(200);
    expect(text).toContain(`href="${url}"`);
    expect(refresh).toBe(`0; url=${url}`);
  });

  it('leads where Stripe’s own address has it, and else to that address', () => {
    const at = (url: string): string | null => createStripePayments({ secretKey, webhookSecret, url }).checkoutOrigin;
    expect(at('https://api.stripe.com')).toBe('https://checkout.stripe.com');
    expect(at('https://stripe.example.com:8443')).toBe('https://stripe.example.com:8443');
  });

  it('that cannot be had is said on a page, without the provider’s words', slow, async () => {
    const { finishUrl } = await cutShort(byStripe);
    stripe.failures = 100;
    const { status, text } = await browser().press(finishUrl);
    stripe.failures = 0;
    expect(status).toBe(500);
    expect(text).toContain('<!doctype html>');
    expect(text).not.toContain('stand-in');
  });
});

const send = async (type: string, object: object): Promise<number> => {
  const { body, headers } = stripeEvent(type, object);
  return (await fetch(`${byStripe.base}/payments/stripe`, { method: 'POST', headers, body })).status;
};

describe('a dispute', () => {
  /** Paid at Stripe; the whole file has run, and what is over is on the account. */
  async function paid() {
    const { finishUrl, statusUrl } = await cutShort(byStripe);
    const { location } = await browser().press(finishUrl);
    const session = stripe.sessions.at(-1)!;
    expect(location).toBe(session.url);
    const id = session.form.get('client_reference_id') ?? '';
    await send('checkout.session.completed', sessionOf(id, 500));
    await ended((await poll(statusUrl)).json.finishedBy.statusUrl);
    const { accountId } = await byStripe.service.payments.get(id);
    const balance = async (): Promise<number> => (await byStripe.operator.account(accountId ?? '')).balance;
    return { id, session, balance, left: await balance() };
  }
  const seen = (id: string): Promise<Payment> => byStripe.service.payments.get(id);

  it('freezes what is left of the credits, and gives them back when it is won', slow, async () => {
    const { id, session, balance, left } = await paid();
    expect(left).toBeGreaterThan(400);
    for (let times = 0; times < 2; times += 1)
      expect(await send('charge.dispute.created', disputeOf(session, 500, 'needs_response'))).toBe(200);
    expect(await balance()).toBe(0);
    expect(await seen(id)).toMatchObject({ status: 'paid', dispute: 'open', frozenCredits: left });
    expect(await byStripe.stores.payments.counts()).toMatchObject({ disputed: 1 });
    expect(byStripe.logged()).toContain('The dispute of a payment has changed');
    for (let times = 0; times < 2; times += 1)
      expect(await send('charge.dispute.closed', disputeOf(session, 500, 'won'))).toBe(200);
    expect(await balance()).toBe(left);
    // News that come late change nothing.
    expect(await send('charge.dispute.created', disputeOf(session, 500, 'needs_response'))).toBe(200);
    expect(await balance()).toBe(left);
    expect(await seen(id)).toMatchObject({ dispute: 'won', frozenCredits: 0 });
    expect(await byStripe.stores.payments.counts()).toMatchObject({ disputed: 0 });
    // Another dispute of the same payment.
    expect(await send('charge.dispute.created', disputeOf(session, 500, 'needs_response', 2))).toBe(200);
    expect([await balance(), (await seen(id)).dispute]).toEqual([0, 'open']);
  });

  it('keeps them when it is lost, also where the loss is heard of first', slow, async () => {
    const { id, session, balance, left } = await paid();
    await send('charge.dispute.created', disputeOf(session, 500, 'needs_response'));
    await send('charge.dispute.closed', disputeOf(session, 500, 'lost'));
    expect([await balance(), (await seen(id)).dispute, (await seen(id)).frozenCredits]).toEqual([0, 'lost', left]);
    const other = await paid();
    await send('charge.dispute.closed', disputeOf(other.session, 200, 'lost'));
    await send('charge.dispute.created', disputeOf(other.session, 200, 'needs_response'));
    expect(await other.balance()).toBe(other.left - 200);
  });

  it('of a payment that is refunded meanwhile gives nothing back that has gone', async () => {
    const { id, session, balance, left } = await paid();
    await send('charge.dispute.created', disputeOf(session, 500, 'warning_needs_response'));
    const charge = { id: 'ch_1', object: 'charge', amount_refunded: 100, metadata: { payment_id: id } };
    expect(await send('charge.refunded', charge)).toBe(200);
    await send('charge.dispute.closed', disputeOf(session, 500, 'warning_closed'));
    expect(await balance()).toBe(left - 100);
  });

  it('that is heard of before the payment freezes its credits when they come', async () => {
    const { finishUrl } = await cutShort(byStripe);
    await browser().press(finishUrl);
    const session = stripe.sessions.at(-1)!;
    const id = session.form.get('client_reference_id') ?? '';
    await send('charge.dispute.created', disputeOf(session, 500, 'needs_response'));
    await send('checkout.session.completed', sessionOf(id, 500));
    const { accountId, outcome } = await seen(id);
    const { balance, reserved } = await byStripe.operator.account(accountId ?? '');
    expect([outcome, balance - reserved]).toEqual(['job_started', 0]);
  });

  it('of what is none of ours is none of ours; Stripe sends again what could not be looked up', slow, async () => {
    const { session } = await paid();
    const stranger = { ...disputeOf(session, 500, 'needs_response'), payment_intent: 'pi_of_somebody_else' };
    expect(await send('charge.dispute.created', stranger)).toBe(200);
    stripe.failures = 100;
    expect(await send('charge.dispute.created', disputeOf(session, 500, 'needs_response'))).toBe(500);
    stripe.failures = 0;
  });
});

describe('a signature that is refused', () => {
  const answer = async (given: { body: string; headers: Record<string, string> }, status = 401): Promise<string> => {
    const response = await fetch(`${byStripe.base}/payments/stripe`, { method: 'POST', ...given });
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: { message: string; nextAction: string } };
    return `${error.message} ${error.nextAction}`;
  };
  const event = (at: Date, secret = webhookSecret) => stripeEvent('customer.created', { id: 'cus_1' }, secret, at);

  it('says whether it was the clock, the secret, or none at all', async () => {
    const anHour = 3_600_000;
    expect(await answer(event(new Date(Date.now() - anHour)))).toMatch(
      /valid but 360\d s old by this machine's clock.*Correct this machine's clock/,
    );
    expect(await answer(event(new Date(Date.now() - anHour), 'whsec_other'))).toMatch(
      /is wrong.*EARSHOT_STRIPE_WEBHOOK_SECRET/,
    );
    expect(await answer(event(new Date(), 'whsec_other'))).toMatch(/is wrong.*EARSHOT_STRIPE_WEBHOOK_SECRET/);
    expect(await answer({ body: '{}', headers: { 'content-type': 'application/json' } })).toMatch(/received none/);
    expect(await answer({ body: '{}', headers: { 'stripe-signature': 'nonsense' } })).toMatch(
      /EARSHOT_STRIPE_WEBHOOK_SECRET/,
    );
    expect(await answer(signedBody('{"id":'), 400)).toMatch(/not JSON/);
  });
});

describe('payments=operator without a word on how to pay', () => {
  it('have no finish link, keep nothing waiting, and refuse links of before', slow, async () => {
    const silent = await services.start({ media, now, config: { trustProxy: 'true', paymentInstructions: '' } });
    const visitor = { from: '203.0.113.250' };
    const run = await tryTool(silent, 'remove-noise', [['file', named('600s.wav')]], visitor);
    expect([run.status, run.headers.get('svc-finish-url')]).toEqual([200, null]);
    for (let uses = 1; uses < 3; uses += 1)
      await tryTool(silent, 'remove-noise', [['file', named('20s.wav')]], visitor);
    const over = await tryTool(silent, 'remove-noise', [['file', named('20s.wav')]], visitor);
    expect([over.status, over.json.error.details.finishUrl]).toEqual([429, undefined]);
    expect(over.json.error.nextAction).not.toMatch(/pay/i);
    const { account } = await silent.account(0);
    expect(silent.service.payments.buyUrl(account.id)).toBeNull();
    await silent.stop();
  });
});
