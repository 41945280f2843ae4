// The page of a run. Its link is the credential. It works without a script and reloads by itself.
import type { FastifyInstance } from 'fastify';
import { badValue } from '../../../../library/core/checks/schema.ts';
import type { FreeRunView } from '../../../rules/free-runs/free-run-use-cases.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { shownBytes, spokenLength, staysOf } from '../frame/terms.ts';
import { errorText, warningTexts } from '../language/said.ts';
import { fill } from '../language/fill.ts';
import { nextTools } from './next-tools.ts';
import { toolText } from './tool-text.ts';

/** Seconds between reloads. */
const lookAgain = 2;

/** GET /runs/<id>?t=<token> */
export function runRoutes(scope: FastifyInstance, site: Site): void {
  const { service, tools } = site;
  scope.get<{ Params: { id: string }; Querystring: { t?: unknown } }>(
    '/runs/:id',
    { config: { access: 'token', secret: ['t'] }, schema: { hide: true } },
    async (request, reply) => {
      const { t: token } = request.query;
      if (typeof token !== 'string') throw badValue('t', 'token of the link', token, 't in the query');
      const page = await openPage(site, request, reply);
      const view = await service.freeRuns.byStatusLink(request.params.id.slice(0, 100), token);
      const tool = tools.find(({ id }) => id === view.run.tool);
      const title = tool === undefined ? view.run.tool : toolText(page, tool).title;
      const state = stateOf(view);
      return sendPage(reply, page, {
        title,
        section: 'tools',
        mainClass: 'wrap',
        secretAddress: true,
        ...(state === 'running' ? { refreshSeconds: lookAgain } : {}),
        scripts: ['run'],
        data: { state, t: page.t.bench },
        body: html`<div class="head"><h1>${title}</h1></div>
          <div class="split">
            <div class="panel">
              ${state === 'running' ? running(page, view) : state === 'done' ? done(page, view) : failed(page, view)}
            </div>
            ${state === 'done' ? aside(page, view, tool?.slug ?? '') : html`<aside></aside>`}
          </div>`,
      });
    },
  );
}

/** POST /runs/<id>/cancel?t=<token>: the link is the only credential. */
export function cancelRoutes(scope: FastifyInstance, { service, rootPath }: Site): void {
  // A form without fields.
  scope.addContentTypeParser('application/x-www-form-urlencoded', { bodyLimit: 1000 }, (_request, payload, done) => {
    payload.resume();
    done(null, {});
  });
  scope.post<{ Params: { id: string }; Querystring: { t?: unknown } }>(
    '/runs/:id/cancel',
    { config: { access: 'token', secret: ['t'] } },
    async (request, reply) => {
      const { t: token } = request.query;
      if (typeof token !== 'string') throw badValue('t', 'token of the link', token, 't in the query');
      const { id } = request.params;
      await service.freeRuns.cancel(id.slice(0, 100), token);
      return reply
        .header('cache-control', 'no-store')
        .redirect(`${rootPath}/runs/${id}?t=${encodeURIComponent(token)}`, 303);
    },
  );
}

function stateOf({ run, job, finishedBy }: FreeRunView): 'running' | 'done' | 'failed' {
  if (job?.status === 'succeeded') return 'done';
  if (job?.status === 'failed' || job?.status === 'cancelled' || run.status === 'refused') return 'failed';
  return run.status === 'waiting' && finishedBy === null ? 'failed' : 'running';
}

function running({ t, href, url }: Page, { job, run }: FreeRunView): Html {
  const percent = Math.floor((job?.progress ?? 0) * 100);
  const stages: Readonly<Record<string, string>> = t.bench.stages;
  const stage =
    job === null ? t.bench.stages.arriving : (stages[job.stage ?? 'queued'] ?? job.stage ?? t.bench.working);
  return html`<div class="pad prog" role="status">
    <div class="line">
      <p><b>${stage}</b> <span class="num soft">${percent} %</span></p>
    </div>
    <progress max="100" value="${percent}" aria-label="${stage}">${percent} %</progress>
    <p class="small soft">${t.bench.reload} ${t.bench.keepOpen}</p>
    ${
      job !== null &&
      html`<form method="post" action="${href(`/runs/${run.id}/cancel${url.slice(url.indexOf('?'))}`)}">
        <button class="btn s" type="submit">${icon('stop')}${t.bench.cancel}</button>
      </form>`
    }
  </div>`;
}

