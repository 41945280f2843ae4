import type { FastifyReply } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import type { PageTicket } from '../../../../site/upload-page/page-ticket.ts';
import type { UploadTicket } from '../../../rules/files/upload-tickets.ts';
import type { UploadPage } from '../../interface/upload-page.ts';
import { forClient, retryAfterSeconds, statusOf } from '../../server/errors.ts';
import { assetRoutes } from '../frame/asset-routes.ts';
import { type Content, sendPage } from '../frame/layout.ts';
import { type Site, visitorPage } from '../frame/site.ts';
import { english } from '../language/languages.ts';

/** Under the path of the page, so that it needs no website. */
const assetsAt = '/upload/assets';

/** The page of an upload link, which needs no account, and what it loads. Its texts are English. */
export function uploadPage(website: Site): UploadPage {
  const site = { ...website, assetsAt };
  return { send: (...call) => sendUploadPage(site, ...call), routes: (scope) => assetRoutes(scope, site) };
}

async function sendUploadPage(
  site: Site,
  ...[request, reply, readTicket]: Parameters<UploadPage['send']>
): Promise<FastifyReply> {
  const send = (body: Html, more: Pick<Content, 'data' | 'scripts' | 'status'>): FastifyReply =>
    sendPage(reply, { ...visitorPage(site, request), language: english }, { ...shell, ...more, body: framed(body) });
  try {
    const data = pageTicket(site, await readTicket(), request.params.token);
    return send(uploadForm, { data, scripts: ['upload-page'] });
  } catch (thrown) {
    // Programs get the error object.
    if (!(thrown instanceof EarshotError) || !request.headers.accept?.includes('text/html')) throw thrown;
    if (thrown.code === 'internal_error') request.log.error({ err: thrown }, 'request failed');
    const retryAfter = retryAfterSeconds(thrown);
    if (retryAfter !== null) reply.header('retry-after', String(retryAfter));
    request.errorCode = thrown.code;
    const { message, nextAction } = forClient(thrown, request.id);
    const told = html`<p role="alert" id="problem">${message}</p>
      <p>${nextAction}</p>`;
    return send(told, { status: statusOf(thrown) });
  }
}

const title = 'Upload a file';
const shell = { title, sheet: 'upload-page.css', secretAddress: true } as const;
const framed = (body: Html): Html =>
  html`<h1>${title}</h1>
    ${body}`;

function pageTicket({ rootPath }: Site, { file, upload, multipart }: UploadTicket, token: string): PageTicket {
  const named =
    upload !== null || multipart !== null || file.upload?.mode === 'single' || file.upload?.mode === 'multipart';
  return {
    status: file.status,
    filename: named ? file.filename : null,
    sizeBytes: named ? file.sizeBytes : null,
    upload,
    multipart,
    nameUrl: `${rootPath}/upload/${token}/name`,
  };
}

const uploadForm = html`<p id="expected" hidden></p>
  <div id="choose">
    <input id="file" type="file" class="visually-hidden" />
    <label for="file" id="drop"><span class="big">Choose a file</span><span>or drop it here</span></label>
  </div>
  <section id="sending" hidden aria-labelledby="name">
    <p id="name" class="name"></p>
    <progress id="bar" max="1" value="0" aria-labelledby="name"></progress>
    <p class="figures"><span id="percent">0 %</span><span id="speed"></span></p>
  </section>
  <p id="state" role="status" aria-live="polite"></p>
  <p id="problem" role="alert" hidden></p>
  <button id="again" type="button" hidden>Try again</button>
  <noscript><p>This page needs JavaScript to send a file.</p></noscript>`;
