import { idempotencyKeyOf } from '../interface/idempotency-key.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { text as readText } from 'node:stream/consumers';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badInput, badValue, usualOptionBytes } from '../../../library/core/checks/schema.ts';
import { parseTranscript } from '../../../library/contract/parse-transcript.ts';
import type { Transcript } from '../../../library/contract/transcript.ts';
import type { Admission, BroughtFile, FreeRuns, FreeRunView } from '../../rules/free-runs/free-run-use-cases.ts';
import type { Account } from '../../rules/accounts/account.ts';
import { fromStored } from '../../rules/shared/stored-error.ts';
import { accountOf, clientSignal } from '../server/context.ts';
import type { DialectScope } from '../server/dialect.ts';
import { formParts } from '../server/form-parts.ts';
import { toDiarizedJson, toJson, toVerboseJson } from './answers.ts';
import type { OpenaiDeps } from './deps.ts';
import { type AskedFor, FieldReader, type ResponseFormat, type Task } from './fields.ts';
import { mostReferenceBytes } from './known-speakers.ts';
import { sendEvents } from './stream.ts';

const tool = 'transcribe_audio';
/** Files are kept for an hour: the transcript is in the answer, so they are not needed afterwards. */
const keepSeconds = 3600;
/** Longer than any job may take; the client's own time-out ends the wait. */
const mostWaitSeconds = 24 * 3600;
const mostParts = 100;
function mostBytesOf(name: string): number {
  if (name.startsWith('known_speaker_references')) return mostReferenceBytes;
  // Prompts are texts.
  return /^(?:prompt$|include)/.test(name) ? 64 * 1024 : usualOptionBytes;
}

const paths: Readonly<Record<Task, string>> = {
  transcribe: '/v1/audio/transcriptions',
  translate: '/v1/audio/translations',
};

/** POST /v1/audio/transcriptions and /v1/audio/translations. */
export function transcriptionRoutes(app: FastifyInstance, { service }: OpenaiDeps, { closing }: DialectScope): void {
  const { freeRuns, jobs, said } = service;

  for (const [task, url] of Object.entries(paths) as [Task, string][])
    app.post(url, { config: { access: 'account', multipart: true } }, async (request, reply) => {
      const account = accountOf(request);
      const gone = clientSignal(reply);
      const { id, asked } = await order(request, account, task, gone);
      if (asked.ignored.length > 0) void reply.header('x-earshot-ignored', asked.ignored.join(', '));
      // A transcription may take longer than a connection's idle timeout.
      request.raw.socket.setTimeout(0);
      const stopped = AbortSignal.any([gone, closing]);
      const repeatable = request.headers['idempotency-key'] !== undefined;
      const ended = async (): Promise<FreeRunView> => {
        const leave = (): void => void cancel(account, id);
        if (!repeatable) stopped.addEventListener('abort', leave, { once: true });
        const view = await freeRuns.follow(id, mostWaitSeconds, 'ended', stopped);
        if (!stopped.aborted) stopped.removeEventListener('abort', leave);
        requireSuccess(view);
        return view;
      };
      if (asked.stream)
        return sendEvents(
          reply,
          asked,
          stopped,
          // Speakers are named in the whole transcript.
          (listener) => (asked.references.length > 0 ? () => undefined : said.hear(id, listener)),
          async () => readTranscript(await ended(), freeRuns),
        );
      return respond(reply, await ended(), asked, freeRuns);
    });

  /** Receives the form and orders the run. */
  async function order(
    request: FastifyRequest,
    account: Account,
    task: Task,
    gone: AbortSignal,
  ): Promise<{ readonly id: string; readonly asked: AskedFor }> {
    if (!request.isMultipart())
      throw badValue('body', 'a form (multipart/form-data) with file and model', undefined, 'the body');
    const admission = await freeRuns.admit(freeRuns.visitor(account, ''), tool, keepSeconds);
    try {
      const { file, asked } = await readForm(request, task, admission, gone);
      const id = await admission.start({
        inputs: { file_id: [file] },
        options: asked.options,
        format: 'json',
        // These programs would take a partial transcript for the whole.
        free: false,
        maxCredits: null,
        idempotencyKey: idempotencyKeyOf(request),
        references: asked.references,
      });
      return { id, asked };
    } finally {
      await admission.end();
    }
  }

  /**
   * For a client that has disconnected or will be told to retry: the official clients retry by themselves, and the user
   * must not be charged twice.
   */
  async function cancel(account: Account, id: string): Promise<void> {
    const view = await freeRuns.follow(id, 60, 'started', new AbortController().signal).catch(() => null);
    if (view?.job === null || view === null) return;
    await jobs.cancel(account, view.job.id).catch(() => undefined);
  }
}

