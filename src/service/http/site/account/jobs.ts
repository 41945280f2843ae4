import { terminalJobStatuses } from '../../../rules/jobs/stored-job.ts';
import type { JobView } from '../../../rules/jobs/jobs.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import { recentChains } from './chain-parts.ts';
import { errorText } from '../language/said.ts';
import { stageText, toolName } from '../tools/tool-text.ts';
import { fill } from '../language/fill.ts';
import { lengthOf, timeOf } from './formats.ts';
import { cell, empty, head, hiddenHead, numberCell, numberHead, olderLink, ownForm, table } from './parts.ts';
import { type OwnPage, pathOf } from './session.ts';
import type { View } from './view.ts';

const pageSize = 50;
const againSeconds = 5;

/** /jobs: what runs, waits and is done. */
export const jobsView: View = {
  path: '/jobs',
  section: 'jobs',
  async render(page, request) {
    const { t, site } = page;
    const { cursor = null } = request.query as { readonly cursor?: string };
    const { items, nextCursor } = await site.service.jobs.list(
      page.account,
      { tool: null },
      { cursor, limit: pageSize },
    );
    const open = items.filter(({ job }) => !terminalJobStatuses.includes(job.status));
    const ended = items.filter(({ job }) => terminalJobStatuses.includes(job.status));
    const texts = t.jobs;
    const heads = [
      head(texts.tool),
      head(texts.state),
      head(texts.ordered),
      numberHead(texts.length),
      numberHead(texts.credits),
      hiddenHead(t.account.actions),
    ];
    return {
      title: texts.title,
      lead: texts.lead,
      ...(open.length > 0 && cursor === null ? { refreshSeconds: againSeconds } : {}),
      body: html`${
        open.length > 0 &&
        html`<section class="panel" aria-labelledby="running">
          <div class="panel-head">
            <h2 id="running" class="label">${texts.running}</h2>
            <span class="small soft push">${texts.follows}</span>
          </div>
          ${open.map((view) => openJob(page, view))}
        </section>`
      }
      ${
        ended.length > 0 &&
        html`<section class="panel" aria-labelledby="ended">
          <div class="panel-head"><h2 id="ended" class="label">${texts.ended}</h2></div>
          ${table(
            heads,
            ended.map((view) => endedJob(page, view)),
            texts.ended,
          )}${olderLink(page, '/jobs', nextCursor)}
        </section>`
      }
      ${items.length === 0 && empty(texts.none, html`<a href="${page.href('/')}">${t.files.toTools}</a>`)}
      ${cursor === null && (await recentChains(page))}`,
    };
  },
  actions: {
    '/jobs/cancel': async (page, { job = '' }) => {
      await page.site.service.jobs.cancel(page.account, job);
      return '/jobs';
    },
    '/jobs/download': async (page, { file = '' }) =>
      pathOf(page, (await page.site.service.files.downloadLink(page.account, file)).url),
  },
};

function openJob(page: OwnPage, { job }: JobView): Html {
  const { t } = page;
  const percent = Math.floor(job.progress * 100);
  const left = job.estimatedSecondsLeft;
  const title = toolName(page, job.tool);
  return html`<div class="pad prog">
    <div class="line">
      <p><b>${title}</b> · <code>${job.id}</code></p>
      <p class="small">
        <span class="num">${percent}%</span
        >${left !== null && ` · ${fill(t.jobs.left, { time: lengthOf(Math.max(1, Math.round(left))) })}`}
      </p>
    </div>
    <progress max="100" value="${percent}" aria-label="${title}">${percent}%</progress>
    <div class="line">
      <p class="small soft">${job.status === 'queued' ? t.jobs.states.queued : stageText(page, job.stage)}</p>
      ${ownForm(page, '/jobs/cancel', html`<input type="hidden" name="job" value="${job.id}" /><button class="btn s" type="submit">${icon('stop')}${t.jobs.cancel}<span class="sr"> ${title}</span></button>`)}
    </div>
  </div>`;
}

function endedJob(page: OwnPage, { job, outputs }: JobView): Html {
  const { t, language } = page;
  const { status, processedSeconds, price, free, error } = job;
  const sign = status === 'succeeded' ? icon('check') : status === 'failed' ? icon('warn') : null;
  const cost = status !== 'succeeded' ? 0 : price;
  const results = outputs.filter((file) => file.status === 'ready');
  return html`<tr>
    <th scope="row">${toolName(page, job.tool)}<br /><span class="soft small break">${job.id}</span></th>
    <td>
      <span class="${status === 'failed' ? 'tag fault' : status === 'cancelled' ? 'tag off' : 'tag'}"
        >${sign}${t.jobs.states[status]}</span
      >${error !== null && html`<p class="small">${errorText(t, error).message}</p>`}
    </td>
    ${cell(t.jobs.ordered, timeOf(language, job.createdAt))}${numberCell(t.jobs.length, processedSeconds === null ? '' : lengthOf(processedSeconds))}
    ${numberCell(t.jobs.credits, free ? t.jobs.free : language.number(cost))}
    <td class="r act">
      ${results.map((file) => ownForm(page, '/jobs/download', html`<input type="hidden" name="file" value="${file.id}" /><button class="btn s" type="submit">${icon('down')}<span class="break">${file.filename}</span></button>`))}
    </td>
  </tr>`;
}
