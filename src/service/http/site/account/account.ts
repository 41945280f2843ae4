import type { FastifyInstance } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { Session, StoredPasskey } from '../../../rules/accounts/sign-in-store.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import type { Site } from '../frame/site.ts';
import { fill } from '../language/fill.ts';
import { dateOf, timeOf } from './formats.ts';
import { endProgram, programPanel } from './programs.ts';
import { cell, confirmed, fault, head, hiddenHead, note, ownForm, table } from './parts.ts';
import { noPasskeysHere } from './passkey-place.ts';
import { dropSession, openOwnPage, type OwnPage } from './session.ts';
import { originOf } from './sign-in.ts';
import { confirmFirst, readForm, toConfirm, toSignIn, type View } from './view.ts';

/** /account: the address, passkeys, sessions, and deletion. */
export const accountView: View = {
  path: '/account',
  section: 'account',
  async render(page) {
    const { t, site, account } = page;
    const { signIn } = site.service;
    const [passkeys, sessions, programs] = await Promise.all([
      signIn.passkeys(account),
      signIn.sessions(account),
      programPanel(page),
    ]);
    return {
      title: t.me.title,
      lead: t.me.lead,
      scripts: ['passkey'],
      body: html`${!signIn.isFresh(page.session) && confirmFirst(page, '/account', t.me.changeFresh)}${addressPanel(page)}${passkeyPanel(page, passkeys)}${sessionPanel(page, sessions)}${programs}
        <section class="row">
          ${ownForm(page, '/sign-out', html`<button class="btn" type="submit">${icon('leave')}${t.me.signOut}</button>`)}
        </section>
        ${deletion(page)}`,
    };
  },
  actions: {
    '/account/address': async (page, { email = '' }) => {
      await page.site.service.signIn.requestAddress(page.account, page.session, email);
      return note(page.t.me.addressSent, fill(page.t.me.addressSentHelp, { email: email.trim().toLowerCase() }));
    },
    '/account/passkeys/remove': async (page, { passkey = '' }) => {
      await page.site.service.signIn.removePasskey(page.account, page.session, passkey);
      return '/account';
    },
    '/account/sessions/end': async (page, { session = '' }) => {
      await page.site.service.signIn.endSession(page.account, session);
      return '/account';
    },
    '/account/sessions/end-others': async (page) => {
      await page.site.service.signIn.endOtherSessions(page.account, page.session);
      return '/account';
    },
    ...endProgram,
  },
};

/** The link to a new address, passkeys by script, and deletion, which ends the session. */
export function accountRoutes(scope: FastifyInstance, site: Site): void {
  const { signIn } = site.service;
  const options = { config: { access: 'public' as const } };

  scope.post('/account/passkeys/options', options, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    readForm(site, request, page);
    if (page === null) throw new EarshotError('unauthorized', 'The session has ended');
    return reply
      .header('cache-control', 'no-store')
      .send(await signIn.passkeyOptions(page.account, page.session, originOf(site, request)));
  });

  scope.post('/account/passkeys', options, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    readForm(site, request, page);
    if (page === null) throw new EarshotError('unauthorized', 'The session has ended');
    const { name, response } = request.body as { readonly name?: unknown; readonly response?: unknown };
    const given = typeof name === 'string' ? name : '';
    await signIn.addPasskey(page.account, page.session, originOf(site, request), given, response);
    return reply.header('cache-control', 'no-store').send({ next: page.href('/account') });
  });

  scope.post('/account/delete', options, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    const { confirmation = '' } = readForm(site, request, page);
    if (page === null) return toSignIn(site, reply, '/account', true);
    if (!signIn.isFresh(page.session)) return toConfirm(site, reply, '/account');
    if (confirmation.trim().toLowerCase() !== nameToType(page).toLowerCase())
      throw new EarshotError('bad_request', page.t.me.wrongName, { nextAction: page.t.me.wrongNameHelp });
    await signIn.deleteAccount(page.account, page.session);
    dropSession(site, request, reply);
    return reply.header('cache-control', 'no-store').redirect(page.href('/goodbye'), 303);
  });
}

/** /account/address/<token>: a button, because mail scanners open links. */
export const addressView: View = {
  path: '/account/address/:token',
  section: 'account',
  render: async (page, request) => {
    const { token } = request.params as { readonly token: string };
    return {
      title: page.t.me.newAddress,
      lead: page.t.me.newAddressLead,
      body: ownForm(
        page,
        `/account/address/${encodeURIComponent(token)}`,
        html`<button class="btn go" type="submit">${page.t.me.useAddress}</button>`,
      ),
    };
  },
  actions: {
    '/account/address/:token': async (page, _form, request) => {
      const { token } = request.params as { readonly token: string };
      await page.site.service.signIn.confirmAddress(page.account, token);
      return '/account';
    },
  },
};

function addressPanel(page: OwnPage): Html {
  const { t, account, site } = page;
  const texts = t.me;
  const { signIn } = site.service;
  const shown = html`<p class="pad">
    ${account.email ?? texts.noAddress}${!signIn.mails && html` <span class="soft small">${texts.noMail}</span>`}
  </p>`;
  return html`<section class="panel" aria-labelledby="address">
    <div class="panel-head"><h2 id="address" class="label">${texts.address}</h2></div>
    ${
      signIn.mails && signIn.isFresh(page.session)
        ? ownForm(
            page,
            '/account/address',
            html`<div class="field grow">
                <label for="email">${texts.addressFor}</label
                ><input
                  class="input"
                  id="email"
                  name="email"
                  type="email"
                  maxlength="254"
                  value="${account.email ?? ''}"
                  autocomplete="email"
                  required
                  aria-describedby="email-help"
                />
                <p class="hint" id="email-help">${texts.addressHelp}</p>
              </div>
              <button class="btn" type="submit">${texts.change}</button>`,
            'pad row',
          )
        : shown
    }
    <div class="panel-foot">
      <p class="small soft">${texts.accountId} <code>${account.id}</code></p>
    </div>
  </section>`;
}

