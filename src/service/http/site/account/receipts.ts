import type { Payment } from '../../../rules/money/payment-store.ts';
import type { LedgerEntry } from '../../../rules/money/ledger.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import { fill } from '../language/fill.ts';
import { boughtWith, reasonOf, signedOf } from './credits.ts';
import { timeOf } from './formats.ts';
import { cell, empty, head, hiddenHead, numberCell, numberHead, olderLink, ownForm, table } from './parts.ts';
import type { OwnPage } from './session.ts';
import { unpaid } from './unpaid.ts';
import type { View } from './view.ts';

const pageSize = 25;

/** /receipts: all payments. */
export const receiptsView: View = {
  path: '/receipts',
  section: 'credits',
  async render(page, request) {
    const { t, language, href, site } = page;
    const { cursor = null } = request.query as { readonly cursor?: string };
    const { items, nextCursor } = await site.service.payments.listOf(page.account, { cursor, limit: pageSize });
    const texts = t.receipts;
    const rows = items.map(
      (payment) =>
        html`<tr>
          <th scope="row"><code>${payment.id}</code></th>
          ${cell(texts.date, timeOf(language, payment.paidAt ?? payment.createdAt))}
          ${cell(texts.for, boughtWith(page, payment))}${cell(texts.state, stateOf(page, payment))}${numberCell(texts.amount, language.money(amountOf(payment)))}
          <td class="r act">
            <a class="btn s" href="${href(`/receipts/${payment.id}`)}"
              >${texts.open}<span class="sr"> ${payment.id}</span></a
            >
          </td>
        </tr>`,
    );
    return {
      title: texts.title,
      lead: texts.lead,
      body:
        rows.length === 0
          ? empty(texts.none, texts.noneHelp)
          : html`<section class="panel" aria-label="${texts.title}">
              ${table([head(texts.number), head(texts.date), head(texts.for), head(texts.state), numberHead(texts.amount), hiddenHead(t.account.actions)], rows, texts.title)}${olderLink(page, '/receipts', nextCursor)}
            </section>`,
    };
  },
};

const amountOf = ({ paidCents, amountCents }: Payment): number => (paidCents === 0 ? amountCents : paidCents);

function stateOf({ t }: OwnPage, { status, dispute, failure }: Payment): string {
  const { states } = t.receipts;
  if (dispute === 'open') return states.disputed;
  return failure === null ? states[status] : states.failed;
}

/** /receipts/<payment>: where people return after paying, and the printable receipt. */
export const receiptView: View = {
  path: '/receipts/:id',
  section: 'credits',
  async render(page, request) {
    const { t, href, site } = page;
    const { id } = request.params as { readonly id: string };
    const payment = await site.service.payments.ofAccount(page.account, id);
    const texts = t.receipts;
    const lead = texts.one;
    if (payment.paidAt !== null)
      return {
        title: texts.receipt,
        lead,
        scripts: ['print'],
        body: paidPage(page, payment, {
          entries: await site.service.accounts.ledgerOf(page.account, id),
          buyer: await buyerOf(page),
        }),
      };
    const { body, refreshSeconds } = await unpaid(page, payment, { href: href('/credits'), name: texts.toCredits });
    return { title: texts.payment, lead, body, ...(refreshSeconds === undefined ? {} : { refreshSeconds }) };
  },
  actions: {
    // Without a script; with one it is kept while it is typed.
    '/receipts/buyer': async (page, { payment = '', text = '' }) => {
      await page.site.service.notes.save(page.account, 'buyer', {
        name: buyerNote,
        value: { text: text.slice(0, 500) },
      });
      return `/receipts/${encodeURIComponent(payment.slice(0, 100))}`;
    },
  },
};

const buyerNote = 'receipts';

/** Name, address and VAT id as they were last written; else the name of the account. */
async function buyerOf({ site, account }: OwnPage): Promise<string> {
  const kept = (await site.service.notes.get(account, 'buyer', buyerNote))?.value['text'];
  return typeof kept === 'string' ? kept : (account.email ?? account.name);
}

