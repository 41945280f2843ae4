import { randomBytes } from 'node:crypto';
import type { Payment } from '../../../rules/money/payment-store.ts';
import type { LedgerEntry } from '../../../rules/money/ledger.ts';
import { utcDay } from '../../../rules/accounts/free.ts';
import { html, type Html, type Part } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import { toolName } from '../tools/tool-text.ts';
import { fill } from '../language/fill.ts';
import { timeOf } from './formats.ts';
import {
  amountField,
  cell,
  confirmed,
  fault,
  head,
  note,
  numberCell,
  numberHead,
  olderLink,
  ownForm,
  table,
} from './parts.ts';
import type { OwnPage } from './session.ts';
import type { Action, Form, View } from './view.ts';

const pageSize = 25;

type Query = { readonly cursor?: string; readonly back?: string; readonly card?: string };

/** /credits: balance, buying, auto-refill, the ledger, and prices with the free uses left. */
export const creditsView: View = {
  path: '/credits',
  section: 'credits',
  async render(page, request) {
    const { t, language, site } = page;
    const { payments, accounts } = site.service;
    const { cursor = null, back, card } = request.query as Query;
    const [view, ledger, spent] = await Promise.all([
      accounts.view(page.account),
      accounts.ledger(page.account, { cursor, limit: pageSize }),
      payments.refills.spentThisMonth(page.account),
    ]);
    const own = { ...page, account: view.account };
    const { balance, reserved } = view.account;
    const available = balance - reserved;
    const texts = t.credits;
    return {
      title: texts.title,
      lead: texts.lead,
      ...(payments.checkoutOrigin === null ? {} : { formOrigins: [payments.checkoutOrigin] }),
      body: html`${back !== undefined && note(texts.cameBack, texts.cameBackHelp)}
        ${card !== undefined && view.account.autoRefill.card?.method === undefined && note(texts.cardComing, texts.cardComingHelp)}
        ${failureNote(own)}
        <dl class="stats">
          <div>
            <dt>${texts.available}</dt>
            <dd>${language.number(available)}</dd>
            <dd class="sub">${language.money(available)}</dd>
          </div>
          <div>
            <dt>${texts.held}</dt>
            <dd>${language.number(reserved)}</dd>
            <dd class="sub">${texts.heldHelp}</dd>
          </div>
        </dl>
        ${payments.possible ? html`<div class="cols-2">${buyForm(own)}${payments.refills.possible && refillForm(own, spent)}</div>` : note(texts.cannotBuy, texts.cannotBuyHelp)}
        ${ledgerPanel(own, ledger.items, ledger.nextCursor)}
        ${prices(own, view.prices, view.freeUsesLeft, await site.service.tools.offers())}`,
    };
  },
  actions: {
    '/credits': async (page, { cents = '' }) => {
      const { url, payment } = await page.site.service.payments.payForAccount(page.account, wholeOf(cents));
      // Without a provider's page: our own, where the operator confirms payments.
      return url.endsWith(`/receipts/${payment.id}`) ? `/receipts/${payment.id}` : url;
    },
    '/credits/refill': saveRefill,
    '/credits/refill/off': async (page) => {
      await page.site.service.payments.refills.turnOff(page.account);
      return '/credits';
    },
    '/credits/refill/retry': async (page) => {
      await page.site.service.payments.refills.retry(page.account);
      return '/credits';
    },
    '/credits/card': async (page, { press = '' }) =>
      page.site.service.payments.refills.saveCard(page.account, press.slice(0, 100)),
    '/credits/card/forget': async (page) => {
      await page.site.service.payments.refills.forgetCard(page.account);
      return '/credits';
    },
  },
};

async function saveRefill(
  page: OwnPage,
  { threshold = '', amount = '', cap = '', press = '' }: Form,
): ReturnType<Action> {
  const { refills } = page.site.service.payments;
  await refills.save(page.account, {
    thresholdCents: wholeOf(threshold),
    amountCents: wholeOf(amount),
    monthlyCapCents: wholeOf(cap),
  });
  // Auto-refill does nothing without a card.
  return page.account.autoRefill.card?.method === undefined
    ? refills.saveCard(page.account, press.slice(0, 100))
    : '/credits';
}

