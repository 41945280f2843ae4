import { EarshotError } from '../../../library/core/errors.ts';
import { shownName } from '../../../library/core/names.ts';
import { badValue } from '../../../library/core/schema.ts';
import type { Config } from '../config.ts';
import { newId } from '../ids.ts';
import type { AccountStore, FreeRunStore, PaymentStore } from '../ports.ts';
import type { PaymentProvider } from '../payment-provider.ts';
import type { Payment } from '../payment-store.ts';
import { makeKeySecret } from '../access.ts';
import type { Account } from '../records.ts';
import type { Payments } from '../service.ts';
import type { Tokens } from '../tokens.ts';
import { canPay } from './can-pay.ts';

export interface PaymentsDeps {
  readonly payments: PaymentStore;
  readonly freeRuns: Pick<FreeRunStore, 'get'>;
  readonly accounts: Pick<AccountStore, 'get' | 'listKeys' | 'addFirstKey' | 'findKey'>;
  /** null: payments are switched off. */
  readonly provider: PaymentProvider | null;
  readonly tokens: Tokens;
  readonly config: Pick<Config, 'retentionSeconds' | 'minimumPaymentCents' | 'payments' | 'paymentInstructions'>;
  readonly baseUrl: () => string;
  readonly now?: () => Date;
}

/** People keep receipts: the link works this long. */
const receiptSeconds = 400 * 86_400;
/** The link to buy credits is in an error answer, which is read soon or never. */
const buySeconds = 7 * 86_400;
const mostCents = 1_000_000;
/** How long the provider may take to report a checkout that ended in its last second. */
const newsSeconds = 30 * 60;

