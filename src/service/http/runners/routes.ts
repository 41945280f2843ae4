import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify';
import * as Type from 'typebox/type';
import type { Static, TSchema } from 'typebox/type';
import { EarshotError, type ErrorJson } from '../../../library/core/errors/errors.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import type { RunnerDesk } from '../../rules/runners/desk.ts';
import { streamBody } from '../server/bodies.ts';
import { errorAnswer } from '../interface/errors.ts';
import { clientSignal } from '../server/context.ts';
import { sendStoredFile } from '../server/send-file.ts';

/** What the routes of runners need. */
export interface RunnerRouteDeps {
  readonly desk: RunnerDesk;
  /** Validates the error of a run that failed like that of a job process; null: not valid. */
  readonly readError: (value: unknown) => ErrorJson | null;
}

/** A result may list thousands of entries; same limit as for a job process. */
const mostResultBytes = 8 * 2 ** 20;
const mostWaitSeconds = 40;

const session = Type.String({ pattern: '^[A-Za-z0-9_-]{1,40}$' });
const names = Type.Array(Type.String({ maxLength: 200 }), { maxItems: 200 });
const AskBody = Type.Object(
  {
    version: Type.String({ maxLength: 50 }),
    session,
    build: Type.String({ maxLength: 100 }),
    models: names,
    labels: names,
    slots: Type.Integer({ minimum: 1, maximum: 10_000 }),
    running: Type.Integer({ minimum: 0, maximum: 10_000 }),
    load: Type.Number({ minimum: 0, maximum: 10_000 }),
    unfit: Type.Union([Type.String({ maxLength: 50 }), Type.Null()], { default: null }),
    takesJobs: Type.Boolean({ default: true }),
    waitSeconds: Type.Number({ minimum: 0, maximum: mostWaitSeconds, default: 0 }),
  },
  { additionalProperties: false },
);
const LeaveBody = Type.Object({ session }, { additionalProperties: false });
const ProgressBody = Type.Object(
  {
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    stage: Type.String({ maxLength: 300 }),
    estimatedSecondsLeft: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
  },
  { additionalProperties: false },
);
const OutputBody = Type.Object({ sizeBytes: Type.Integer({ minimum: 0 }) }, { additionalProperties: false });
const CompleteBody = Type.Object(
  {
    output: Type.Integer({ minimum: 0 }),
    parts: Type.Array(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1 }),
          sizeBytes: Type.Integer({ minimum: 0 }),
          etag: Type.String({ maxLength: 300 }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 10_000 },
    ),
  },
  { additionalProperties: false },
);
const GiveUpBody = Type.Object(
  {
    why: Type.Enum(['failed', 'again', 'back', 'unfit', 'no-room', 'cancelled']),
    error: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);
/** Validated like the answer of a job process. */
const ResultBody = Type.Object(
  { files: Type.Unknown(), result: Type.Unknown(), warnings: Type.Unknown(), processedSeconds: Type.Unknown() },
  { additionalProperties: false },
);
const partParams = Type.Object({
  token: Type.String(),
  output: Type.String({ pattern: '^[0-9]{1,3}$' }),
  part: Type.String({ pattern: '^[0-9]{1,5}$' }),
});

/** The token is the credential: the runner's for requesting a job, one job's for everything else. */
function bearer({ headers }: FastifyRequest): string {
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
  if (token !== undefined) return token;
  throw new EarshotError('unauthorized', 'Expected the header Authorization with the token of a runner or of its job');
}

const options = (body: TSchema, bodyLimit?: number): RouteShorthandOptions => ({
  config: { access: 'token' },
  schema: { hide: true, body },
  ...(bodyLimit === undefined ? {} : { bodyLimit }),
});

export function runnerRoutes(
  app: FastifyInstance,
  { desk, readError, closing }: RunnerRouteDeps & { readonly closing: AbortSignal },
): void {
  const at = (path: string, body: TSchema, bodyLimit?: number) =>
    ({ method: 'POST', url: `/api/runner/${path}`, ...options(body, bodyLimit) }) as const;

  app.route<{ Body: Static<typeof AskBody> }>({
    ...at('jobs', AskBody),
    handler: async (request, reply) => {
      const gone = AbortSignal.any([clientSignal(reply), closing]);
      return { job: await desk.ask(bearer(request), request.body, gone) };
    },
  });
  // What autoscalers of job engines ask.
  app.route({
    method: 'GET',
    url: '/api/runner/queue',
    config: { access: 'token' },
    schema: { hide: true },
    handler: async (request, reply) => {
      void reply.header('cache-control', 'no-store');
      return await desk.queue(bearer(request));
    },
  });
  app.route<{ Body: Static<typeof LeaveBody> }>({
    ...at('leave', LeaveBody),
    handler: async (request) => {
      await desk.leave(bearer(request), request.body.session);
      return {};
    },
  });
  app.route<{ Body: Static<typeof ProgressBody> }>({
    ...at('job/progress', ProgressBody),
    handler: (request) => desk.report(bearer(request), request.body),
  });
  app.route<{ Body: Static<typeof OutputBody> }>({
    ...at('job/outputs', OutputBody),
    handler: (request) => desk.addOutput(bearer(request), request.body.sizeBytes),
  });
  app.route<{ Body: Static<typeof CompleteBody> }>({
    ...at('job/outputs/complete', CompleteBody, 2 ** 21),
    handler: async (request) => {
      // Joining many gigabytes on a slow disk may take longer than the idle timeout.
      request.raw.socket.setTimeout(0);
      await desk.completeOutput(bearer(request), request.body.output, request.body.parts);
      return {};
    },
  });
  app.route({
    ...at('job/result', ResultBody, mostResultBytes),
    handler: async (request) => {
      return { accepted: await desk.handOver(bearer(request), request.body) };
    },
  });
  // The token is signed for one input of one attempt, and means nothing once the runner has lost the job.
  app.route<{ Params: { token: string } }>({
    method: 'GET',
    url: '/api/runner/inputs/:token',
    config: { access: 'token' },
    schema: { hide: true, params: Type.Object({ token: Type.String() }) },
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const opened = await desk.openInput(request.params.token);
      if ('url' in opened) return await reply.header('cache-control', 'no-store').redirect(opened.url, 302);
      return await sendStoredFile(request, reply, opened, { errorAnswer });
    },
  });
  app.route<{ Body: Static<typeof GiveUpBody> }>({
    ...at('job/end', GiveUpBody),
    handler: async (request) => {
      const token = bearer(request);
      const { why } = request.body;
      if (why !== 'failed') return { accepted: await desk.giveUp(token, why) };
      const error = readError(request.body.error);
      if (error === null) throw badValue('error', 'error as a job process gives it', typeof request.body.error);
      return { accepted: await desk.giveUp(token, error) };
    },
  });
}

/** Receives the bytes of outputs when the object store offers no links. Must be in its own scope. */
export function partRoute(app: FastifyInstance, { desk }: Pick<RunnerRouteDeps, 'desk'>): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  app.route<{ Params: Static<typeof partParams> }>({
    method: 'PUT',
    url: '/api/runner/outputs/:token/:output/:part',
    config: { access: 'token', rawBody: true },
    schema: { hide: true, params: partParams },
    handler: async (request, reply) => {
      const { token, output, part } = request.params;
      return await desk.acceptPart(
        token,
        Number(output),
        Number(part),
        streamBody(request, reply),
        clientSignal(reply),
      );
    },
  });
}
