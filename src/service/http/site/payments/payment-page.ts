import { randomBytes } from 'node:crypto';
import type { FreeRunView } from '../../../rules/free-runs/free-run-use-cases.ts';
import type { Receipt } from '../../../rules/payments/payment-use-cases.ts';
import { timeOf } from '../account/formats.ts';
import { fault, note } from '../account/parts.ts';
import { againSeconds, unpaid } from '../account/unpaid.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import type { Page } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { errorText } from '../language/said.ts';
import { factsPanel, type PayPage } from './shell.ts';

/** What the page of a payment shows. */
interface PaymentPage {
  readonly receipt: Receipt;
  /** The run with the job that the payment started. */
  readonly finish: FreeRunView | null;
  /** An API key that was just created; null: none. */
  readonly secret: string | null;
}

/** GET /payments/<token>: the state of a payment, the account with its credits, and the results. */
export async function paymentPage(page: Page, { receipt, finish, secret }: PaymentPage): Promise<PayPage> {
  const { payment, mayMakeKey } = receipt;
  const title = page.t.pay.payment;
  if (payment.paidAt === null) {
    const { body, ...again } = await unpaid(page, payment, null);
    return { title, body: html`${body}${aboutPayment(page, receipt)}`, ...again };
  }
  const status = finish?.job?.status;
  const running = status === 'queued' || status === 'running';
  const key = secret !== null ? shownKey(page, secret) : mayMakeKey && payment.dispute !== 'open' && keyForm(page);
  return {
    title,
    body: html`${state(page, receipt, finish)}${aboutPayment(page, receipt)}${key}`,
    // A page with a secret must not be loaded again: the secret is shown once.
    ...(running && secret === null ? { refreshSeconds: againSeconds } : {}),
  };
}

function aboutPayment(page: Page, { payment, account }: Receipt): Html {
  const { t, language } = page;
  const texts = t.pay;
  const paid = payment.paidAt !== null;
  return factsPanel([
    [texts.payment, payment.id],
    [texts.amount, language.money(paid ? payment.paidCents : payment.amountCents)],
    payment.paidAt === null ? null : [texts.paidAt, timeOf(language, payment.paidAt)],
    payment.refundedCents > 0 ? [texts.refunded, language.money(payment.refundedCents)] : null,
    account === null || !paid ? null : [texts.account, account.id],
    account === null || !paid ? null : [texts.credits, creditsOf(page, account.balance - account.reserved)],
  ]);
}

const creditsOf = ({ t, language }: Page, credits: number): string =>
  fill(t.pay.creditsOf, { credits: language.count(t.units.credits, credits), amount: language.money(credits) });

function state(page: Page, { payment, account }: Receipt, finish: FreeRunView | null): Html {
  const { t, language } = page;
  const texts = t.pay;
  if (payment.dispute === 'open') return fault(texts.disputed, texts.disputedHelp);
  if (payment.status === 'refunded') return note(texts.wasRefunded, texts.wasRefundedHelp);
  const job = finish?.job ?? null;
  if (finish === null || job === null) {
    const { outcome } = payment;
    if (outcome === null) return html``;
    return note(texts.outcomes[outcome], outcome === 'credits' ? '' : texts.kept);
  }
  if (job.status === 'succeeded') {
    const left = account === null ? 0 : account.balance - account.reserved;
    return done(page, finish, fill(texts.doneHelp, { price: language.money(job.price), left: language.money(left) }));
  }
  if (job.status === 'queued' || job.status === 'running') {
    const percent = Math.floor(job.progress * 100);
    return note(
      texts.outcomes.job_started,
      fill(texts.progress, { percent }),
      html`<progress max="100" value="${percent}" aria-label="${texts.outcomes.job_started}">${percent} %</progress>`,
    );
  }
  return fault(
    texts.failed,
    html`${job.error !== null && html`${errorText(t, job.error).message}. `}${texts.failedHelp}`,
  );
}

function done({ t, language }: Page, { outputs }: FreeRunView, help: string): Html {
  const texts = t.pay;
  const [first] = outputs;
  return html`<div class="note mark" role="status">
    ${icon('check')}
    <div>
      <h2 class="label">${texts.done}</h2>
      <p>${help}</p>
      ${outputs.map(
        ({ file, url }) =>
          html`<p>
            <a class="btn go" href="${url}" download>${icon('down')}${fill(texts.download, { name: file.filename })}</a>
          </p>`,
      )}
      ${first !== undefined && html`<p class="small">${fill(texts.keptUntil, { time: timeOf(language, first.expiresAt) })}</p>`}
    </div>
  </div>`;
}

/** The random `press` makes a double press return the same key. */
const keyForm = ({ t }: Page): Html =>
  html`<form method="post" class="panel pad stack">
    <h2 class="label">${t.pay.keyTitle}</h2>
    <p>${t.pay.keyHelp}</p>
    <input type="hidden" name="press" value="${randomBytes(32).toString('base64url')}" />
    <button class="btn" type="submit">${t.pay.keyButton}</button>
  </form>`;

const shownKey = ({ t }: Page, secret: string): Html =>
  html`<div class="panel pad stack" role="status">
    <h2 class="label">${t.pay.keyShown}</h2>
    <div class="code">
      <pre tabindex="0"><code>${secret}</code></pre>
    </div>
  </div>`;
