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
  /** Origins that its forms may lead to, besides its own. Default: no forms. */
  readonly formOrigins?: readonly string[];
}

/** HTML, optionally with the content of a meta refresh; or a redirect. */
type PageContent = string | { readonly html: string; readonly refresh: string } | { readonly redirect: string };

/**
 * Sends a page. Browsers get errors as a page, other clients as the error object. The URL of such a page is a
 * credential.
 * @param content called with the nonce for its script
 */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: PageKind,
  content: (nonce: string) => Promise<PageContent>,
): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64');
  const formAction = kind.formOrigins === undefined ? "'none'" : ["'self'", ...kind.formOrigins].join(' ');
  reply.headers({
    'content-security-policy':
      `default-src 'none'; ${kind.connects ? `script-src 'nonce-${nonce}'; ` : ''}style-src 'nonce-${nonce}'; ` +
      (kind.connects ? "connect-src 'self'; " : '') +
      `base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    // The URL is a credential: it must not be sent as a referrer.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'x-robots-tag': 'noindex',
  });
  try {
    const made = await content(nonce);
    if (typeof made === 'object' && 'redirect' in made) return reply.redirect(made.redirect, 303);
    return reply.type('text/html; charset=utf-8').send(shell(nonce, kind, made));
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

function shell(nonce: string, kind: PageKind, content: Exclude<PageContent, { readonly redirect: string }>): string {
  const { html, refresh: again } = typeof content === 'string' ? { html: content, refresh: undefined } : content;
  const refresh = again === undefined ? '' : `<meta http-equiv="refresh" content="${escapeHtml(again)}">\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refresh}<title>${escapeHtml(kind.title)}</title>
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
