// Common parts of all account pages: access, frame and forms.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { requireSameOrigin } from '../../interface/authenticate.ts';
import { statusOf } from '../../server/errors.ts';
import { findUnstorable } from '../../server/validation.ts';
import { html, type Html, type Part } from '../../../../library/core/markup.ts';
import { icon } from '../frame/icon.ts';
import { sendPage } from '../frame/layout.ts';
import type { Site } from '../frame/site.ts';
import { errorText } from '../language/said.ts';
import { fault } from './parts.ts';
import { type OwnPage, openOwnPage } from './session.ts';

/** Entries of the list beside an account's pages. */
export const sections = ['files', 'jobs', 'keys', 'webhooks', 'credits', 'account', 'operator'] as const;
export type AccountSection = (typeof sections)[number];

const icons = {
  files: 'file',
  jobs: 'clock',
  keys: 'key',
  webhooks: 'link',
  credits: 'card',
  account: 'user',
  operator: 'eye',
} as const;

/** The fields of a form. */
export type Form = Readonly<Record<string, string | undefined>>;

/** The content of a view. */
export interface ViewContent {
  readonly title: string;
  readonly lead: Part;
  readonly body: Part;
  readonly scripts?: readonly string[];
  readonly data?: unknown;
  /** Origins that forms lead to. Default: our own. */
  readonly formOrigins?: readonly string[];
  /** Seconds after which the page reloads. Default: never. */
  readonly refreshSeconds?: number;
}

/** A page of an account, with the forms on it. */
export interface View {
  /** Path of the route, with parameters. */
  readonly path: string;
  readonly section: AccountSection;
  render(page: OwnPage, request: FastifyRequest): Promise<ViewContent>;
  /** Actions of the forms, by path. */
  readonly actions?: Readonly<Record<string, Action>>;
}

/**
 * Performs the action of a form.
 * @returns the path to redirect to, or a message to show above the page
 */
export type Action = (page: OwnPage, form: Form, request: FastifyRequest) => Promise<string | Html>;

const formBytes = 16 * 1024;

/** Parses forms as browsers send them without script. */
export function takeForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytes },
    (_request, body, done) => {
      const form = Object.fromEntries(new URLSearchParams(String(body)));
      const bad = findUnstorable(form);
      return bad === undefined ? done(null, form) : done(bad);
    },
  );
}

/** A POST of our own pages with the origin checked; the form's token exists only when signed in. */
export function readForm(site: Site, request: FastifyRequest, page: OwnPage | null): Form {
  requireSameOrigin(request, site.config);
  const form = (request.body ?? {}) as Form;
  if (page !== null && form['form'] !== page.formToken)
    throw new EarshotError('forbidden', page.t.account.staleForm, { nextAction: page.t.account.staleFormHelp });
  return form;
}

/** Registers the views and their forms. */
export function viewRoutes(scope: FastifyInstance, site: Site, views: readonly View[]): void {
  const options = { config: { access: 'public' as const } };
  for (const view of views) {
    scope.get(view.path, options, async (request, reply) => {
      const page = await openOwnPage(site, request, reply);
      if (page === null) return toSignIn(site, reply, request.url);
      return send(view, page, request, reply, null);
    });
    for (const [path, action] of Object.entries(view.actions ?? {}))
      scope.post(path, options, async (request, reply) => act(site, view, action, request, reply));
  }
}

/** The path of the page with the view's forms, or of its section where that has parameters. */
const shownAt = ({ path, section }: View): string => (path.includes(':') ? `/${section}` : path);

async function act(site: Site, view: View, action: Action, request: FastifyRequest, reply: FastifyReply) {
  const page = await openOwnPage(site, request, reply);
  const form = readForm(site, request, page);
  // The session has ended since the page was opened: the action was not performed.
  if (page === null) return toSignIn(site, reply, shownAt(view), true);
  try {
    const answer = await action(page, form, request);
    if (typeof answer !== 'string') return await send(view, page, request, reply, answer);
    const isOurs = answer.startsWith('/');
    return reply.header('cache-control', 'no-store').redirect(isOurs ? page.href(answer) : answer, 303);
  } catch (thrown) {
    if (!(thrown instanceof EarshotError) || statusOf(thrown) >= 500) throw thrown;
    if (thrown.details?.['reason'] === 'old_sign_in') return toConfirm(site, reply, shownAt(view));
    request.errorCode = thrown.code;
    const { message, nextAction } = errorText(page.t, thrown);
    return send(view, page, request, reply.code(statusOf(thrown)), fault(message, nextAction));
  }
}

/** Redirects to the sign-in page, which returns here. */
export function toSignIn(site: Site, reply: FastifyReply, next: string, ended = false): FastifyReply {
  const query = new URLSearchParams({ next, ...(ended ? { ended: '1' } : {}) });
  return reply.header('cache-control', 'no-store').redirect(`${site.rootPath}/sign-in?${query.toString()}`, 303);
}

/** Where people who are signed in confirm that it is they, by signing in again. */
const confirmPath = (next: string): string => `/sign-in?${new URLSearchParams({ again: '1', next }).toString()}`;

/** In place of forms that need a fresh sign-in, where it is an old one. */
export const confirmFirst = ({ t, href }: OwnPage, next: string, why: string): Html =>
  html`<div class="panel pad stack-s">
    <p class="small">${why}</p>
    <p><a class="btn" href="${href(confirmPath(next))}">${icon('pass')}${t.account.confirm}</a></p>
  </div>`;

/** Redirects to it; it returns here. */
export const toConfirm = (site: Site, reply: FastifyReply, next: string): FastifyReply =>
  reply.header('cache-control', 'no-store').redirect(site.rootPath + confirmPath(next), 303);

async function send(view: View, page: OwnPage, request: FastifyRequest, reply: FastifyReply, told: Html | null) {
  const { title, lead, body, scripts, data, formOrigins, refreshSeconds } = await view.render(page, request);
  if (refreshSeconds !== undefined) void reply.header('refresh', String(refreshSeconds));
  return sendPage(reply, page, {
    title,
    status: reply.statusCode,
    mainClass: 'wrap',
    body: html`<div class="acct">
      ${accountNav(page, view.section)}
      <div class="stack-l">
        <div class="head no-print">
          <h1>${title}</h1>
          <p class="soft measure">${lead}</p>
        </div>
        ${told} ${body}
      </div>
    </div>`,
    ...(scripts === undefined ? {} : { scripts }),
    ...(data === undefined ? {} : { data }),
    ...(formOrigins === undefined ? {} : { formOrigins }),
  });
}

function accountNav({ href, t, account }: OwnPage, current: AccountSection): Html {
  const shown = sections.filter((section) => section !== 'operator' || account.operator);
  return html`<nav aria-label="${t.account.nav}" class="no-print">
    <ul>
      ${shown.map(
        (section) =>
          html`<li>
            <a href="${href(`/${section}`)}" aria-current="${section === current ? 'page' : null}"
              >${icon(icons[section])}${t.account.sections[section]}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}