/** Payments: checkout, events, receipts, refunds. */
export function createPayments({
  payments,
  freeRuns,
  accounts,
  provider,
  tokens,
  config,
  baseUrl,
  now = () => new Date(),
}: PaymentsDeps): Payments {
  const receiptUrl = ({ id, createdAt }: Payment): string =>
    `${baseUrl()}/payments/${tokens.sign('receipt', id, new Date(createdAt.getTime() + receiptSeconds * 1000))}`;

  function requireProvider(): PaymentProvider {
    if (provider !== null) return provider;
    throw new EarshotError('forbidden', 'Payments are switched off on this service', {
      nextAction: 'Ask the operator of this service.',
    });
  }

  /** For new payments only: earlier ones can be refunded although payments are switched off. */
  const requireOpen = (): PaymentProvider => {
    const open = requireProvider();
    if (canPay(config)) return open;
    throw new EarshotError(
      'forbidden',
      'Payments are not possible here: the operator has not configured payment instructions',
      {
        nextAction: 'Ask the operator of this service.',
      },
    );
  };

  async function begin(
    wanted: Pick<Payment, 'freeRunId' | 'accountId' | 'tool' | 'amountCents'>,
    title: string,
    cancelUrl: string,
    fileIds: readonly string[] = [],
  ): Promise<{ payment: Payment; url: string }> {
    const { id: providerId, begin: checkout, checkoutSeconds } = requireOpen();
    const createdAt = now();
    const after = (seconds: number): Date => new Date(createdAt.getTime() + seconds * 1000);
    const keep =
      wanted.freeRunId === null
        ? null
        : {
            runId: wanted.freeRunId,
            fileIds,
            until: after(checkoutSeconds === null ? config.retentionSeconds : checkoutSeconds + newsSeconds),
            longestSeconds: config.retentionSeconds,
            atLeast: after(checkoutSeconds ?? 0),
          };
    const payment = await payments.create({ ...wanted, id: newId('pay'), provider: providerId, createdAt }, keep);
    const returnUrl = receiptUrl(payment);
    const { reference, url } = await checkout({
      paymentId: payment.id,
      amountCents: payment.amountCents,
      title,
      returnUrl,
      cancelUrl,
    });
    if (reference !== null) await payments.refer(payment.id, reference);
    return { payment, url: url ?? returnUrl };
  }

  async function get(id: string): Promise<Payment> {
    const payment = await payments.get(id);
    if (payment !== null) return payment;
    throw new EarshotError('not_found', `There is no payment ${shownName(id)}`, {
      details: { id: shownName(id) },
    });
  }

  async function confirm(id: string, paidCents: number): Promise<Payment> {
    if (!Number.isSafeInteger(paidCents) || paidCents < 1) throw badValue('cents', 'whole number above 0', paidCents);
    const at = now();
    const { payment } = await payments.confirm(id, paidCents, {
      at,
      accountId: newId('acc'),
      accountName: `Paid by ${id}`,
      jobId: newId('job'),
      keepUntil: new Date(at.getTime() + config.retentionSeconds * 1000),
    });
    return payment;
  }

  async function byReceipt(token: string): Promise<Payment> {
    const reading = await tokens.read('receipt', token, now());
    if (reading.ok) return get(reading.id);
    throw new EarshotError('not_found', 'There is no such receipt', { nextAction: 'Check that the link is complete.' });
  }

  async function buyer(token: string): Promise<Account> {
    const reading = await tokens.read('credits', token, now());
    const account = reading.ok ? await accounts.get(reading.id) : null;
    if (account !== null) return account;
    throw new EarshotError('not_found', 'There is no such link, or it has expired', {
      nextAction: 'Request a new link.',
    });
  }

  /** Only a payment without an account made one that has no key yet. */
  async function mayMakeKey({ paidAt, accountId, freeRunId }: Payment): Promise<boolean> {
    if (paidAt === null || accountId === null || freeRunId === null) return false;
    const run = await freeRuns.get(freeRunId);
    if (run?.accountId === accountId) return false;
    return (await accounts.listKeys(accountId)).length === 0;
  }

  return {
    checkoutOrigin: provider?.checkoutOrigin ?? null,
    get,
    confirm,
    receiptUrl,

    async ofBrowser({ id }, receipt) {
      const reading = receipt === null ? null : await tokens.read('receipt', receipt, now());
      const payment = reading?.ok === true ? await payments.get(reading.id) : null;
      return payment?.freeRunId === id ? payment : null;
    },

    async payForRun({ run, finish }, mine) {
      if (finish === null || run.whole === null)
        throw new EarshotError('conflict', 'There is nothing to pay for this file', { details: { jobId: run.id } });
      const amountCents = finish.priceCredits;
      // A second press continues the payment that this browser began, so that nothing is paid twice.
      if (mine?.status === 'open' && mine.provider === provider?.id && mine.amountCents === amountCents) {
        const further = await requireOpen().goOn(mine);
        if (further !== null) return { payment: mine, url: further.url ?? receiptUrl(mine) };
      }
      const wanted = { freeRunId: run.id, accountId: run.accountId, tool: run.tool, amountCents };
      const fileIds = Object.values(run.request.inputs).flat();
      return begin(wanted, `The whole file with ${run.tool}`, finish.url, fileIds);
    },

    buyUrl: (accountId) =>
      provider === null || !canPay(config)
        ? null
        : `${baseUrl()}/credits/${tokens.sign('credits', accountId, new Date(now().getTime() + buySeconds * 1000))}`,

    buyer,

    async payForCredits(token, cents) {
      if (!Number.isSafeInteger(cents) || cents < config.minimumPaymentCents || cents > mostCents)
        throw badValue('cents', `whole number of ${config.minimumPaymentCents} to ${mostCents}`, cents);
      const { id } = await buyer(token);
      const wanted = { freeRunId: null, accountId: id, tool: null, amountCents: cents };
      return begin(wanted, `${cents} credits`, `${baseUrl()}/credits/${token}`);
    },

    async onEvent(body, signature) {
      const event = await requireProvider().readEvent(body, signature);
      // The provider may also send events about payments that we do not know.
      const before = event === null ? null : await payments.get(event.paymentId);
      if (event === null || before === null) return null;
      if (event.kind === 'paid') await confirm(event.paymentId, event.paidCents);
      else if (event.kind === 'closed') await payments.close(event.paymentId);
      else if (event.kind === 'refunded') await payments.refund(event.paymentId, event.refundedCents);
      else {
        const payment = await payments.dispute(event.paymentId, event.dispute, event.cents);
        return payment.dispute === before.dispute ? null : payment;
      }
      return null;
    },

    async refund(id, cents) {
      const payment = await get(id);
      const left = payment.paidCents - payment.refundedCents;
      const wanted = cents ?? left;
      if (!Number.isSafeInteger(wanted) || wanted < 1 || wanted > left)
        throw badValue(
          'cents',
          left < 1 ? 'a payment with something left to refund' : `whole number of 1 to ${left}`,
          wanted,
        );
      const account = payment.accountId === null ? null : await accounts.get(payment.accountId);
      const available = account === null ? 0 : account.balance - account.reserved;
      if (available < wanted)
        throw new EarshotError(
          'insufficient_balance',
          `Expected ${wanted} available credits on ${payment.accountId} to take back but there are ${available}`,
          { nextAction: 'Refund less, or wait until its jobs have ended.', details: { available } },
        );
      const total = payment.refundedCents + wanted;
      // Idempotent: repeated after a failure, it is the same refund to the provider.
      await requireProvider().refund(payment, wanted, total);
      return payments.refund(id, total);
    },

    list: (page) => payments.list(page),

    async receipt(token) {
      const payment = await byReceipt(token);
      return {
        payment,
        account: payment.accountId === null ? null : await accounts.get(payment.accountId),
        run: payment.freeRunId === null ? null : await freeRuns.get(payment.freeRunId),
        mayMakeKey: await mayMakeKey(payment),
      };
    },

    async makeKey(token, press) {
      const payment = await byReceipt(token);
      const { accountId } = payment;
      const { secret, prefix, hash } = makeKeySecret(press === null ? null : `${payment.id}:${press}`);
      const key = { id: newId('key'), accountId: accountId ?? '', name: 'receipt', prefix, hash };
      if (accountId !== null && (await mayMakeKey(payment)) && (await accounts.addFirstKey(key)) !== null)
        return secret;
      // A double press: the browser shows only the last answer, so that one needs the key, too.
      const known = press === null ? null : await accounts.findKey(hash);
      if (known !== null && known.account.id === accountId && known.key.revokedAt === null) return secret;
      throw new EarshotError('conflict', 'This account already has a key', {
        nextAction: 'Use that key, or ask the operator of this service for a new one.',
      });
    },
  };
}