function done(page: Page, { outputs, job }: FreeRunView): Html {
  const { t } = page;
  return html`<div class="panel-head">
      <h2 class="label break fn">${outputs[0]?.file.filename ?? t.bench.report}</h2>
      <span class="tag push">${icon('check')}${t.bench.done}</span>
    </div>
    ${outputs.map(
      ({ file, url }) =>
        html`<div class="pad stack-s">
          ${
            file.hasVideo
              ? html`<video class="media" controls preload="metadata" src="${url}"></video>`
              : file.hasAudio && html`<audio class="media" controls preload="metadata" src="${url}"></audio>`
          }
          <p>
            <a class="btn go l" href="${url}" download
              >${icon('down')}${t.bench.download}
              ${file.filename}${
                file.sizeBytes !== null && html` <span class="num">${shownBytes(page, file.sizeBytes)}</span>`
              }</a
            >
          </p>
        </div>`,
    )}
    ${warningTexts(t, job?.warnings ?? []).map((text) => html`<p class="pad small">${text}</p>`)}
    ${
      job?.result !== null &&
      job?.result !== undefined &&
      html`<details class="pad">
        <summary>${t.bench.report}</summary>
        <div class="code">
          <pre tabindex="0"><code>${JSON.stringify(job.result, null, 2)}</code></pre>
        </div>
      </details>`
    }`;
}

function failed({ t, requestId, href }: Page, { run, job, finish }: FreeRunView): Html {
  const error = job?.error ?? run.error;
  const waits = run.status === 'waiting';
  const title = waits ? t.bench.waitsTitle : job?.status === 'cancelled' ? t.bench.cancelled : t.bench.failedTitle;
  return html`<div class="pad">
    <div class="${waits ? 'note mark' : 'note fault'}" role="alert">
      ${icon(waits ? 'info' : 'warn')}
      <div>
        <h2 class="h4">${title}</h2>
        <p>${error === null ? t.bench.useBack : errorText(t, error).message}</p>
        <p>${waits ? t.bench.waitsHelp : t.bench.useBack}</p>
        ${finish !== null && html`<p><a class="btn go" href="${finish.url}">${t.bench.theRest}</a></p>`}
        <p><a class="btn" href="${href('/tools')}">${icon('left')}${t.frame.tools}</a></p>
        <p class="soft">
          ${error !== null && html`<code>${error.code}</code> · `}${t.problem.request} <code>${requestId}</code>
        </p>
      </div>
    </div>
  </div>`;
}

function aside(page: Page, { run, job, finish, finishedBy, cutShort, outputs }: FreeRunView, slug: string): Html {
  const { t, language } = page;
  const [first] = outputs;
  return html`<aside class="stack">
    ${
      cutShort &&
      finishedBy === null &&
      html`<p class="small">
        ${fill(t.bench.partFree, { length: spokenLength(page, Math.round(job?.processedSeconds ?? 0)) })}
      </p>`
    }${
      finish !== null &&
      cutShort &&
      html`<div class="stack-s">
        <p class="small">
          ${run.whole !== null && fill(t.bench.theRestPrice, { price: language.money(run.whole.credits) })}
          ${run.whole !== null && staysOf(language, finish.priceCredits, run.whole.credits)}
        </p>
        <p><a class="btn" href="${finish.url}">${t.bench.theRest}</a></p>
      </div>`
    }${
      first !== undefined &&
      html`<dl class="facts">
        <dt>${t.bench.keptUntil}</dt>
        <dd><span class="num">${first.expiresAt.toISOString().slice(11, 16)}</span> UTC</dd>
      </dl>`
    }
    <section class="stack-s">
      <h2 class="h4">${t.bench.next}</h2>
      <div class="next">
        ${nextTools(page, slug).map(({ title, url }) => html`<a class="btn s" href="${url}">${title}</a>`)}
      </div>
    </section>
  </aside>`;
}
