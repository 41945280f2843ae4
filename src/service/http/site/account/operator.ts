import type { Overview } from '../../../rules/operator/overview.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { toolName } from '../tools/tool-text.ts';
import { fill } from '../language/fill.ts';
import { boughtWith } from './credits.ts';
import { lengthOf, sizeOf } from './formats.ts';
import { cell, head, numberCell, numberHead, table } from './parts.ts';
import type { OwnPage } from './session.ts';
import type { View } from './view.ts';

/** /operator: how the service is doing. Read-only, and only for accounts with the right. */
export const operatorView: View = {
  path: '/operator',
  section: 'operator',
  async render(page) {
    const { t, language } = page;
    const overview = await page.site.service.overview(page.account);
    const { jobs, slots, at } = overview;
    const texts = t.operator;
    const waited =
      jobs.oldestQueuedAt === null ? 0 : Math.max(0, (at.getTime() - jobs.oldestQueuedAt.getTime()) / 1000);
    return {
      title: texts.title,
      lead: texts.lead,
      body: html`<dl class="stats">
          <div>
            <dt>${texts.slots}</dt>
            <dd>${jobs.running} <small>${fill(texts.of, { n: slots })}</small></dd>
            <dd class="sub">${language.count(texts.owners, jobs.owners)}</dd>
          </div>
          <div>
            <dt>${texts.waiting}</dt>
            <dd>${jobs.queued}</dd>
            <dd class="sub">${jobs.queued > 0 && fill(texts.longest, { time: lengthOf(Math.round(waited)) })}</dd>
          </div>
          <div>
            <dt>${texts.failed}</dt>
            <dd>${jobs.failed} <small>${fill(texts.of, { n: jobs.ended })}</small></dd>
            <dd class="sub">${jobs.failures.join(', ')}</dd>
          </div>
          <div>
            <dt>${texts.processed}</dt>
            <dd>${lengthOf(Math.round(jobs.processedSeconds))}</dd>
            <dd class="sub">${texts.processedUnit}</dd>
          </div>
        </dl>
        ${queue(page, overview)}
        <div class="cols-2">${freeBudget(page, overview)}${storage(page, overview)}</div>
        ${payments(page, overview)}`,
    };
  },
};

function queue(page: OwnPage, { jobs, at }: Overview): Html {
  const { t } = page;
  const texts = t.operator;
  const rows = jobs.open.map(
    ({ id, tool, status, stage, progress, seconds }) =>
      html`<tr>
        <th scope="row"><code>${id}</code></th>
        ${cell(texts.tool, toolName(page, tool))}
        ${cell(texts.stage, status === 'queued' ? t.jobs.states.queued : stage)}${numberCell(texts.done, status === 'queued' ? '' : `${Math.floor(progress * 100)}%`)}${numberCell(t.jobs.length, seconds === null ? '' : lengthOf(seconds))}
      </tr>`,
  );
  return html`<section class="panel" aria-labelledby="queue">
    <div class="panel-head">
      <h2 id="queue" class="label">${texts.queue}</h2>
      <span class="small soft push">${fill(texts.asOf, { time: at.toISOString().slice(11, 19) })}</span>
    </div>
    ${rows.length === 0 ? html`<p class="pad soft">${texts.idle}</p>` : table([head(texts.job), head(texts.tool), head(texts.stage), numberHead(texts.done), numberHead(t.jobs.length)], rows, texts.queue)}
  </section>`;
}

const command = (text: string): Html =>
  html`<div class="code">
    <pre tabindex="0"><code>${text}</code></pre>
  </div>`;

function freeBudget({ t, language }: OwnPage, { free }: Overview): Html {
  const texts = t.operator;
  const runs = Object.values(free.uses).reduce((sum, { uses }) => sum + uses, 0);
  const seconds = language.number(free.seconds);
  return html`<section class="panel" aria-labelledby="free">
    <div class="panel-head"><h2 id="free" class="label">${texts.free}</h2></div>
    <div class="pad stack">
      <p class="row">
        <span>${texts.given}</span
        ><span class="num push"
          >${
            free.budgetSeconds === null
              ? seconds
              : fill(texts.ofBudget, { n: seconds, all: language.number(free.budgetSeconds) })
          }</span
        >
      </p>
      <dl class="facts">
        <dt>${texts.freeRuns}</dt>
        <dd class="num">${language.number(runs)}</dd>
        <dt>${texts.waitingToPay}</dt>
        <dd class="num">${language.number(free.waiting.length)}</dd>
      </dl>
      ${command('earshot free')}
    </div>
  </section>`;
}

function storage({ t, language }: OwnPage, { files }: Overview): Html {
  const texts = t.operator;
  const size = (bytes: number): string => sizeOf(language, bytes);
  return html`<section class="panel" aria-labelledby="storage">
    <div class="panel-head"><h2 id="storage" class="label">${texts.storage}</h2></div>
    <div class="pad stack">
      <p class="row">
        <span>${language.count(texts.files, files.originals.files + files.outputs.files)}</span
        ><span class="num push">${size(files.originals.bytes + files.outputs.bytes)}</span>
      </p>
      <dl class="facts">
        <dt>${texts.uploads}</dt>
        <dd class="num">${size(files.originals.bytes)}</dd>
        <dt>${texts.results}</dt>
        <dd class="num">${size(files.outputs.bytes)}</dd>
        <dt>${texts.expiring}</dt>
        <dd class="num">${size(files.expiringBytes)}</dd>
      </dl>
      ${command('earshot doctor')}
    </div>
  </section>`;
}

function payments(page: OwnPage, { payments: { counts, latest } }: Overview): Html {
  const { t, language } = page;
  const texts = t.operator;
  const mine = latest.filter(({ status, provider }) => status === 'open' && provider === 'operator');
  const rows = latest.map((payment) => {
    const { id, status, dispute, failure, paidCents, amountCents } = payment;
    const state =
      dispute === 'open'
        ? t.receipts.states.disputed
        : failure === null
          ? t.receipts.states[status]
          : t.receipts.states.failed;
    return html`<tr>
      <th scope="row"><code>${id}</code></th>
      ${cell(t.receipts.for, boughtWith(page, payment))}${cell(t.receipts.state, state)}${numberCell(t.receipts.amount, language.money(paidCents === 0 ? amountCents : paidCents))}
    </tr>`;
  });
  return html`<section class="panel" aria-labelledby="payments">
    <div class="panel-head">
      <h2 id="payments" class="label">${texts.payments}</h2>
      <span class="push small soft"
        >${fill(texts.paymentCounts, {
          open: language.number(counts.open),
          paid: language.number(counts.paid),
          disputed: language.number(counts.disputed),
        })}</span
      >
    </div>
    ${rows.length === 0 ? html`<p class="pad soft">${texts.noPayments}</p>` : table([head(t.receipts.number), head(t.receipts.for), head(t.receipts.state), numberHead(t.receipts.amount)], rows, texts.payments)}
    ${mine[0] !== undefined && html`<div class="panel-foot grow-code">${command(`earshot payments confirm ${mine[0].id}`)}</div>`}
  </section>`;
}
