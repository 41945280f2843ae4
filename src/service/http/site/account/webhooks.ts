import type { FastifyRequest } from 'fastify';
import { html, type Html } from '../../../../library/core/markup.ts';
import {
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookEvent,
  webhookEvents,
} from '../../../rules/webhooks/webhook-store.ts';
import { isMail, mailedEvents } from '../../../rules/webhooks/mail-address.ts';
import { icon } from '../frame/icon.ts';
import { fill } from '../language/fill.ts';
import { timeOf } from './formats.ts';
import {
  cell,
  confirmed,
  empty,
  head,
  hiddenHead,
  note,
  numberCell,
  numberHead,
  olderLink,
  ownForm,
  secretOnce,
  table,
} from './parts.ts';
import type { OwnPage } from './session.ts';
import type { Form, View } from './view.ts';

const pageSize = 50;

/** /webhooks: addresses that the account's events go to. */
export const webhooksView: View = {
  path: '/webhooks',
  section: 'webhooks',
  async render(page) {
    const { t, language, site } = page;
    const texts = t.webhooks;
    const all = await site.service.webhooks.list(page.account);
    const rows = all.map(
      (endpoint) =>
        html`<tr>
          <th scope="row">
            <a class="break" href="${page.href(`/webhooks/${endpoint.id}`)}">${endpoint.url}</a>
            ${endpoint.description !== '' && html`<br /><span class="soft small">${endpoint.description}</span>`}
          </th>
          ${cell(texts.state, stateOf(page, endpoint))}${cell(texts.events, endpoint.events.join(', '))}
        </tr>`,
    );
    return {
      title: texts.title,
      lead: texts.lead,
      body: html`${
          all.length === 0
            ? empty(texts.none, texts.noneHelp)
            : html`<section class="panel" aria-labelledby="webhooks">
                <div class="panel-head">
                  <h2 id="webhooks" class="label">${language.count(texts.inUse, all.length)}</h2>
                </div>
                ${table([head(texts.url), head(texts.state), head(texts.events)], rows, texts.title)}
              </section>`
        }
        <section class="panel" aria-labelledby="add">
          <div class="panel-head"><h2 id="add" class="label">${texts.add}</h2></div>
          ${ownForm(page, '/webhooks', html`${fieldsOf(page, null)}<button class="btn" type="submit">${icon('plus')}${texts.add}</button>`, 'pad stack')}
        </section>`,
    };
  },
  actions: {
    '/webhooks': async (page, form) => {
      const { webhooks } = page.site.service;
      const { endpoint, secret } = await webhooks.create(page.account, wishOf(form));
      return shownSecret(page, endpoint, secret);
    },
  },
};

/** /webhooks/<id>: one of them, and what was sent there. */
export const webhookView: View = {
  path: '/webhooks/:id',
  section: 'webhooks',
  async render(page, request) {
    const { t, site } = page;
    const texts = t.webhooks;
    const id = idOf(request);
    const { cursor = null } = request.query as { readonly cursor?: string };
    const endpoint = await site.service.webhooks.get(page.account, id);
    const { items, nextCursor } = await site.service.webhooks.deliveries(page.account, id, {
      cursor,
      limit: pageSize,
    });
    const at = `/webhooks/${id}`;
    return {
      title: texts.one,
      lead: html`<span class="break">${endpoint.url}</span> ${stateOf(page, endpoint)}`,
      body: html`${endpoint.offReason !== null && note(texts.off, texts.offReasons[endpoint.offReason])}
        <div class="row">
          ${endpoint.enabled && ownForm(page, `${at}/test`, html`<button class="btn" type="submit">${icon('right')}${texts.test}</button>`)}
          ${ownForm(page, `${at}/${endpoint.enabled ? 'off' : 'on'}`, html`<button class="btn" type="submit">${endpoint.enabled ? texts.switchOff : texts.switchOn}</button>`)}
          ${confirmed(page, `${at}/secret`, { button: texts.rotate, what: endpoint.url, consequence: texts.rotateHelp, yes: texts.rotateYes })}
          ${confirmed(page, `${at}/remove`, { button: texts.remove, what: endpoint.url, consequence: texts.removeHelp, yes: texts.removeYes })}
        </div>
        ${logOf(page, endpoint, items, olderLink(page, at, nextCursor))}
        <section class="panel" aria-labelledby="change">
          <div class="panel-head"><h2 id="change" class="label">${texts.events}</h2></div>
          ${ownForm(page, at, html`${fieldsOf(page, endpoint)}<button class="btn" type="submit">${texts.save}</button>`, 'pad stack')}
        </section>
        <p><a href="${page.href('/webhooks')}">${texts.all}</a></p>`,
    };
  },
  actions: {
    '/webhooks/:id': async (page, form, request) => {
      await page.site.service.webhooks.update(page.account, idOf(request), wishOf(form));
      return `/webhooks/${idOf(request)}`;
    },
    '/webhooks/:id/test': async (page, _form, request) => {
      await page.site.service.webhooks.test(page.account, idOf(request));
      return `/webhooks/${idOf(request)}`;
    },
    '/webhooks/:id/on': async (page, _form, request) => {
      await page.site.service.webhooks.update(page.account, idOf(request), { enabled: true });
      return `/webhooks/${idOf(request)}`;
    },
    '/webhooks/:id/off': async (page, _form, request) => {
      await page.site.service.webhooks.update(page.account, idOf(request), { enabled: false });
      return `/webhooks/${idOf(request)}`;
    },
    '/webhooks/:id/again': async (page, { event = '' }, request) => {
      await page.site.service.webhooks.replay(page.account, idOf(request), event);
      return `/webhooks/${idOf(request)}`;
    },
    '/webhooks/:id/secret': async (page, _form, request) => {
      const { endpoint, secret } = await page.site.service.webhooks.rotate(page.account, idOf(request));
      return shownSecret(page, endpoint, secret);
    },
    '/webhooks/:id/remove': async (page, _form, request) => {
      await page.site.service.webhooks.remove(page.account, idOf(request));
      return '/webhooks';
    },
  },
};

