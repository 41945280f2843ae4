import { idempotencyKeyOf } from '../interface/idempotency-key.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badValue } from '../../../library/core/checks/schema.ts';
import type { FreeRunView, UsedUp } from '../../rules/free-runs/free-run-use-cases.ts';
import type { DialectScope } from '../server/dialect.ts';
import { clientSignal } from '../server/context.ts';
import { createEventStreams } from '../server/events.ts';
import { callerOf } from '../server/mount.ts';
import { addressKey } from '../server/rate-limit.ts';
import { answerLater, answerRun, tellAllowance } from './answer.ts';
import { formOf, type ToolForm } from '../interface/tool-form.ts';
import { answerPage, cameFromPage } from './page-forms.ts';
import { readRequest } from './read-request.ts';
import { leftRecord, runRecord } from './records.ts';
import type { DialectDeps } from '../interface/dialect-deps.ts';

/** A script of 2 MiB characters, each of which JSON may write in six bytes, and the rest of the body. */
const jsonBodyBytes = 6 * 2 * 1024 * 1024 + 1024 * 1024;

/** POST /api/try/<slug> for every tool, and the status links. */
export function tryRoutes(app: FastifyInstance, deps: DialectDeps, { closing }: DialectScope): void {
  const { service, tools, config } = deps;
  const { freeRuns } = service;

  async function run(request: FastifyRequest, reply: FastifyReply, form: ToolForm): Promise<FastifyReply> {
    const { id: tool } = form.tool;
    const visitor = freeRuns.visitor(request.account, addressKey(callerOf(request).ip));
    const gone = clientSignal(reply);
    const page = cameFromPage(request);
    const later = page || prefersAsync(request);
    if (later && !page) reply.header('preference-applied', 'respond-async');
    const idempotencyKey = idempotencyKeyOf(request);
    // Also with errors. An unreadable allowance must not hide the error itself.
    const tellLeft = async (refusal: unknown): Promise<void> => {
      const { usedUp } = (refusal ?? {}) as Partial<UsedUp>;
      if (usedUp !== undefined) return tellAllowance(reply, usedUp);
      await freeRuns.allowance(visitor, tool).then(
        (allowance) => tellAllowance(reply, allowance),
        (thrown: unknown) => request.log.warn({ err: thrown }, 'reading the remaining free uses failed'),
      );
    };
    let view: FreeRunView;
    try {
      const admission = await freeRuns.admit(visitor, tool);
      let id: string;
      try {
        id = await admission.start({ ...(await readRequest(request, reply, form, admission, gone)), idempotencyKey });
      } finally {
        await admission.end();
      }
      const enough = AbortSignal.any([gone, closing]);
      view = await freeRuns.follow(id, config.freeWaitSeconds, later ? 'started' : 'ended', enough);
    } catch (thrown) {
      await tellLeft(thrown);
      throw thrown;
    }
    await tellLeft(null);
    if (page) return answerPage(reply, view, deps.rootPath);
    const running = view.run.status === 'started' || view.run.status === 'arriving';
    return later && running ? answerLater(reply, view, service) : answerRun(reply, view, service);
  }

  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  for (const tool of tools) {
    const form = formOf(tool);
    app.post(
      `/api/try/${tool.slug}`,
      { config: { access: 'optional', multipart: true, anyBody: true }, bodyLimit: jsonBodyBytes },
      (request, reply) => run(request, reply, form),
    );
  }

  // Remaining free uses.
  app.get('/api/try', { config: { access: 'optional' } }, async (request, reply) => {
    const visitor = freeRuns.visitor(request.account, addressKey(callerOf(request).ip));
    const { allowances, waiting } = await freeRuns.overview(visitor);
    return reply.header('cache-control', 'no-store').send(leftRecord(allowances, waiting, deps, visitor));
  });

  const streams = createEventStreams(config.accountSockets, closing);
  const byLink = { config: { access: 'token' as const, secret: ['t'] } };

  const events = (request: FastifyRequest<ByLink>, reply: FastifyReply): Promise<FastifyReply> => {
    const [id, token] = linkOf(request);
    return streams.open(request, reply, addressKey(callerOf(request).ip), (say) =>
      freeRuns.followStatusLink(id, token, (view, final) =>
        say(view === null ? null : runRecord(view, service.tools), final),
      ),
    );
  };

  app.get<ByLink>('/api/try/jobs/:id', byLink, async (request, reply) => {
    if (request.headers.accept?.includes('text/event-stream')) return events(request, reply);
    const view = await freeRuns.byStatusLink(...linkOf(request));
    return reply.header('cache-control', 'no-store').send(runRecord(view, service.tools));
  });

  app.get<ByLink>('/api/try/jobs/:id/events', { ...byLink, exposeHeadRoute: false }, events);
}

type ByLink = { Params: { id: string }; Querystring: { t?: unknown } };

function linkOf({ params, query: { t } }: FastifyRequest<ByLink>): readonly [id: string, token: string] {
  if (typeof t !== 'string') throw badValue('t', 'token of the link', t, 't in the query');
  return [params.id.slice(0, 100), t];
}

/** RFC 7240: a list of preferences with optional parameters. */
const prefersAsync = ({ headers: { prefer } }: FastifyRequest): boolean =>
  [prefer ?? []]
    .flat()
    .join(',')
    .split(',')
    .some((each) => each.split(';', 1)[0]?.trim().toLowerCase() === 'respond-async');