const wholeOf = (text: string): number => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : NaN);

/** Makes repeated presses lead to the same page of the provider. */
const press = (): Html => html`<input type="hidden" name="press" value="${randomBytes(24).toString('base64url')}" />`;

function buyForm(page: OwnPage): Html {
  const { t } = page;
  return ownForm(
    page,
    '/credits',
    html`<div class="panel-head"><h2 class="label">${t.credits.buy}</h2></div>
      <div class="pad stack">
        ${amountField(page)}
        <button class="btn go" type="submit">${t.credits.toPayment}</button>
        <p class="small soft">${t.credits.cardsElsewhere}</p>
      </div>`,
    'panel',
  );
}

function refillForm(page: OwnPage, spentCents: number): Html {
  const { t, language, site, account } = page;
  const texts = t.credits;
  const { enabled, thresholdCents, amountCents, monthlyCapCents, card, failure = null } = account.autoRefill;
  const least = site.config.minimumPaymentCents;
  const field = (name: string, label: string, value: number, minimum: number, help?: string): Html =>
    html`<div class="field">
      <label for="${name}">${label}</label>
      <div class="with-unit">
        <input
          id="${name}"
          name="${name}"
          type="number"
          min="${minimum}"
          step="1"
          required
          value="${value}"
          aria-describedby="${help && `${name}-help`}"
        /><span>${texts.unit}</span>
      </div>
      ${help && html`<p class="hint" id="${name}-help">${help}</p>`}
    </div>`;
  const saved = card?.method !== undefined;
  const state =
    failure !== null
      ? texts.refillStates.failed
      : !enabled
        ? texts.refillStates.off
        : saved
          ? texts.refillStates.on
          : texts.refillStates.noCard;
  const cap = monthlyCapCents ?? 4 * least;
  const reached = enabled && spentCents + (amountCents ?? least) > cap;
  return html`<section class="panel" aria-labelledby="refill">
    <div class="panel-head">
      <h2 id="refill" class="label">${texts.refill}</h2>
      <span class="${`tag push${failure === null ? '' : ' fault'}`}">${failure !== null && icon('warn')}${state}</span>
    </div>
    <div class="pad stack">
      ${ownForm(
        page,
        '/credits/refill',
        html`${press()}
          <div class="cols-2">
            ${field('threshold', texts.whenBelow, thresholdCents ?? 100, 1)}${field('amount', texts.buyEach, amountCents ?? least, least)}
          </div>
          ${field('cap', texts.cap, cap, least, fill(reached ? texts.capReached : texts.capHelp, { spent: language.number(spentCents), cap: language.number(cap) }))}
          <button class="btn" type="submit">${saved ? texts.save : texts.saveAndCard}</button>`,
        'stack',
      )}
      <div class="row">
        ${enabled && ownForm(page, '/credits/refill/off', html`<button class="btn quiet" type="submit">${texts.turnOff}</button>`)}
        ${
          saved &&
          html`<p class="small">${fill(texts.card, { brand: card.brand, last4: card.last4 })}</p>
            ${ownForm(page, '/credits/card', html`${press()}<button class="btn s" type="submit">${texts.otherCard}</button>`)}
            ${confirmed(page, '/credits/card/forget', { button: texts.forget, what: card.last4, consequence: texts.forgetHelp, yes: texts.forgetYes })}`
        }
      </div>
    </div>
  </section>`;
}

/** Explains why the last refill failed, and what to do. */
function failureNote(page: OwnPage): Html | null {
  const { t, account, language } = page;
  const { failure = null, card } = account.autoRefill;
  if (failure === null) return null;
  const texts = t.credits;
  return html`${fault(
      texts.causes[failure.cause],
      fill(texts.causesHelp[failure.cause], { last4: card?.last4 ?? '', time: timeOf(language, new Date(failure.at)) }),
    )}
    <div class="row">
      ${ownForm(page, '/credits/card', html`${press()}<button class="btn s" type="submit">${texts.otherCard}</button>`)}${ownForm(page, '/credits/refill/retry', html`<button class="btn s" type="submit">${texts.retry}</button>`)}
    </div>`;
}