interface Paid {
  readonly entries: readonly LedgerEntry[];
  /** For whom the receipt is. */
  readonly buyer: string;
}

function paidPage(page: OwnPage, payment: Payment, { entries, buyer }: Paid): Html {
  const { t, language, account, href, site } = page;
  const texts = t.receipts;
  const { paidCents, refundedCents, paidAt, createdAt } = payment;
  const from = site.config.operatorAddress?.replaceAll('\\n', '\n') ?? texts.operator;
  const refunded =
    refundedCents > 0 &&
    html`<tr>
      <th scope="row" colspan="3">${texts.refunded}</th>
      <td class="r num">−${language.money(refundedCents)}</td>
    </tr>`;
  return html`<div class="away no-print" role="status">
      ${icon('check')}
      <p>
        <b>${fill(texts.added, { credits: language.count(t.units.credits, paidCents) })}</b>
        ${fill(texts.have, { credits: language.number(account.balance - account.reserved) })}
      </p>
      <div class="push row"><a class="btn s" href="${href('/credits')}">${texts.toCredits}</a></div>
    </div>
    <div class="row no-print">
      <button class="btn go" type="button" hidden data-print>${icon('print')}${texts.print}</button>
    </div>
    <article class="paper" aria-labelledby="receipt">
      <header>
        <h2 id="receipt">${texts.receipt}</h2>
        <dl class="facts">
          <dt>${texts.number}</dt>
          <dd class="num">${payment.id}</dd>
          <dt>${texts.date}</dt>
          <dd class="num">${timeOf(language, paidAt ?? createdAt)}</dd>
        </dl>
      </header>
      <div class="cols-2">
        <div>
          <h3 class="label">${texts.from}</h3>
          <address>${from}</address>
        </div>
        <div>
          <h3 class="label"><label for="buyer">${texts.to}</label></h3>
          ${ownForm(
            page,
            '/receipts/buyer',
            html`<input type="hidden" name="payment" value="${payment.id}" />
              <textarea
                id="buyer"
                name="text"
                class="input"
                rows="4"
                maxlength="500"
                spellcheck="false"
                autocomplete="off"
                aria-describedby="buyer-help"
                data-keep="${href(`/notes/buyer/${buyerNote}`)}"
                value="${buyer}"
              ></textarea>
              <p class="row no-print">
                <span class="small soft" id="buyer-help" role="status">${texts.toHelp}</span>
                <button class="btn s push" type="submit">${t.credits.save}</button>
              </p>`,
            'stack-s',
          )}
        </div>
      </div>
      <table class="table bare">
        <thead>
          <tr>
            ${head(texts.what)}${numberHead(texts.count)}${numberHead(texts.each)}${numberHead(texts.amount)}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">${texts.creditsFor}</th>
            <td class="r num">${language.number(paidCents)}</td>
            <td class="r num">${language.money(1)}</td>
            <td class="r num">${language.money(paidCents)}</td>
          </tr>
        </tbody>
        <tfoot>
          ${refunded}
          <tr>
            <th scope="row" colspan="3">${texts.total}</th>
            <td class="r num">${language.money(paidCents - refundedCents)}</td>
          </tr>
        </tfoot>
      </table>
      <p class="small soft">${texts.use}</p>
    </article>
    ${entries.length > 1 && movedPanel(page, entries)}`;
}

/** What refunds and disputes took from the credits, and gave back. */
function movedPanel(page: OwnPage, entries: readonly LedgerEntry[]): Html {
  const { t, language } = page;
  const rows = entries.map(
    (entry) =>
      html`<tr>
        ${cell(t.credits.time, timeOf(language, entry.createdAt))}
        <th scope="row">${reasonOf(page, entry)}</th>
        ${numberCell(t.credits.creditsHead, signedOf(page, entry.credits))}
      </tr>`,
  );
  return html`<section class="panel no-print" aria-labelledby="moved">
    <div class="panel-head"><h2 id="moved" class="label">${t.receipts.moved}</h2></div>
    ${table([head(t.credits.time), head(t.credits.what), numberHead(t.credits.creditsHead)], rows, t.receipts.moved)}
  </section>`;
}
