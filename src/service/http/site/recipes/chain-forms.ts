// Starting and cancelling a chain by forms, for pages without a script; its results as one archive.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { create as contentDisposition } from 'content-disposition';
import { EarshotError } from '../../../../library/core/errors/errors.ts';
import { html } from '../../../../library/core/markup.ts';
import type { ChainRequest } from '../../../rules/chains/chains.ts';
import { fault, ownForm } from '../account/parts.ts';
import { type OwnPage, openOwnPage } from '../account/session.ts';
import { type Form, readForm, takeForms, toSignIn } from '../account/view.ts';
import { statusOf } from '../../server/errors.ts';
import { sendPage } from '../frame/layout.ts';
import type { Site } from '../frame/site.ts';
import { errorText } from '../language/said.ts';
import { fill } from '../language/fill.ts';
import { sendArchive } from './archive.ts';
import { shownChain } from '../account/chain-parts.ts';
import { kinds, pathOfKind, recipeOf } from './recipe-page.ts';

/** Without a schema of their own: a form's fields are looked at where they are used. */
const forms = { config: { access: 'public' as const } };
const options = { ...forms, schema: { hide: true } };
interface ByChain {
  Params: { id: string };
}

/** POST /chains/look, /chains/start and /chains/cancel; GET /chains/<id>/archive and /report. */
export async function chainFormRoutes(scope: FastifyInstance, site: Site): Promise<void> {
  await scope.register(async (inner) => {
    takeForms(inner);
    inner.post('/chains/look', forms, (request, reply) => withForm(site, request, reply, look));
    inner.post('/chains/start', forms, (request, reply) => withForm(site, request, reply, start));
    inner.post('/chains/cancel', forms, (request, reply) => withForm(site, request, reply, cancel));
  });
  scope.get<ByChain>('/chains/:id/archive', options, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    if (page === null) return toSignIn(site, reply, `/chains/${request.params.id.slice(0, 100)}`);
    return sendArchive(page, await site.service.chains.get(page.account, request.params.id.slice(0, 100)), reply);
  });
  scope.get<ByChain>('/chains/:id/report', options, async (request, reply) => {
    const page = await openOwnPage(site, request, reply);
    if (page === null) return toSignIn(site, reply, `/chains/${request.params.id.slice(0, 100)}`);
    const chain = shownChain(page, await site.service.chains.get(page.account, request.params.id.slice(0, 100)));
    return reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'content-disposition': contentDisposition(`${chain.name}.report.json`),
      })
      .send(`${JSON.stringify(chain, null, 2)}\n`);
  });
}

type Act = (page: OwnPage, form: Form, reply: FastifyReply) => Promise<FastifyReply>;

async function withForm(site: Site, request: FastifyRequest, reply: FastifyReply, act: Act): Promise<FastifyReply> {
  const page = await openOwnPage(site, request, reply);
  const form = readForm(site, request, page);
  if (page === null) return toSignIn(site, reply, pathOfKind(kindOf(form)), true);
  try {
    return await act(page, form, reply);
  } catch (thrown) {
    if (!(thrown instanceof EarshotError) || statusOf(thrown) >= 500) throw thrown;
    request.errorCode = thrown.code;
    const { message, nextAction } = errorText(page.t, thrown);
    return sendPage(reply, page, {
      title: page.t.problem.title,
      status: statusOf(thrown),
      mainClass: 'wrap',
      body: html`<div class="section stack-l">
        <h1>${page.t.problem.title}</h1>
        ${fault(message, nextAction)}
        <p>
          <a class="btn" href="${page.href(pathOfKind(kindOf(form)))}">${page.t.recipes.kinds[kindOf(form)].title}</a>
        </p>
      </div>`,
    });
  }
}

const kindOf = ({ kind }: Form): (typeof kinds)[number] => kinds.find((each) => each === kind) ?? 'own';

/** What the form orders. @throws EarshotError bad_request */
function orderOf({ site }: OwnPage, form: Form): Omit<ChainRequest, 'idempotencyKey' | 'maxCredits' | 'settling'> {
  const kind = kindOf(form);
  const recipe = recipeOf(site, kind);
  const fileIds = Object.keys(form).flatMap((name) => (name.startsWith('file-') ? [name.slice(5)] : []));
  const format = form['format'] === undefined || form['format'] === '' ? null : form['format'];
  if (recipe === null) return { recipe: null, options: {}, chain: parsedChain(form['chain'] ?? ''), format, fileIds };
  const chosen = Object.entries(recipe.options).map(([name, { choices, perFile, default: usual }]) => {
    if (perFile) return [name, fileIds.map((id) => form[`role-${id}`] ?? usual).join(',') || usual];
    return [name, choices === null ? form[`o-${name}`] !== undefined : (form[`o-${name}`] ?? usual)];
  });
  return { recipe: recipe.name, options: Object.fromEntries(chosen), chain: null, format, fileIds };
}

function parsedChain(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    throw new EarshotError('bad_request', `Expected JSON in chain but ${(thrown as Error).message}`, {
      details: { field: 'chain' },
    });
  }
}

/** The price, and a button that starts it. */
async function look(page: OwnPage, form: Form, reply: FastifyReply): Promise<FastifyReply> {
  const { t, site, language, account } = page;
  const quote = await site.service.chains.quote(account, orderOf(page, form));
  const [price, have] = [quote.credits, account.balance - account.reserved].map((credits) =>
    language.count(t.units.credits, credits),
  );
  const texts = t.recipes.kinds[kindOf(form)];
  const fields = Object.entries({ ...form, key: randomUUID(), most: String(quote.credits) }).filter(
    ([name]) => name !== 'form',
  );
  return sendPage(reply, page, {
    title: texts.title,
    section: 'episode',
    mainClass: 'wrap',
    body: html`<div class="section stack-l">
      <h1>${texts.title}</h1>
      <p>${fill(t.recipes.atMost, { price: price ?? '' })} ${fill(t.recipes.youHave, { have: have ?? '' })}</p>
      ${ownForm(
        page,
        '/chains/start',
        html`${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}<button
            class="btn go l"
            type="submit"
          >
            ${fill(t.recipes.startFor, { action: texts.action, price: price ?? '' })}
          </button>`,
      )}
    </div>`,
  });
}

async function start(page: OwnPage, form: Form, reply: FastifyReply): Promise<FastifyReply> {
  const most = Number(form['most']);
  const { chain } = await page.site.service.chains.create(page.account, {
    ...orderOf(page, form),
    settling: 'whole',
    idempotencyKey: form['key']?.slice(0, 200) ?? null,
    maxCredits: Number.isInteger(most) && most > 0 ? most : null,
  });
  return reply.header('cache-control', 'no-store').redirect(page.href(`/chains/${chain.id}`), 303);
}

async function cancel(page: OwnPage, { chain = '' }: Form, reply: FastifyReply): Promise<FastifyReply> {
  const { service } = page.site;
  await service.chains.cancel(page.account, chain).catch((thrown: unknown) => {
    // It has ended a moment before: its page says how.
    if (EarshotError.from(thrown).code !== 'job_not_cancellable') throw thrown;
  });
  return reply.header('cache-control', 'no-store').redirect(page.href(`/chains/${encodeURIComponent(chain)}`), 303);
}
