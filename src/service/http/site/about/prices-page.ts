import type { FastifyInstance } from 'fastify';
import { html, type Html } from '../../../../library/core/markup.ts';
import type { ToolOffer } from '../../../rules/jobs/tools.ts';
import { cell, head, numberCell, numberHead, table } from '../account/parts.ts';
import { sendPage } from '../frame/layout.ts';
import { openPage, type Page, type Site } from '../frame/site.ts';
import { spokenLength } from '../frame/terms.ts';
import { fill } from '../language/fill.ts';
import { toolText } from '../tools/tool-text.ts';

/** Minutes of a recording: those that are shown at first, and the longest. */
const [usual, longest] = [60, 6000] as const;

/** GET /prices?minutes=<n>: what each tool costs for a recording of that length. */
export function pricesRoutes(scope: FastifyInstance, site: Site): void {
  scope.get<{ Querystring: { minutes?: unknown } }>(
    '/prices',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      const page = await openPage(site, request, reply);
      const { prices } = page.t;
      const asked = Number(request.query.minutes);
      const minutes = asked > 0 && asked <= longest ? asked : usual;
      return sendPage(reply, page, {
        title: prices.title,
        description: prices.lead,
        section: 'prices',
        isPublic: true,
        body: html`<div class="wrap head">
            <h1>${prices.title}</h1>
            <p class="lead">${prices.lead}</p>
          </div>
          <div class="wrap stack-l">
            ${calculator(page, minutes)} ${await priceTable(page, minutes)} ${payment(page)}
          </div>`,
      });
    },
  );
}

/** Works without a script: the page comes again with the length. */
const calculator = ({ t, href }: Page, minutes: number): Html =>
  html`<form class="row" method="get" action="${href('/prices')}">
    <label for="minutes"><b>${t.prices.length}</b></label>
    <div class="with-unit">
      <input
        id="minutes"
        type="number"
        name="minutes"
        min="1"
        max="${longest}"
        step="any"
        required
        value="${minutes}"
        inputmode="decimal"
      /><span>${t.prices.minutes}</span>
    </div>
    <button class="btn go" type="submit">${t.prices.reckon}</button>
  </form>`;

async function priceTable(page: Page, minutes: number): Promise<Html> {
  const { t, language, site, href } = page;
  const texts = t.prices;
  const offers = await site.service.tools.offers();
  const costs: Readonly<Record<string, number>> = site.service.tools.pricesFor(minutes * 60);
  const forLength = fill(texts.forLength, { length: language.count(t.units.minutes, minutes) });
  const rows = site.tools.flatMap((tool) => {
    const offer = offers.find(({ id }) => id === tool.id);
    if (offer === undefined) return [];
    const cost = tool.alwaysFree ? 0 : (costs[tool.id] ?? 0);
    return [
      html`<tr>
        <th scope="row"><a href="${href(`/tools/${tool.slug}`)}">${toolText(page, tool).title}</a></th>
        ${numberCell(t.credits.perMinute, language.number(tool.alwaysFree ? 0 : offer.creditsPerMinute, 2))}
        ${numberCell(forLength, cost === 0 ? texts.nothing : html`<b>${language.money(cost)}</b>`)}
        ${site.config.freeEnabled && cell(t.credits.freePart, freePart(page, offer))}
      </tr>`,
    ];
  });
  const heads = [head(t.credits.tool), numberHead(t.credits.perMinute), numberHead(forLength)];
  return html`<div class="panel">
    ${table(site.config.freeEnabled ? [...heads, head(t.credits.freePart)] : heads, rows, texts.title)}
  </div>`;
}

function freePart(page: Page, { free }: ToolOffer): string {
  const { t } = page;
  if (!free.enabled) return t.credits.noFree;
  const part =
    free.seconds === null ? t.credits.wholeFile : fill(t.prices.first, { length: spokenLength(page, free.seconds) });
  return fill(t.credits.freeUses, { part, n: free.dailyUses });
}

function payment({ t, language, site, href }: Page): Html {
  const texts = t.prices;
  const { payments } = site.service;
  const least = language.money(site.config.minimumPaymentCents);
  return html`<div class="prose measure">
    <h2>${texts.how}</h2>
    <ul>
      <li>${texts.credit}</li>
      <li>${texts.onlySuccess}</li>
      ${payments.possible && html`<li>${fill(texts.least, { least })}</li>`}
      ${payments.possible && site.config.freeEnabled && html`<li>${texts.noAccount}</li>`}
      ${!payments.possible && html`<li>${t.credits.cannotBuy}. ${t.credits.cannotBuyHelp}</li>`}
    </ul>
    <p><a href="${href('/help')}">${t.help.title}</a> · <a href="${href('/kept')}">${t.frame.kept}</a></p>
  </div>`;
}
