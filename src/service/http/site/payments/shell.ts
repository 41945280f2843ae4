// What the pages of payments share. They work without an account and without scripts; their address is a credential.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { statusOf } from '../../server/errors.ts';
import { fault } from '../account/parts.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { errorText } from '../language/said.ts';

export interface PayPage {
  readonly title: string;
  readonly body: Html;
  /** Seconds after which it is loaded again. Default: never. */
  readonly refreshSeconds?: number;
}

/** To another page, or to the checkout. */
interface Onward {
  readonly onward: string;
}

/** A description list as a panel. null: a row that does not apply. */
export const factsPanel = (rows: readonly (readonly [name: string, value: string] | null)[]): Html =>
  html`<div class="panel pad">
    <dl class="facts">
      ${rows.map(
        (row) =>
          row !== null &&
          html`<dt>${row[0]}</dt>
            <dd>${row[1]}</dd>`,
      )}
    </dl>
  </div>`;

/** Sends a page. People get errors as such a page, programs as the error object. */
export async function sendPayPage(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  make: (page: Page) => PayPage | Onward | Promise<PayPage | Onward>,
): Promise<FastifyReply> {
  const page = await openPage(site, request, reply);
  try {
    const made = await make(page);
    if ('onward' in made) return reply.header('cache-control', 'no-store').redirect(made.onward, 303);
    if (made.refreshSeconds !== undefined) void reply.header('refresh', String(made.refreshSeconds));
    return send(page, reply, made);
  } catch (thrown) {
    const readsPages = request.headers.accept?.includes('text/html') === true;
    if (!(thrown instanceof EarshotError) || !readsPages || statusOf(thrown) >= 500) throw thrown;
    request.errorCode = thrown.code;
    const { pay, problem } = page.t;
    const { message, nextAction } =
      thrown.code === 'not_found' ? { message: pay.noLink, nextAction: pay.noLinkHelp } : errorText(page.t, thrown);
    return send(page, reply, { title: problem.title, body: fault(message, nextAction) }, statusOf(thrown));
  }
}

/**
 * The answer to a form: leads to the checkout. Browsers follow a form's redirect only to the origins of the page's
 * form-action policy; another checkout is a page that goes on to it.
 * @param begin returns the address, and whether it is a page of ours
 */
export function sendOnward(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  begin: () => Promise<{ readonly url: string; readonly ours: boolean }>,
): Promise<FastifyReply> {
  return sendPayPage(site, request, reply, async ({ t }) => {
    const { url, ours } = await begin();
    if (ours) return { onward: url };
    const { origin, host } = new URL(url);
    if (site.service.payments.checkoutOrigin === origin) return { onward: url };
    void reply.header('refresh', `0; url=${url}`);
    return {
      title: t.pay.payment,
      body: html`<p>${fill(t.pay.onward, { host })}</p>
        <p><a class="btn go" href="${url}">${t.pay.onwardLink}</a></p>`,
    };
  });
}

function send(page: Page, reply: FastifyReply, { title, body }: PayPage, status = 200): FastifyReply {
  const { checkoutOrigin } = page.site.service.payments;
  return sendPage(reply, page, {
    title,
    status,
    mainClass: 'wrap',
    secretAddress: true,
    ...(checkoutOrigin === null ? {} : { formOrigins: [checkoutOrigin] }),
    body: html`<div class="section stack-l signin">
      <h1>${title}</h1>
      ${body}
    </div>`,
  });
}
