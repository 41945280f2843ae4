import { escapeHtml } from '../../../library/core/escape-html.ts';
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors.ts';
import { forClient, retryAfterSeconds, statusOf } from '../server/errors.ts';
import { readStyle } from './page-files.ts';

// Read once, when the service starts.
const commonStyle = readStyle('page.css');

/** Options of a kind of page. */
export interface PageKind {
  readonly title: string;
  readonly style: string;
  /** Has it a script that sends requests? Default: no script. */
  readonly connects?: boolean;
}

/**
 * Sends a page. Browsers get errors as a page, other clients as the error object. The URL of such a page is a
 * credential.
 * @param content its HTML; called with the nonce for its script
 */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: PageKind,
  content: (nonce: string) => Promise<string>,
): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64');
  reply.headers({
    'content-security-policy':
      `default-src 'none'; ${kind.connects ? `script-src 'nonce-${nonce}'; ` : ''}style-src 'nonce-${nonce}'; ` +
      (kind.connects ? "connect-src 'self'; " : '') +
      `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    // The URL is a credential: it must not be sent as a referrer.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'x-robots-tag': 'noindex',
  });
  try {
    return reply.type('text/html; charset=utf-8').send(shell(nonce, kind, await content(nonce)));
  } catch (thrown) {
    if (!(thrown instanceof EarshotError) || !request.headers.accept?.includes('text/html')) throw thrown;
    if (thrown.code === 'internal_error') request.log.error({ err: thrown }, 'request failed');
    const retryAfter = retryAfterSeconds(thrown);
    if (retryAfter !== null) reply.header('retry-after', String(retryAfter));
    request.errorCode = thrown.code;
    return reply
      .code(statusOf(thrown))
      .type('text/html; charset=utf-8')
      .send(shell(nonce, kind, failure(forClient(thrown, request.id))));
  }
}

function shell(nonce: string, kind: PageKind, html: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(kind.title)}</title>
<style nonce="${nonce}">${commonStyle}${kind.style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(kind.title)}</h1>
${html}
</main>
</body>
</html>
`;
}

const failure = ({ message, nextAction }: EarshotError): string =>
  `<p role="alert" id="problem">${escapeHtml(message)}</p>\n<p>${escapeHtml(nextAction)}</p>`;
