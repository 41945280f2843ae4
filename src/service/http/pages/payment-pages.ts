import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FreeRunView } from '../../rules/free-run-use-cases.ts';
import type { Account, StoredFile } from '../../rules/records.ts';
import type { Receipt } from '../../rules/service.ts';
import { dollars, spokenPrice } from '../../rules/spoken-price.ts';
import { escapeHtml } from '../../../library/core/escape-html.ts';
import { sendPage } from './page.ts';
import { readStyle } from './page-files.ts';

// Read once, when the service starts.
const style = readStyle('payment-page.css');

/** Pages refresh themselves while something is in progress; they have no script. */
const refreshSeconds = 5;

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  return minutes === 0 ? `${rest} s` : `${minutes} min ${rest} s`;
}

const facts = (rows: readonly (readonly [string, string] | null)[]): string =>
  `<dl class="facts">${rows
    .flatMap((row) => (row === null ? [] : [`<dt>${escapeHtml(row[0])}</dt><dd>${escapeHtml(row[1])}</dd>`]))
    .join('\n')}</dl>`;

/** The data of the finish page. */
export interface FinishPage {
  readonly view: FreeRunView;
  readonly files: readonly StoredFile[];
  /** Display name of the tool. */
  readonly toolTitle: string;
  /** The receipt of this browser's own payment; null: none. */
  readonly receiptUrl: string | null;
}

/** GET /finish/<token>: the price of the whole file and the button to the checkout. */
export function sendFinishPage(
  request: FastifyRequest,
  reply: FastifyReply,
  formOrigins: readonly string[],
  read: () => Promise<FinishPage>,
): Promise<FastifyReply> {
  return sendPage(request, reply, { title: 'Process the whole file', style, formOrigins }, async () => {
    const { view, files, toolTitle, receiptUrl } = await read();
    const { run, finish, finishedBy } = view;
    const about = facts([
      ['Tool', toolTitle],
      [files.length === 1 ? 'File' : 'Files', files.map(({ filename }) => filename).join(', ') || 'deleted'],
      run.whole === null ? null : ['Length', duration(run.whole.billing.seconds)],
      run.whole === null ? null : ['Price', dollars(run.whole.credits)],
    ]);
    const receipt = receiptUrl === null ? '' : `<p><a href="${escapeHtml(receiptUrl)}">Show the payment</a></p>`;
    if (finishedBy !== null)
      return `<div class="card">${about}</div>\n<p role="status" class="good">This file has been paid.</p>\n${receipt}`;
    if (finish === null || run.whole === null)
      return `<div class="card">${about}</div>\n<p role="status">There is nothing to pay for this file.</p>\n${receipt}`;
    const over = finish.priceCredits - run.whole.credits;
    return `<div class="card">
${about}
</div>
<form method="post" class="card">
<p class="price">${dollars(finish.priceCredits)}</p>
${over > 0 ? `<p>The minimum payment is ${spokenPrice(finish.priceCredits, run.whole.credits)}, as credits for other files.</p>` : ''}
<button type="submit">Pay ${dollars(finish.priceCredits)}</button>
</form>
${receipt}
<p class="soft">No sign-up. The whole file is processed as soon as the payment is confirmed. The file is kept until
<time datetime="${run.expiresAt.toISOString()}">${run.expiresAt.toISOString().slice(11, 16)} UTC</time>, and longer while a
payment is in progress.</p>`;
  });
}

/**
 * The response to a form: leads to the checkout. Browsers follow a form's redirect only to the origins of the page's
 * form-action policy; another checkout is a link with a meta refresh.
 * @param begin returns the address, and whether it is a page of ours
 */
export function sendOnward(
  request: FastifyRequest,
  reply: FastifyReply,
  formOrigins: readonly string[],
  begin: () => Promise<{ readonly url: string; readonly ours: boolean }>,
): Promise<FastifyReply> {
  return sendPage(request, reply, { title: 'Payment', style, formOrigins }, async () => {
    const { url, ours } = await begin();
    if (ours) return { redirect: url };
    const { origin, host } = new URL(url);
    if (formOrigins.includes(origin)) return { redirect: url };
    return {
      html: `<p role="status">The checkout is at ${escapeHtml(host)}.</p>
<p><a href="${escapeHtml(url)}">Continue to the checkout</a></p>`,
      refresh: `0; url=${url}`,
    };
  });
}

/** GET /credits/<token>: choose an amount of credits to buy for an account. */
export function sendCreditsPage(
  request: FastifyRequest,
  reply: FastifyReply,
  formOrigins: readonly string[],
  read: () => Promise<{ readonly account: Account; readonly amounts: readonly number[] }>,
): Promise<FastifyReply> {
  return sendPage(request, reply, { title: 'Buy credits', style, formOrigins }, async () => {
    const { account, amounts } = await read();
    const available = account.balance - account.reserved;
    const choices = amounts.map(
      (cents, index) =>
        `<label><input type="radio" name="cents" value="${cents}"${index === 0 ? ' checked' : ''}> ` +
        `${dollars(cents)} <span class="soft">(${cents} credits)</span></label>`,
    );
    return `<div class="card">${facts([
      ['Account', account.id],
      ['Credits', `${available} (${dollars(available)})`],
    ])}</div>
<form method="post" class="card">
<fieldset>
<legend>Amount</legend>
${choices.join('\n')}
</fieldset>
<button type="submit">Buy</button>
</form>`;
  });
}

