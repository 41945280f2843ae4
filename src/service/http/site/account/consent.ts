// Programs that ask to act for a person: the protocol's pages in the browser, and the question of consent.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import type { AskedBrowser, ConsentQuestion, ProtocolAnswer } from '../../../rules/accounts/authorization-server.ts';
import type { Programs } from '../../../rules/sign-in/program-use-cases.ts';
import { requireOwnHost } from '../../interface/own-address.ts';
import { html, type Html } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import { type Content, sendPage } from '../frame/layout.ts';
import type { Site } from '../frame/site.ts';
import { ownForm } from './parts.ts';
import { openOwnPage, type OwnPage } from './session.ts';
import { readForm, toConfirm, toSignIn } from './view.ts';

type ByQuestion = { Params: { question: string } };

/** /oauth/authorize, where programs send browsers, and /connect/<question>, where people answer. */
export function consentRoutes(scope: FastifyInstance, site: Site, programs: Programs): void {
  const options = { config: { access: 'public' as const } };
  const byQuestion = { config: { ...options.config, secret: ['question'] } };
  const base = (request: FastifyRequest): string => requireOwnHost(request, site.config, site.rootPath);

  scope.get('/oauth/authorize', options, async (request, reply) =>
    pass(
      reply,
      await programs.answer({
        endpoint: 'authorize',
        base: base(request),
        method: 'GET',
        query: [...new URLSearchParams(request.url.split('?')[1] ?? '')],
        cookie: request.headers.cookie,
      }),
    ),
  );

  scope.get<ByQuestion>('/oauth/authorize/:question', byQuestion, async (request, reply) =>
    pass(
      reply,
      await programs.answer({
        endpoint: 'resume',
        base: base(request),
        method: 'GET',
        question: request.params.question,
        cookie: request.headers.cookie,
      }),
    ),
  );

  const asked = (request: FastifyRequest<ByQuestion>): AskedBrowser => ({
    base: base(request),
    question: request.params.question,
    cookie: request.headers.cookie,
  });

  scope.get<ByQuestion>('/connect/:question', byQuestion, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    if (page === null) return toSignIn(site, reply, request.url);
    if (!site.service.signIn.isFresh(page.session)) return toConfirm(site, reply, request.url);
    const question = (await programs.question(asked(request))) ?? gone(page);
    return sendPage(reply, page, consentPage(page, request.url, question));
  });

  scope.post<ByQuestion>('/connect/:question', byQuestion, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    const { answer } = readForm(site, request, page);
    if (page === null) return toSignIn(site, reply, request.url, true);
    if (answer === 'allow' && !site.service.signIn.isFresh(page.session)) return toConfirm(site, reply, request.url);
    const to =
      answer === 'allow'
        ? await programs.allow(page.account, page.session, asked(request))
        : await programs.refuse(asked(request));
    return reply.header('cache-control', 'no-store').redirect(to, 303);
  });
}

/** Sends what the protocol answers; its errors become pages of ours. */
function pass(reply: FastifyReply, { status, headers, body }: ProtocolAnswer): FastifyReply {
  if (status >= 400) throw problemOf(body);
  return reply
    .code(status)
    .headers({ ...headers, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .send(body === '' ? null : body);
}

function problemOf(body: string): EarshotError {
  const { error = 'invalid_request', error_description = '' } = JSON.parse(body) as Readonly<Record<string, string>>;
  return new EarshotError('bad_request', `The program's request was refused: ${error_description || error}`, {
    details: { reason: error },
    nextAction: 'Connect again from the program. If that does not help, remove the connection there and add it again.',
  });
}

function gone({ t }: OwnPage): never {
  throw new EarshotError('not_found', t.consent.gone, { nextAction: t.consent.goneHelp });
}

/** Where the browser goes: "127.0.0.1:41573", "claude.ai", or the scheme of a program on this machine. */
export function shownTarget(uri: string): string {
  const { protocol, host } = new URL(uri);
  return protocol === 'http:' || protocol === 'https:' ? host : `${protocol}//${host}`;
}

/** Browsers apply the policy of forms also to where the answer redirects. It has no notation for IPv6 addresses. */
function formSource(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}

function consentPage(page: OwnPage, path: string, { name, redirectUri, native }: ConsentQuestion): Content {
  const { t, href, account } = page;
  const texts = t.consent;
  const may = (sign: 'check' | 'x', text: string): Html =>
    html`<li class="row row-one${sign === 'x' ? ' soft' : ''}">${icon(sign)}${text}</li>`;
  return {
    title: texts.title,
    mainClass: 'wrap',
    formOrigins: [formSource(redirectUri)],
    // Programs in a browser open this page as a window, and the answer's page there tells them.
    opener: true,
    body: html`<div class="section stack-l signin">
      <h1>${texts.title}</h1>
      <section class="panel" aria-labelledby="wants">
        <div class="panel-head"><h2 id="wants" class="label">${native ? texts.here : texts.elsewhere}</h2></div>
        <div class="pad stack">
          <ul class="stack-s small">
            ${may('check', texts.files)}${may('check', texts.jobs)}${may('x', texts.not)}
          </ul>
          <dl class="facts">
            <dt>${texts.name}</dt>
            <dd><bdi>${name ?? texts.noName}</bdi></dd>
            <dt>${texts.goesTo}</dt>
            <dd><code>${shownTarget(redirectUri)}</code></dd>
            <dt>${texts.account}</dt>
            <dd>${account.email ?? account.name}</dd>
          </dl>
          ${ownForm(
            page,
            path.split('?')[0] ?? path,
            html`<button class="btn go" type="submit" name="answer" value="allow">${texts.allow}</button>
              <button class="btn" type="submit" name="answer" value="refuse">${texts.refuse}</button>`,
            'row',
          )}
        </div>
        <div class="panel-foot">
          <p class="small soft">${texts.help} <a href="${href('/account#programs')}">${texts.toAccount}</a></p>
        </div>
      </section>
      <p class="small soft">${texts.unasked}</p>
    </div>`,
  };
}
