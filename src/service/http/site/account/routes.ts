import type { FastifyInstance } from 'fastify';
import { creditsLeft } from '../frame/bar-end.ts';
import { html } from '../../../../library/core/markup.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Site } from '../frame/site.ts';
import { accountRoutes, accountView, addressView } from './account.ts';
import { consentRoutes } from './consent.ts';
import { creditsView } from './credits.ts';
import { filesView } from './files.ts';
import { jobsView } from './jobs.ts';
import { keysView } from './keys.ts';
import { operatorView } from './operator.ts';
import { note } from './parts.ts';
import { receiptsView, receiptView } from './receipts.ts';
import { signInRoutes } from './sign-in.ts';
import { undoRoutes } from './undo-address.ts';
import { webhooksView, webhookView } from './webhooks.ts';
import { takeForms, viewRoutes } from './view.ts';

const views = [
  filesView,
  jobsView,
  keysView,
  webhooksView,
  webhookView,
  creditsView,
  receiptsView,
  receiptView,
  accountView,
  addressView,
  operatorView,
];

/** Sign-in and the account's pages. They work without script. */
export async function ownRoutes(scope: FastifyInstance, site: Site): Promise<void> {
  await scope.register(async (inner) => {
    takeForms(inner);
    signInRoutes(inner, site);
    accountRoutes(inner, site);
    undoRoutes(inner, site);
    viewRoutes(inner, site, views);
    if (site.service.programs !== null) consentRoutes(inner, site, site.service.programs);
    // What scripts put into the bar after a run. Nothing when the session has ended: the page says so where it matters.
    inner.get('/credits/left', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
      const page = await openPage(site, request, reply);
      if (page.account === null) return reply.code(204).send();
      return reply
        .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
        .send(creditsLeft(page.account, page));
    });
    inner.get('/goodbye', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
      const page = await openPage(site, request, reply);
      const { t, href } = page;
      return sendPage(reply, page, {
        title: t.me.deleted,
        mainClass: 'wrap',
        body: html`<div class="section stack-l signin">
          <h1>${t.me.deleted}</h1>
          ${note(t.me.deletedTitle, t.me.deletedHelp)}
          <p><a class="btn" href="${href('/')}">${t.problem.toFront}</a></p>
        </div>`,
      });
    });
  });
}