const idOf = (request: FastifyRequest): string => (request.params as { readonly id: string }).id;

const shownSecret = ({ t }: OwnPage, { url }: WebhookEndpoint, secret: string): Html =>
  secretOnce(t, html`${t.webhooks.once} <span class="break">${url}</span>`, secret, t.webhooks.onceHelp);

/** A form's checkboxes are named by their events. */
function wishOf(form: Form): { url: string; description: string; events: WebhookEvent[] } {
  const { url = '', description = '' } = form;
  // All boxes are ticked at first, and of them some are never mailed.
  const offered = isMail(url.trim()) ? mailedEvents : webhookEvents;
  return { url: url.trim(), description, events: offered.filter((event) => form[event] !== undefined) };
}

function fieldsOf({ t }: OwnPage, endpoint: WebhookEndpoint | null): Html {
  const texts = t.webhooks;
  return html`<div class="field">
      <label for="url">${texts.url}</label
      ><input
        class="input"
        id="url"
        name="url"
        type="url"
        maxlength="2000"
        value="${endpoint?.url ?? ''}"
        placeholder="https://"
        required
        aria-describedby="url-help"
      />
      <p class="hint" id="url-help">${texts.urlHelp}</p>
    </div>
    <div class="field">
      <label for="description">${texts.description}</label
      ><input
        class="input"
        id="description"
        name="description"
        maxlength="200"
        value="${endpoint?.description ?? ''}"
        aria-describedby="description-help"
      />
      <p class="hint" id="description-help">${texts.descriptionHelp}</p>
    </div>
    <fieldset class="field">
      <legend>${texts.events}</legend>
      ${webhookEvents.map(
        (event) =>
          html`<label class="check"
            ><input type="checkbox" name="${event}" checked="${endpoint?.events.includes(event) ?? true}" /><span
              ><code>${event}</code></span
            ></label
          >`,
      )}
    </fieldset>`;
}

function stateOf({ t, language }: OwnPage, { enabled, failingSince }: WebhookEndpoint): Html {
  const texts = t.webhooks;
  if (!enabled) return html`<span class="tag off">${texts.off}</span>`;
  if (failingSince === null) return html`<span class="tag on">${texts.on}</span>`;
  return html`<span class="tag fault"
    >${icon('warn')}${fill(texts.since, { time: timeOf(language, failingSince) })}</span
  >`;
}

function logOf(page: OwnPage, endpoint: WebhookEndpoint, items: readonly WebhookDelivery[], older: Html | null): Html {
  const texts = page.t.webhooks;
  if (items.length === 0) return empty(texts.logNone, texts.logNoneHelp);
  const heads = [
    head(texts.event),
    head(texts.state),
    head(texts.happened),
    head(texts.answer),
    numberHead(texts.tries),
    hiddenHead(page.t.account.actions),
  ];
  return html`<section class="panel" aria-labelledby="log">
    <div class="panel-head">
      <h2 id="log" class="label">${texts.log}</h2>
      <span class="small soft push">${texts.logHelp}</span>
    </div>
    ${table(
      heads,
      items.map((item) => logRow(page, endpoint, item)),
      texts.log,
    )}${older}
  </section>`;
}

function logRow(page: OwnPage, { id, enabled }: WebhookEndpoint, item: WebhookDelivery): Html {
  const { t, language } = page;
  const texts = t.webhooks;
  const { status, answerStatus, answerMs, answer, nextAt } = item;
  return html`<tr>
    <th scope="row"><code>${item.type}</code><br /><span class="soft small break">${item.subject}</span></th>
    ${cell(
      texts.state,
      html`<span class="${status === 'failed' ? 'tag fault' : status === 'pending' ? 'tag off' : 'tag'}"
          >${texts.states[status]}</span
        >${nextAt !== null && item.tries > 0 && html`<p class="small soft">${fill(texts.next, { time: timeOf(language, nextAt) })}</p>`}`,
    )}
    ${cell(texts.happened, timeOf(language, item.createdAt))}
    ${cell(
      texts.answer,
      item.triedAt === null
        ? null
        : html`${answerStatus ?? texts.noAnswer}${answerMs !== null && ` · ${fill(texts.took, { n: language.number(answerMs) })}`}${answer !== null && answer !== '' && html`<p class="small soft break">${answer}</p>`}`,
    )}
    ${numberCell(texts.tries, language.number(item.tries))}
    <td class="r act">
      ${enabled && ownForm(page, `/webhooks/${id}/again`, html`<input type="hidden" name="event" value="${item.id}" /><button class="btn s" type="submit">${texts.again}<span class="sr"> ${item.type} ${item.subject}</span></button>`)}
    </td>
  </tr>`;
}
