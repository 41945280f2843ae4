import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { EarshotError } from '../../core/errors.ts';
import type { UploadTicket } from '../../service/service.ts';
import { statusByCode } from '../server/errors.ts';
import { readScript, readStyle } from './page-files.ts';
import type { PageTicket } from './page-ticket.ts';

// Read once, when the service starts.
const uploadScript = readScript('upload-page.js');
const uploadStyle = readStyle('upload-page.css');

/**
 * Answers the page where a person uploads a file; browsers get failures as a page, too, all others as the error object.
 */
export async function sendUploadPage(
  request: FastifyRequest<{ Params: { token: string } }>,
  reply: FastifyReply,
  readTicket: () => Promise<UploadTicket>,
): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64');
  reply.headers({
    'content-security-policy':
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; ` +
      `connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    // The address is the credential, so it must not travel on.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  });
  try {
    const ticket = await readTicket();
    return reply
      .type('text/html; charset=utf-8')
      .send(page(nonce, uploadForm(pageTicket(ticket, request.params.token), nonce)));
  } catch (thrown) {
    if (
      !(thrown instanceof EarshotError) ||
      thrown.code === 'internal_error' ||
      !request.headers.accept?.includes('text/html')
    )
      throw thrown;
    request.errorCode = thrown.code;
    return reply
      .code(statusByCode[thrown.code])
      .type('text/html; charset=utf-8')
      .send(page(nonce, failure(thrown)));
  }
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

function page(nonce: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Upload a file</title>
<style nonce="${nonce}">${uploadStyle}</style>
</head>
<body>
<main>
<h1>Upload a file</h1>
${content}
</main>
</body>
</html>
`;
}

function uploadForm(ticket: PageTicket, nonce: string): string {
  // In a script element only "</script" and "<!--" end the text early.
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
<script nonce="${nonce}">${uploadScript}</script>`;
}

const failure = ({ message, nextAction }: EarshotError): string =>
  `<p role="alert" id="problem">${escapeHtml(message)}</p>\n<p>${escapeHtml(nextAction)}</p>`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
