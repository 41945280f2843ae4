import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import { newId } from '../shared/ids.ts';
import type { PaymentProvider } from '../money/payment-provider.ts';
import type { Payment } from '../money/payment-store.ts';
import type { Account } from '../accounts/account.ts';
import { dollars } from '../money/spoken-price.ts';
import type { Payments } from './payment-use-cases.ts';
import { canPay } from '../settings/can-pay.ts';
import { type PaymentsDeps, requireProvider } from './deps.ts';

/** People keep receipts: the link works this long. */
const receiptSeconds = 400 * 86_400;
/** The link to buy credits is in an error answer, which is read soon or never. */
const buySeconds = 7 * 86_400;
const mostCents = 1_000_000;
/** How long the provider may take to report a checkout that ended in its last second. */
const newsSeconds = 30 * 60;

/** Creates the payment and its checkout; returns the page to go to. */
export type BeginPayment = (
  wanted: Pick<Payment, 'freeRunId' | 'accountId' | 'tool' | 'amountCents'>,
  title: string,
  cancelUrl: string,
  more?: {
    /** Files that are kept until the payment ends. Default: none. */
    readonly fileIds?: readonly string[];
    /** The page to return to. Default: the receipt's own link. */
    readonly backTo?: (paymentId: string) => string;
  },
) => Promise<{ readonly payment: Payment; readonly url: string }>;

/** @throws EarshotError bad_request */
export function checkAmount(cents: number, leastCents: number): void {
  if (!Number.isSafeInteger(cents) || cents < leastCents || cents > mostCents)
    throw badValue('cents', `whole number of ${leastCents} to ${mostCents}`, cents);
}

/** Begins payments: for the rest of a file, or for credits. */
export function createCheckout(deps: PaymentsDeps): Pick<
  Payments,
  'receiptUrl' | 'ofBrowser' | 'payForRun' | 'buyUrl' | 'buyer' | 'payForCredits'
> & {
  readonly begin: BeginPayment;
} {
  const { payments, accounts, provider, tokens, config, baseUrl, now } = deps;

  const receiptUrl = ({ id, createdAt }: Payment): string =>
    `${baseUrl()}/payments/${tokens.sign('receipt', id, new Date(createdAt.getTime() + receiptSeconds * 1000))}`;

  const begin: BeginPayment = async (wanted, title, cancelUrl, { fileIds = [], backTo } = {}) => {
    const { id: providerId, begin: checkout, checkoutSeconds } = requireOpen(deps);
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
    const returnUrl = backTo?.(payment.id) ?? receiptUrl(payment);
    const { reference, url } = await checkout({
      paymentId: payment.id,
      amountCents: payment.amountCents,
      title,
      returnUrl,
      cancelUrl,
    });
    if (reference !== null) await payments.refer(payment.id, reference);
    return { payment, url: url ?? returnUrl };
  };

  async function buyer(token: string): Promise<Account> {
    const reading = await tokens.read('credits', token, now());
    const account = reading.ok ? await accounts.get(reading.id) : null;
    if (account !== null) return account;
    throw new EarshotError('not_found', 'There is no such link, or it has expired', {
      nextAction: 'Request a new link.',
    });
  }

  return {
    begin,
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
        const further = await requireOpen(deps).goOn(mine);
        if (further !== null) return { payment: mine, url: further.url ?? receiptUrl(mine) };
      }
      const wanted = { freeRunId: run.id, accountId: run.accountId, tool: run.tool, amountCents };
      const fileIds = Object.values(run.request.inputs).flat();
      const over = amountCents - run.whole.credits;
      const rest = over > 0 ? ` (${dollars(run.whole.credits)}), and ${over} credits` : '';
      return begin(wanted, `The whole file with ${run.tool}${rest}`, finish.url, { fileIds });
    },

    buyUrl: (accountId) =>
      provider === null || !canPay(config)
        ? null
        : `${baseUrl()}/credits/${tokens.sign('credits', accountId, new Date(now().getTime() + buySeconds * 1000))}`,

    buyer,

    async payForCredits(token, cents) {
      checkAmount(cents, config.minimumPaymentCents);
      const { id } = await buyer(token);
      const wanted = { freeRunId: null, accountId: id, tool: null, amountCents: cents };
      return begin(wanted, `${cents} credits`, `${baseUrl()}/credits/${token}?left`);
    },
  };
}

/** For new payments only: earlier ones can be refunded although payments are switched off. */
export function requireOpen(deps: PaymentsDeps): PaymentProvider {
  const open = requireProvider(deps);
  if (canPay(deps.config)) return open;
  throw new EarshotError(
    'forbidden',
    'Payments are not possible here: the operator has not configured payment instructions',
    {
      nextAction: 'Ask the operator of this service.',
    },
  );
}
