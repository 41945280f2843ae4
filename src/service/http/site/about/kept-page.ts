import type { FastifyInstance } from 'fastify';
import { html } from '../../../../library/core/markup.ts';
import { cell, head, table } from '../account/parts.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { fill } from '../language/fill.ts';

/** Of the log of webhooks, as the database deletes it. */
const webhookLogDays = 7;

/** GET /kept: what is kept and how long, from the settings that delete it. */
export function keptRoutes(scope: FastifyInstance, site: Site): void {
  scope.get('/kept', { config: { access: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const page = await openPage(site, request, reply);
    const { t, href } = page;
    const { kept } = t;
    return sendPage(reply, page, {
      title: t.frame.kept,
      description: kept.lead,
      isPublic: true,
      body: html`<div class="wrap head">
          <h1>${t.frame.kept}</h1>
          <p class="lead">${kept.lead}</p>
        </div>
        <div class="wrap stack-l">
          <div class="panel">
            ${table(
              [head(kept.what), head(kept.howLong)],
              rowsOf(page).map(
                ([what, howLong]) =>
                  html`<tr>
                    <th scope="row">${what}</th>
                    ${cell(kept.howLong, howLong)}
                  </tr>`,
              ),
              t.frame.kept,
            )}
          </div>
          <div class="prose measure">
            <p>${kept.deletion}</p>
            <p>${kept.cookies}</p>
            <p><a href="${href('/privacy')}">${t.legal.privacy.title}</a></p>
          </div>
        </div>`,
    });
  });
}

function rowsOf({ t, language, site }: Page): readonly (readonly [what: string, howLong: string])[] {
  const { kept, units } = t;
  const { config } = site;
  const days = (n: number): string => language.count(kept.days, n);
  const span = (seconds: number): string =>
    seconds >= 2 * 86_400
      ? days(Math.round(seconds / 86_400))
      : seconds >= 3600
        ? language.count(units.hours, Math.round(seconds / 360) / 10)
        : language.count(units.minutes, Math.round(seconds / 60));
  const files = span(config.retentionSeconds);
  return [
    ...(config.freeEnabled ? [[kept.visitorFiles, span(config.freeRetentionSeconds)] as const] : []),
    ...(config.onDevice && site.assets.engine() !== null ? [[kept.onDevice, kept.onDeviceHow] as const] : []),
    [kept.files, files],
    ...(config.projectDays > 0
      ? [[kept.edited, fill(kept.afterChange, { time: days(config.projectDays) })] as const]
      : []),
    [kept.shares, kept.sharesHow],
    [kept.jobTexts, fill(kept.afterEnd, { time: files })],
    [kept.jobRows, days(config.jobRowDays)],
    [kept.sessions, fill(kept.unused, { time: days(config.sessionDays) })],
    [kept.webhookLog, days(webhookLogDays)],
    [kept.addresses, kept.addressesHow],
    [kept.account, kept.accountHow],
    [kept.ledger, kept.ledgerHow],
  ];
}
