import type { Overview } from '../../../rules/operator/overview.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { searchForm } from '../frame/search-form.ts';
import { stageText, toolName } from '../tools/tool-text.ts';
import { fill } from '../language/fill.ts';
import { boughtWith } from './credits.ts';
import { lengthOf, sizeOf, timeOf } from './formats.ts';
import { cell, head, numberCell, numberHead, table } from './parts.ts';
import type { OwnPage } from './session.ts';
import type { View } from './view.ts';

/** /operator: how the service is doing. Read-only, and only for accounts with the right. */
export const operatorView: View = {
  path: '/operator',
  section: 'operator',
  async render(page, request) {
    const { t, language } = page;
    const { q = '' } = request.query as { readonly q?: unknown };
    const query = String(q).trim().slice(0, 100);
    const overview = await page.site.service.overview(page.account, query);
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
        ${load(page, overview)} ${queue(page, overview)} ${failures(page, overview)} ${accounts(page, overview, query)}
        <div class="cols-2">${freeBudget(page, overview)}${storage(page, overview)}</div>
        ${payments(page, overview)}`,
    };
  },
};

/** Bars of the last 24 hours: what was ordered, what of it failed, and how long it waited. */
function load(page: OwnPage, { hours }: Overview): Html {
  const { t, language } = page;
  const texts = t.operator;
  const most = (of: (hour: Overview['hours'][number]) => number): number => Math.max(1, ...hours.map(of));
  const ordered = hours.reduce((sum, hour) => sum + hour.ordered, 0);
  const [top, longest] = [most((hour) => hour.ordered), most(({ waitedSeconds }) => waitedSeconds)];
  const chart = (
    name: string,
    bars: readonly (readonly [value: number, look: string])[][],
    greatest: number,
    legend: string,
  ): Html =>
    html`<figure class="chart">
      <figcaption class="small"><b>${name}</b> <span class="soft">${legend}</span></figcaption>
      <svg viewBox="0 0 240 60" preserveAspectRatio="none" role="img" aria-label="${`${name}: ${legend}`}">
        ${bars.flatMap((column, x) =>
          column.map(
            ([value, look]) =>
              html`<rect
                class="${look}"
                x="${x * 10 + 1}"
                width="8"
                y="${60 - (58 * value) / greatest}"
                height="${(58 * value) / greatest}"
              />`,
          ),
        )}
      </svg>
      <p class="xs soft row">
        ${[hours[0], hours.at(-1)].map(
          (hour, at) =>
            html`<span class="${at === 1 && 'push'}">${hour === undefined ? '' : timeOf(language, hour.at)}</span>`,
        )}
      </p>
    </figure>`;
  return html`<section class="panel" aria-labelledby="load">
    <div class="panel-head"><h2 id="load" class="label">${texts.load}</h2></div>
    <div class="pad cols-2">
      ${chart(
        texts.ordered,
        hours.map((hour) => [
          [hour.ordered, 'bar'],
          [hour.failed, 'bar failed'],
        ]),
        top,
        fill(texts.orderedHelp, {
          n: language.number(ordered),
          failed: language.number(hours.reduce((sum, hour) => sum + hour.failed, 0)),
          most: language.number(top),
        }),
      )}
      ${chart(
        texts.waited,
        hours.map((hour) => [[hour.waitedSeconds, 'bar']]),
        longest,
        fill(texts.waitedHelp, { time: lengthOf(Math.max(...hours.map(({ waitedSeconds }) => waitedSeconds), 0)) }),
      )}
    </div>
    <p class="pad small">
      ${longest > longWaitSeconds ? texts.slow : texts.fine}
      <a href="${page.href('/docs/scaling')}">${texts.scaling}</a>
    </p>
  </section>`;
}

/** Longer than this, people wait for machines. */
const longWaitSeconds = 300;

/** The latest jobs that failed: each opens, with its error and what to do. */
function failures(page: OwnPage, { failedJobs }: Overview): Html {
  const { t, language } = page;
  const texts = t.operator;
  return html`<section class="panel" aria-labelledby="failures">
    <div class="panel-head"><h2 id="failures" class="label">${texts.failures}</h2></div>
    ${
      failedJobs.length === 0
        ? html`<p class="pad soft">${texts.noFailures}</p>`
        : html`<div class="pad stack-s">
            ${failedJobs.map(
              ({ id, tool, accountId, error, createdAt, attempt }) =>
                html`<details>
                  <summary>
                    ${toolName(page, tool)} · <code>${error?.code ?? '?'}</code> ·
                    <span class="num">${timeOf(language, createdAt)}</span>
                  </summary>
                  <dl class="facts">
                    <dt>${texts.job}</dt>
                    <dd><code>${id}</code></dd>
                    <dt>${texts.account}</dt>
                    <dd><code>${accountId ?? texts.visitor}</code></dd>
                    <dt>${texts.attempts}</dt>
                    <dd class="num">${attempt}</dd>
                  </dl>
                  <p class="small break">${error?.message}</p>
                </details>`,
            )}
          </div>`
    }
    <p class="pad small">${texts.failuresHelp} <a href="${page.href('/docs/operating')}">${texts.operating}</a></p>
  </section>`;
}

/** Accounts by name, address or id. */
function accounts(page: OwnPage, { accounts: found }: Overview, query: string): Html {
  const { t, language } = page;
  const texts = t.operator;
  const rows = found.map(
    ({ id, name, email, balance, reserved, blockedAt, createdAt }) =>
      html`<tr>
        <th scope="row" class="break">
          ${email ?? name} ${blockedAt !== null && html`<span class="tag">${texts.blocked}</span>`}<br /><code
            class="small soft"
            >${id}</code
          >
        </th>
        ${cell(texts.since, timeOf(language, createdAt))}${numberCell(t.credits.held, language.number(reserved))}
        ${numberCell(t.credits.balance, language.number(balance))}
      </tr>`,
  );
  return html`<section class="panel" aria-labelledby="accounts">
    <div class="panel-head"><h2 id="accounts" class="label">${texts.accounts}</h2></div>
    <div class="pad">${searchForm(page, { path: '/operator', label: texts.findAccount, query })}</div>
    ${rows.length === 0 ? html`<p class="pad soft">${fill(t.docs.nothing, { query })}</p>` : table([head(texts.account), head(texts.since), numberHead(t.credits.held), numberHead(t.credits.balance)], rows, texts.accounts)}
    <div class="panel-foot grow-code">
      ${command(`earshot credits grant ${found[0]?.id ?? '<account>'} 500`)}
      ${command(`earshot accounts block ${found[0]?.id ?? '<account>'} --reason "..."`)}
    </div>
  </section>`;
}

function queue(page: OwnPage, { jobs, at }: Overview): Html {
  const { t } = page;
  const texts = t.operator;
  const rows = jobs.open.map(
    ({ id, tool, status, stage, progress, seconds }) =>
      html`<tr>
        <th scope="row"><code>${id}</code></th>
        ${cell(texts.tool, toolName(page, tool))}
        ${cell(texts.stage, status === 'queued' ? t.jobs.states.queued : stageText(page, stage))}${numberCell(texts.done, status === 'queued' ? '' : `${Math.floor(progress * 100)}%`)}${numberCell(t.jobs.length, seconds === null ? '' : lengthOf(seconds))}
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
