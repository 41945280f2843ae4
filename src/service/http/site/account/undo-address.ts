import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { statusOf } from '../../server/errors.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { type Content, sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { errorText } from '../language/said.ts';
import { timeOf } from './formats.ts';
import { fault, note } from './parts.ts';
import { readForm } from './view.ts';

type ByToken = { Params: { token: string } };

/**
 * /account/address/undo/<token>: the old address of an account takes a change back. Its owner may be signed out
 * everywhere, so
 * that the link is all it takes; it signs no one in.
 */
export function undoRoutes(scope: FastifyInstance, site: Site): void {
  const { signIn } = site.service;
  const options = { config: { access: 'public' as const } };

  const answer = async (
    request: FastifyRequest<ByToken>,
    reply: FastifyReply,
    body: (page: Page, token: string) => Promise<Html>,
  ): Promise<FastifyReply> => {
    const page = await openPage(site, request, reply);
    try {
      return await sendPage(reply, page, shell(page, await body(page, request.params.token)));
    } catch (thrown) {
      if (!(thrown instanceof EarshotError) || statusOf(thrown) >= 500) throw thrown;
      request.errorCode = thrown.code;
      const { message, nextAction } = errorText(page.t, thrown);
      return sendPage(reply, page, { ...shell(page, fault(message, nextAction)), status: statusOf(thrown) });
    }
  };

  // Mail scanners open links, so a GET does nothing.
  scope.get<ByToken>('/account/address/undo/:token', options, async (request, reply) =>
    answer(request, reply, async ({ t, href, language }, token) => {
      const { email, changedAt, expiresAt } = await signIn.undoableChange(token);
      const values = { email, time: timeOf(language, changedAt), until: timeOf(language, expiresAt) };
      return html`<p class="measure">${fill(t.me.undoLead, values)}</p>
        <p class="measure soft">${fill(t.me.undoHelp, values)}</p>
        <form method="post" action="${href(`/account/address/undo/${encodeURIComponent(token)}`)}">
          <button class="btn go l" type="submit">${t.me.undoYes}</button>
        </form>`;
    }),
  );

  scope.post<ByToken>('/account/address/undo/:token', options, async (request, reply) => {
    readForm(site, request, null);
    return answer(request, reply, async ({ t, href }, token) => {
      const email = await signIn.undoAddress(token);
      return html`${note(t.me.undone, fill(t.me.undoneHelp, { email }))}
        <p><a class="btn go" href="${href('/sign-in')}">${t.signIn.title}</a></p>`;
    });
  });
}

const shell = ({ t }: Page, body: Html): Content => ({
  title: t.me.undo,
  mainClass: 'wrap',
  secretAddress: true,
  body: html`<div class="section stack-l signin">
    <h1>${t.me.undo}</h1>
    ${body}
  </div>`,
});
