import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply } from 'fastify';
import { text } from 'node:stream/consumers';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { Allowance, FreeRunView, OutputLink } from '../../rules/free-runs/free-run-use-cases.ts';
import type { Service } from '../../rules/service.ts';
import { spokenPrice } from '../../rules/money/spoken-price.ts';
import { fromStored } from '../../rules/shared/stored-error.ts';
import { sentType } from '../../rules/files/sent-type.ts';
import { finishFields, runRecord } from './records.ts';

/** Sets the headers of today's free uses, as in "RateLimit header fields for HTTP" (IETF draft). */
export function tellAllowance(reply: FastifyReply, { tool, dailyUses, usesLeft, resetsAt }: Allowance): void {
  const seconds = Math.max(1, Math.ceil((resetsAt.getTime() - Date.now()) / 1000));
  reply.headers({
    'ratelimit-policy': `"${tool}-daily";q=${dailyUses};w=86400`,
    ratelimit: `"${tool}-daily";r=${usesLeft};t=${seconds}`,
  });
}

function tellRun(reply: FastifyReply, { run, job, finish }: FreeRunView): void {
  const processed = job?.processedSeconds ?? null;
  if (processed !== null) reply.header('svc-processed-seconds', plain(processed));
  if (run.whole !== null) reply.header('svc-full-price-credits', String(run.whole.credits));
  if (finish !== null)
    reply.headers({ 'svc-finish-url': finish.url, 'svc-finish-price-credits': String(finish.priceCredits) });
}

/** Rounded to milliseconds, without trailing zeros. */
const plain = (seconds: number): string => String(Math.round(seconds * 1000) / 1000);

/**
 * The response to a request, by the state of its run: the result itself, a manifest of several, a link to a job that is
 * still running, or an error.
 * @throws EarshotError
 */
export async function answerRun(
  reply: FastifyReply,
  view: FreeRunView,
  service: Pick<Service, 'freeRuns' | 'tools'>,
): Promise<FastifyReply> {
  const { run, job } = view;
  tellRun(reply, view);
  if (run.status === 'refused') throw refusalOf(view);
  if (run.status === 'waiting' && view.finishedBy === null) throw waitingError(view);
  if (job?.status === 'failed' && job.error !== null) throw fromStored(job.error, { jobId: job.id });
  if (job?.status === 'cancelled')
    throw new EarshotError('conflict', `The job ${job.id} was cancelled`, { details: { jobId: job.id } });
  if (job?.status !== 'succeeded') return answerLater(reply, view, service);
  const output = theAnswer(view);
  reply.header('cache-control', 'private, no-store');
  if (output === undefined) return reply.send(runRecord(view, service.tools));
  // Links to the other outputs (RFC 8288).
  const others = view.outputs.filter((each) => each !== output);
  if (others.length > 0)
    reply.header(
      'link',
      others.map(({ file, url }) => `<${url}>; rel="related"; type="${file.contentType}"`).join(', '),
    );
  return sendOutput(reply, view, output, service);
}

/**
 * The output to respond with: the requested format, the only output, or the only audio or video. Without audio or video
 * the first one, which is the main one (a list of cuts, followed by its transcript). undefined: several.
 */
function theAnswer({ run, outputs }: FreeRunView): OutputLink | undefined {
  const { format } = run.request;
  if (format !== null) return outputs.find(({ file }) => file.format === format);
  if (outputs.length === 1) return outputs[0];
  const media = outputs.filter(({ file }) => file.hasAudio || file.hasVideo);
  return media.length <= 1 ? (media[0] ?? outputs[0]) : undefined;
}

/** 202 with the status link. */
export function answerLater(reply: FastifyReply, view: FreeRunView, { tools }: Pick<Service, 'tools'>): FastifyReply {
  tellRun(reply, view);
  return reply
    .code(202)
    .headers({ location: view.statusUrl, 'retry-after': '2', 'cache-control': 'no-store' })
    .send(runRecord(view, tools));
}

async function sendOutput(
  reply: FastifyReply,
  view: FreeRunView,
  { file }: OutputLink,
  { freeRuns }: Pick<Service, 'freeRuns'>,
): Promise<FastifyReply> {
  const { sizeBytes, read } = await freeRuns.open(file);
  reply.type(sentType(file)).headers({
    'content-disposition': contentDisposition(file.filename),
    'content-security-policy': "default-src 'none'; sandbox",
  });
  const cut = finishFields(view);
  if (cut !== null && file.format === 'json') {
    const result = JSON.parse(await text(await read())) as object;
    return reply.serializer((value: unknown) => `${JSON.stringify(value, null, 2)}\n`).send({ ...result, ...cut });
  }
  return reply.header('content-length', sizeBytes).send(await read());
}

const refusalOf = ({ run }: FreeRunView): EarshotError =>
  run.error === null
    ? new EarshotError('internal_error', `The run ${run.id} has no reason for its refusal`)
    : EarshotError.fromJSON(run.error);

/** The error of a run that waits for a payment: the limit, its reset, and how to pay. */
function waitingError(view: FreeRunView): EarshotError {
  const { code, message, details, nextAction } = refusalOf(view);
  const { finish, run, statusUrl } = view;
  if (finish === null) return new EarshotError(code, message, { nextAction, ...(details ? { details } : {}) });
  return new EarshotError(code, `${message}. The file is kept and waits for a payment`, {
    nextAction:
      `Wait until ${String(details?.['resetsAt'])}, or pay for the whole file ` +
      `(${spokenPrice(finish.priceCredits, run.whole?.credits ?? finish.priceCredits)}) at ${finish.url}`,
    details: {
      ...details,
      finishUrl: finish.url,
      finishPriceCredits: finish.priceCredits,
      jobId: run.id,
      statusUrl,
    },
  });
}