async function readForm(
  request: FastifyRequest,
  task: Task,
  admission: Admission,
  gone: AbortSignal,
): Promise<{ readonly file: BroughtFile; readonly asked: AskedFor }> {
  const fields = new FieldReader(task);
  let file: BroughtFile | null = null;
  for await (const part of formParts(request, { parts: mostParts, valueBytes: mostBytesOf }, gone)) {
    if (part.kind === 'value') {
      if (part.truncated)
        throw badInput(part.name.replace(/\[\d*\]$/, ''), `at most ${mostBytesOf(part.name)} bytes`, 'more');
      fields.add(part.name, part.value);
      continue;
    }
    const { name, filename, contentType, body } = part;
    if (name !== 'file') {
      body.resume();
      continue;
    }
    if (file !== null) throw badInput('file', 'one file', 'several');
    file = await admission.receive({ filename, contentType, body, signal: gone });
    if (body.truncated) throw new EarshotError('file_too_large', 'The file was truncated during the upload');
  }
  if (file === null) throw badValue('file', 'a file in the form', undefined);
  return { file, asked: fields.finish() };
}

/** @throws EarshotError for a run without a transcript */
function requireSuccess({ run, job }: FreeRunView): void {
  if (run.status === 'refused' && run.error !== null) throw EarshotError.fromJSON(run.error);
  if (job?.status === 'failed' && job.error !== null) throw fromStored(job.error, { jobId: job.id });
  if (job?.status === 'cancelled')
    throw new EarshotError('conflict', `The job ${job.id} was cancelled`, { details: { jobId: job.id } });
  if (job?.status !== 'succeeded')
    throw new EarshotError('internal_error', 'The service is stopping; the transcription was cancelled', {
      retryable: true,
      details: { outage: true },
    });
}

/** Formats whose answer is one of the job's own files. */
const fileFormats: Readonly<Partial<Record<ResponseFormat, string>>> = { srt: 'srt', vtt: 'vtt' };

async function respond(
  reply: FastifyReply,
  view: FreeRunView,
  asked: AskedFor,
  freeRuns: Pick<FreeRuns, 'open'>,
): Promise<FastifyReply> {
  void reply.header('cache-control', 'private, no-store');
  const { format, task } = asked;
  const plain = fileFormats[format];
  if (plain !== undefined) {
    const { sizeBytes, read } = await openOutput(view, plain, freeRuns);
    return reply
      .type('text/plain; charset=utf-8')
      .header('content-length', sizeBytes)
      .send(await read());
  }
  const transcript = await readTranscript(view, freeRuns);
  if (format === 'text') return reply.type('text/plain; charset=utf-8').send(`${toJson(transcript).text}\n`);
  if (format === 'verbose_json') return reply.send(toVerboseJson(transcript, asked));
  return reply.send(format === 'diarized_json' ? toDiarizedJson(transcript, task) : toJson(transcript));
}

const readTranscript = async (view: FreeRunView, freeRuns: Pick<FreeRuns, 'open'>): Promise<Transcript> => {
  const { read } = await openOutput(view, 'json', freeRuns);
  return parseTranscript(await readText(await read()));
};

async function openOutput(
  { outputs }: FreeRunView,
  format: string,
  { open }: Pick<FreeRuns, 'open'>,
): ReturnType<FreeRuns['open']> {
  const output = outputs.find(({ file }) => file.format === format);
  if (output === undefined) throw new EarshotError('internal_error', `The transcript has no ${format} file`);
  return open(output.file);
}
