import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FreeRunView } from '../../rules/free-runs/free-runs.ts';
import type { Account, StoredFile } from '../../rules/records.ts';
import type { Receipt } from '../../rules/service.ts';
import { dollars, spokenPrice } from '../../rules/spoken-price.ts';
import { escapeHtml, sendPage } from './page.ts';
import { readStyle } from './page-files.ts';

// Read once, when the service starts.
const style = readStyle('payment-page.css');

/** While something is under way, the browser looks again by itself; nothing here needs a script. */
const lookAgainSeconds = 5;

function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  return minutes === 0 ? `${rest} s` : `${minutes} min ${rest} s`;
}

const facts = (rows: readonly (readonly [string, string] | null)[]): string =>
  `<dl class="facts">${rows
    .flatMap((row) => (row === null ? [] : [`<dt>${escapeHtml(row[0])}</dt><dd>${escapeHtml(row[1])}</dd>`]))
    .join('\n')}</dl>`;

/** What the finish page shows. */
export interface FinishPage {
  readonly view: FreeRunView;
  readonly files: readonly StoredFile[];
  /** The tool's name for people. */
  readonly toolTitle: string;
  /** The receipt of a payment that this very browser has made or begun; null: it has none, whoever else may have. */
  readonly receiptUrl: string | null;
}

/** GET /finish/<token>: what the whole file costs, and the button that leads to the checkout. */
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
      [files.length === 1 ? 'File' : 'Files', files.map(({ filename }) => filename).join(', ') || 'no longer kept'],
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
${over > 0 ? `<p>The least payment is ${spokenPrice(finish.priceCredits, run.whole.credits)}, as credits for other files.</p>` : ''}
<button type="submit">Pay ${dollars(finish.priceCredits)}</button>
</form>
${receipt}
<p class="soft">No sign-up. The whole file is processed as soon as the payment is confirmed. The file is kept until
<time datetime="${run.expiresAt.toISOString()}">${run.expiresAt.toISOString().slice(11, 16)} UTC</time>, and for as long as
a payment takes that is begun before.</p>`;
  });
}

/**
 * The answer to a pressed button: on to the checkout. Browsers follow a form's redirection only to where the page's policy
 * lets forms lead; a checkout elsewhere is a link, and followed by itself.
 * @param begin where to go, and whether that is a page of ours
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
<p><a href="${escapeHtml(url)}">Go on to the checkout</a></p>`,
      refresh: `0; url=${url}`,
    };
  });
}

/** GET /credits/<token>: how many credits a person buys for an account. */
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

/** What the receipt shows. */
export interface ReceiptPage {
  readonly receipt: Receipt;
  /** The job that the payment started. */
  readonly finish: FreeRunView | null;
  /** How to pay, where that is done by hand; null: nothing to say. */
  readonly instructions: string | null;
  /** A key that was just made; null: none was. */
  readonly secret: string | null;
}

const outcomes = {
  job_started: 'The whole file is being processed.',
  credits: 'The credits are on the account.',
  file_gone:
    'The file was no longer kept when the payment came. All of it is on the account as credits, or is refunded by the operator.',
  too_little:
    'The payment was less than the price. All of it is on the account as credits, or is refunded by the operator.',
  already_finished:
    'This file was paid already. All of the payment is on the account as credits, or is refunded by the operator.',
} as const;

/** GET /payments/<token>: what has become of a payment, the account that has what is over, and the results. */
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
    // A page that shows a secret must not look again: the secret would be gone.
    const again = secret === null && (running || payment.status === 'open');
    return again ? { html, refresh: String(lookAgainSeconds) } : html;
  });
}

function waiting({ payment }: Receipt, instructions: string | null): string {
  if (payment.status === 'closed')
    return `<p role="status">The checkout ended without a payment. Nothing was charged.</p>`;
  return `<p role="status">Waiting for the payment to be confirmed. This page looks again by itself.</p>
${instructions === null ? '' : `<p>${escapeHtml(instructions)}</p>`}
<p class="soft">Name the payment as <code>${escapeHtml(payment.id)}</code>.</p>`;
}

function state({ payment }: Receipt, finish: FreeRunView | null): string {
  if (payment.dispute === 'open')
    return `<p role="status" class="problem">The payer's bank asks for this payment back. What is left of its credits is frozen until
that is decided.</p>`;
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

/** What was pressed travels with the press, so that pressing twice makes one key and shows it twice. */
const keyForm = (): string => `<form method="post" class="card">
<p>The credits on the account can be used with an API key. It is made once and shown once.</p>
<input type="hidden" name="press" value="${randomBytes(32).toString('base64url')}">
<button type="submit">Make an API key</button>
</form>`;

const shownKey = (secret: string): string =>
  `<div class="card"><p role="status">Your API key, shown this once:</p><p><code>${escapeHtml(secret)}</code></p></div>`;