/** "+500" */
export const signedOf = ({ language }: OwnPage, n: number): string =>
  n > 0 ? `+${language.number(n)}` : language.number(n).replace('-', '−');

/** "Charged", "Dispute over". */
export function reasonOf({ t }: OwnPage, { kind, credits, paymentId, disputeId }: LedgerEntry): string {
  const { kinds, returns } = t.credits;
  if (paymentId === null || kind !== 'adjustment') return kinds[kind];
  if (disputeId === null) return returns.refund;
  return credits < 0 ? returns.disputed : returns.disputeOver;
}

/** The job, the payment with its dispute, or the operator's remark. */
function originOf({ href }: OwnPage, { jobId, paymentId, disputeId, note: remark }: LedgerEntry): Part {
  if (paymentId === null) return remark ?? jobId ?? '';
  const named = disputeId !== null && disputeId !== paymentId && html`, ${disputeId}`;
  return html`<a href="${href(`/receipts/${paymentId}`)}">${paymentId}</a>${named}`;
}

function ledgerPanel(page: OwnPage, entries: readonly LedgerEntry[], next: string | null): Html {
  const { t, language } = page;
  const texts = t.credits;
  const rows = entries.map((entry) => {
    const { createdAt, credits, balance } = entry;
    return html`<tr>
      ${cell(texts.time, timeOf(language, createdAt))} ${cell(texts.what, reasonOf(page, entry))}
      <th scope="row">${originOf(page, entry)}</th>
      ${numberCell(texts.creditsHead, signedOf(page, credits))}${numberCell(texts.balance, language.number(balance))}
    </tr>`;
  });
  return html`<section class="panel" aria-labelledby="ledger">
    <div class="panel-head">
      <h2 id="ledger" class="label">${texts.ledger}</h2>
      <a class="small push" href="${page.href('/receipts')}">${texts.receipts}</a>
    </div>
    ${
      rows.length === 0
        ? html`<p class="pad soft">${texts.noEntries}</p>`
        : table(
            [
              head(texts.time),
              head(texts.what),
              head(texts.for),
              numberHead(texts.creditsHead),
              numberHead(texts.balance),
            ],
            rows,
            texts.ledger,
          )
    }${olderLink(page, '/credits', next)}
  </section>`;
}

type ByTool = Readonly<Record<string, number>>;

function prices(
  page: OwnPage,
  credits: ByTool,
  left: ByTool,
  offers: readonly {
    readonly id: string;
    readonly free: { readonly enabled: boolean; readonly seconds: number | null; readonly dailyUses: number };
  }[],
): Html {
  const { t, language } = page;
  const texts = t.credits;
  const rows = offers.map(({ id, free }) => {
    const part =
      free.seconds === null ? texts.wholeFile : fill(texts.firstMinutes, { n: language.number(free.seconds / 60, 1) });
    return html`<tr>
      <th scope="row">${toolName(page, id)}</th>
      ${numberCell(texts.perMinute, language.number(credits[id] ?? 0))}
      ${cell(texts.freePart, free.enabled ? fill(texts.freeUses, { part, n: free.dailyUses }) : texts.noFree)}${numberCell(texts.leftToday, language.number(left[id] ?? 0))}
    </tr>`;
  });
  return html`<section class="stack" id="prices" aria-labelledby="prices-title">
    <h2 id="prices-title">${texts.prices}</h2>
    <p class="small soft">${fill(texts.freeDay, { day: utcDay(new Date()) })}</p>
    <div class="panel">
      ${table([head(texts.tool), numberHead(texts.perMinute), head(texts.freePart), numberHead(texts.leftToday)], rows, texts.prices)}
    </div>
  </section>`;
}

/** "500 credits, auto-refill". */
export function boughtWith(page: OwnPage, { paidCents, amountCents, automatic, tool }: Payment): string {
  const { t, language } = page;
  const credits = language.count(t.units.credits, paidCents === 0 ? amountCents : paidCents);
  if (automatic) return `${credits}, ${t.credits.refill}`;
  return tool === null ? credits : `${credits}, ${toolName(page, tool)}`;
}
