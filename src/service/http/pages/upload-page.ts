import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageTicket } from '../../../site/upload-page/page-ticket.ts';
import type { UploadTicket } from '../../rules/service.ts';
import { sendPage } from './page.ts';
import { readScript, readStyle } from './page-files.ts';

// Read once.
let uploadScript: Promise<string> | undefined;
const uploadStyle = readStyle('upload-page.css');

/**
 * Sends the upload page. Browsers get errors as a page, other clients as the error object.
 */
export async function sendUploadPage(
  request: FastifyRequest<{ Params: { token: string } }>,
  reply: FastifyReply,
  readTicket: () => Promise<UploadTicket>,
): Promise<FastifyReply> {
  return sendPage(request, reply, { title: 'Upload a file', style: uploadStyle, connects: true }, async (nonce) => {
    const ticket = pageTicket(await readTicket(), request.params.token);
    uploadScript ??= readScript('upload-page');
    return uploadForm(ticket, nonce, await uploadScript);
  });
}

function pageTicket({ file, upload, multipart }: UploadTicket, token: string): PageTicket {
  const named =
    upload !== null || multipart !== null || file.upload?.mode === 'single' || file.upload?.mode === 'multipart';
  return {
    status: file.status,
    filename: named ? file.filename : null,
    sizeBytes: named ? file.sizeBytes : null,
    upload,
    multipart,
    nameUrl: `/upload/${token}/name`,
  };
}

function uploadForm(ticket: PageTicket, nonce: string, script: string): string {
  // A script element is ended only by "</script" and "<!--".
  const data = JSON.stringify(ticket).replaceAll('<', '\\u003c');
  return `<p id="expected" hidden></p>
<div id="choose">
<input id="file" type="file" class="visually-hidden">
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
<noscript><p>This page needs JavaScript to send a file.</p></noscript>
<script type="application/json" id="ticket">${data}</script>
<script nonce="${nonce}">${script}</script>`;
}