function passkeyPanel(page: OwnPage, passkeys: readonly StoredPasskey[]): Html {
  const { t, href, language, formToken, site, session } = page;
  const texts = t.me;
  const isFresh = site.service.signIn.isFresh(session);
  const noPasskeys = noPasskeysHere(page);
  const rows = passkeys.map(
    ({ id, name, createdAt, lastUsedAt }) =>
      html`<tr>
        <th scope="row">${name}</th>
        ${cell(t.keys.made, dateOf(language, createdAt))}${cell(t.keys.lastUsed, lastUsedAt === null ? t.keys.never : timeOf(language, lastUsedAt))}
        <td class="r act">
          ${isFresh && confirmed(page, '/account/passkeys/remove', { button: texts.remove, what: name, consequence: texts.removeHelp, yes: texts.removeYes }, html`<input type="hidden" name="passkey" value="${id}" />`)}
        </td>
      </tr>`,
  );
  return html`<section class="panel" aria-labelledby="passkeys">
    <div class="panel-head">
      <h2 id="passkeys" class="label">${language.count(texts.passkeys, passkeys.length)}</h2>
    </div>
    ${rows.length > 0 && table([head(t.keys.name), head(t.keys.made), head(t.keys.lastUsed), hiddenHead(t.account.actions)], rows, texts.passkeysCaption)}
    ${
      isFresh &&
      noPasskeys === null &&
      html`<form
          class="pad row"
          hidden
          data-add-passkey="${href('/account/passkeys')}"
          data-form="${formToken}"
          data-failed="passkey-failed"
        >
          <div class="field grow">
            <label for="passkey-name">${texts.passkeyName}</label
            ><input class="input" id="passkey-name" maxlength="80" autocomplete="off" required />
          </div>
          <button class="btn" type="submit">${icon('pass')}${texts.addPasskey}</button>
        </form>
        <div class="pad" id="passkey-failed" hidden>${fault(t.signIn.passkeyFailed, texts.passkeyFailedHelp)}</div>`
    }
    <div class="panel-foot">${noPasskeys ?? html`<p class="small soft">${texts.passkeysHelp}</p>`}</div>
  </section>`;
}

function sessionPanel(page: OwnPage, sessions: readonly Session[]): Html {
  const { t, language, session: current, site } = page;
  const texts = t.me;
  const rows = sessions.map((session) => {
    const { id, device, createdAt, seenAt, method } = session;
    const name = device === '' ? texts.someDevice : device;
    const isThis = id === current.id;
    return html`<tr class="${isThis && 'picked'}">
      <th scope="row">${name}${isThis && html` <span class="tag on">${texts.thisOne}</span>`}</th>
      ${cell(texts.since, fill(texts.sinceBy, { time: timeOf(language, createdAt), method: texts.methods[method] }))}${cell(texts.seen, isThis ? texts.now : timeOf(language, seenAt))}
      <td class="r act">
        ${!isThis && ownForm(page, '/account/sessions/end', html`<input type="hidden" name="session" value="${id}" /><button class="btn s" type="submit">${texts.end}<span class="sr"> ${name}</span></button>`)}
      </td>
    </tr>`;
  });
  return html`<section class="panel" aria-labelledby="sessions">
    <div class="panel-head">
      <h2 id="sessions" class="label">${language.count(texts.sessions, sessions.length)}</h2>
      ${
        sessions.length > 1 &&
        html`<div class="push">
          ${ownForm(page, '/account/sessions/end-others', html`<button class="btn s" type="submit">${texts.endOthers}</button>`)}
        </div>`
      }
    </div>
    ${table([head(texts.where), head(texts.since), head(texts.seen), hiddenHead(t.account.actions)], rows, texts.sessionsCaption)}
    <div class="panel-foot">
      <p class="small soft">
        ${fill(texts.sessionsHelp, { days: language.number(site.config.sessionDays, 1) })}
        ${sessions.length > 1 && site.service.programs !== null && texts.othersHelp}
      </p>
    </div>
  </section>`;
}

/** The text to type before an account is deleted. */
const nameToType = ({ account }: OwnPage): string => account.email ?? account.id;

function deletion(page: OwnPage): Html {
  const { t, account, language, site, session } = page;
  const texts = t.me;
  return html`<section class="stack" aria-labelledby="delete">
    <h2 id="delete" class="h3">${texts.delete}</h2>
    <p class="measure">
      ${texts.deleteHelp}
      ${fill(texts.deleteCredits, { credits: language.count(t.units.credits, account.balance - account.reserved) })}
    </p>
    ${site.service.signIn.isFresh(session) ? deleteForm(page) : html`<p class="small soft">${texts.deleteFresh}</p>`}
  </section>`;
}

const deleteForm = (page: OwnPage): Html => {
  const texts = page.t.me;
  return html`<details class="confirm">
    <summary class="btn fault">${texts.deleteButton}</summary>
    ${ownForm(
      page,
      '/account/delete',
      html`<div class="field">
          <label for="confirmation">${fill(texts.typeName, { name: nameToType(page) })}</label
          ><input class="input" id="confirmation" name="confirmation" autocomplete="off" required />
        </div>
        <p class="small soft">${texts.deleteForGood}</p>
        <button class="btn fault" type="submit">${texts.deleteYes}</button>`,
      'stack pad',
    )}
  </details>`;
};
