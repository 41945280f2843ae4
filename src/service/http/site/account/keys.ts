import { randomBytes } from 'node:crypto';
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import { fill } from '../language/fill.ts';
import { dateOf, timeOf } from './formats.ts';
import { cell, confirmed, empty, head, hiddenHead, ownForm, secretOnce, table } from './parts.ts';
import type { OwnPage } from './session.ts';
import { confirmFirst, type View } from './view.ts';

/** /keys: API keys, made, shown once, and revoked. */
export const keysView: View = {
  path: '/keys',
  section: 'keys',
  async render(page) {
    const { t, language, base, site } = page;
    const all = await site.service.keys.list(page.account);
    const inUse = all.filter(({ revokedAt }) => revokedAt === null).toReversed();
    const texts = t.keys;
    const rows = inUse.map(
      ({ id, name, prefix, createdAt, lastUsedAt }) =>
        html`<tr>
          <th scope="row">${name}</th>
          ${cell(texts.begins, html`<code>${prefix}…</code>`)}${cell(texts.made, dateOf(language, createdAt))}
          ${cell(texts.lastUsed, lastUsedAt === null ? texts.never : timeOf(language, lastUsedAt))}
          <td class="r act">
            ${confirmed(
              page,
              '/keys/revoke',
              { button: texts.revoke, what: name, consequence: texts.revokeHelp, yes: texts.revokeYes },
              html`<input type="hidden" name="key" value="${id}" />`,
            )}
          </td>
        </tr>`,
    );
    return {
      title: texts.title,
      lead: texts.lead,
      body: html`${site.service.signIn.isFresh(page.session) ? newKeyForm(page) : confirmFirst(page, '/keys', texts.makeFresh)}
        ${
          inUse.length === 0
            ? empty(texts.none, texts.noneHelp)
            : html`<section class="panel" aria-labelledby="keys-in-use">
                <div class="panel-head">
                  <h2 id="keys-in-use" class="label">${language.count(texts.inUse, inUse.length)}</h2>
                </div>
                ${table([head(texts.name), head(texts.begins), head(texts.made), head(texts.lastUsed), hiddenHead(t.account.actions)], rows, texts.title)}
              </section>`
        }
        <section class="stack" aria-labelledby="try">
          <h2 id="try">${texts.tryIt}</h2>
          <div class="code">
            <pre
              tabindex="0"
            ><code>${`curl -H 'Authorization: Bearer svc_sk_...' \\\n  ${base}/api/v1/account`}</code></pre>
            <button class="btn only s quiet" type="button" data-copy hidden aria-label="${t.frame.copy}">
              ${icon('copy')}
            </button>
          </div>
        </section>`,
    };
  },
  actions: {
    '/keys': async (page, { name = '', press = '' }) => {
      const { key, secret } = await page.site.service.keys.create(
        page.account,
        page.session,
        name,
        press.length < 40 ? null : press,
      );
      return shownOnce(page, key.name, secret);
    },
    '/keys/revoke': async (page, { key = '' }) => {
      await page.site.service.keys.revoke(page.account, key);
      return '/keys';
    },
  },
};

/** The random `press` makes a double press, or a reload of the answer, return the same key. */
const newKeyForm = (page: OwnPage): Html =>
  ownForm(
    page,
    '/keys',
    html`<input type="hidden" name="press" value="${randomBytes(32).toString('base64url')}" />
      <div class="row">
        <div class="field grow">
          <label for="name">${page.t.keys.newName}</label
          ><input
            class="input"
            id="name"
            name="name"
            maxlength="80"
            required
            autocomplete="off"
            aria-describedby="name-help"
          />
          <p class="hint" id="name-help">${page.t.keys.newNameHelp}</p>
        </div>
        <button class="btn" type="submit">${icon('plus')}${page.t.keys.make}</button>
      </div>`,
    'panel pad',
  );

const shownOnce = ({ t }: OwnPage, name: string, secret: string): Html =>
  secretOnce(t, fill(t.keys.once, { name }), secret, t.keys.onceHelp);