/** The data of the receipt. */
export interface ReceiptPage {
  readonly receipt: Receipt;
  /** The job that the payment started. */
  readonly finish: FreeRunView | null;
  /** How to pay the operator; null: none. */
  readonly instructions: string | null;
  /** An API key that was just created; null: none. */
  readonly secret: string | null;
}

const outcomes = {
  job_started: 'The whole file is being processed.',
  credits: 'The credits are on the account.',
  file_gone:
    'The file was already deleted when the payment arrived. The whole payment is on the account as credits, or is refunded by the operator.',
  too_little: 'The payment was less than the price. It is on the account as credits, or is refunded by the operator.',
  already_finished:
    'This file was already paid. The payment is on the account as credits, or is refunded by the operator.',
} as const;

/** GET /payments/<token>: the state of a payment, the account with its credits, and the results. */
export function sendReceiptPage(
  request: FastifyRequest,
  reply: FastifyReply,
  read: () => Promise<ReceiptPage>,
): Promise<FastifyReply> {
  return sendPage(request, reply, { title: 'Payment', style, formOrigins: [] }, async () => {
    const { receipt, finish, instructions, secret } = await read();
    const { payment, account, mayMakeKey } = receipt;
    const paid = payment.paidAt !== null;
    const rows = facts([
      ['Payment', payment.id],
      ['Amount', dollars(paid ? payment.paidCents : payment.amountCents)],
      payment.paidAt === null ? null : ['Paid', `${payment.paidAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
      payment.refundedCents > 0 ? ['Refunded', dollars(payment.refundedCents)] : null,
      account === null || !paid ? null : ['Account', account.id],
      account === null || !paid
        ? null
        : ['Credits', `${account.balance - account.reserved} (${dollars(account.balance - account.reserved)})`],
    ]);
    const job = finish?.job ?? null;
    const running = job !== null && (job.status === 'queued' || job.status === 'running');
    const html = `<div class="card">${rows}</div>
${paid ? state(receipt, finish) : waiting(receipt, instructions)}
${secret === null ? (paid && mayMakeKey && payment.dispute !== 'open' ? keyForm() : '') : shownKey(secret)}`;
    // A page with a secret must not refresh: the secret is shown once.
    const again = secret === null && (running || payment.status === 'open');
    return again ? { html, refresh: String(refreshSeconds) } : html;
  });
}

function waiting({ payment }: Receipt, instructions: string | null): string {
  if (payment.status === 'closed')
    return `<p role="status">The checkout ended without a payment. Nothing was charged.</p>`;
  return `<p role="status">Waiting for the payment to be confirmed. This page refreshes itself.</p>
${instructions === null ? '' : `<p>${escapeHtml(instructions)}</p>`}
<p class="soft">Reference of the payment: <code>${escapeHtml(payment.id)}</code></p>`;
}

function state({ payment }: Receipt, finish: FreeRunView | null): string {
  if (payment.dispute === 'open')
    return `<p role="status" class="problem">The payer's bank disputes this payment. Its remaining credits are frozen until the bank has
decided.</p>`;
  if (payment.status === 'refunded') return '<p role="status">This payment was refunded.</p>';
  const job = finish?.job ?? null;
  if (finish === null || job === null)
    return `<p role="status">${payment.outcome === null ? '' : escapeHtml(outcomes[payment.outcome])}</p>`;
  if (job.status === 'succeeded')
    return `<p role="status" class="good">The whole file is done.</p>
<ul class="files card">${finish.outputs
      .map(({ file, url }) => `<li><a href="${escapeHtml(url)}">Download ${escapeHtml(file.filename)}</a></li>`)
      .join('')}</ul>
${finish.outputs[0] === undefined ? '' : `<p class="soft">Kept until ${finish.outputs[0].expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.</p>`}`;
  if (job.status === 'queued' || job.status === 'running')
    return `<p role="status">The whole file is being processed: ${Math.round(job.progress * 100)} %.</p>
<progress max="1" value="${job.progress}" aria-label="Progress"></progress>`;
  return `<p role="status" class="problem">The whole file could not be processed${
    job.error === null ? '' : `: ${escapeHtml(job.error.message)}`
  }. Nothing was charged for it; the credits are on the account, or are refunded by the operator.</p>`;
}

/** The random `press` makes a double press return the same key. */
const keyForm = (): string => `<form method="post" class="card">
<p>The credits on the account can be used with an API key. It is created and shown only once.</p>
<input type="hidden" name="press" value="${randomBytes(32).toString('base64url')}">
<button type="submit">Create an API key</button>
</form>`;

const shownKey = (secret: string): string =>
  `<div class="card"><p role="status">Your API key, shown only now:</p><p><code>${escapeHtml(secret)}</code></p></div>`;
