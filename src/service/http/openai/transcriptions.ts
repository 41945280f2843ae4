import { idempotencyKeyOf } from '../interface/idempotency-key.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { badInput, badValue, usualOptionBytes } from '../../../library/core/checks/schema.ts';
import type { Admission, BroughtFile, FreeRuns, FreeRunView } from '../../rules/free-runs/free-run-use-cases.ts';
import type { Account } from '../../rules/accounts/account.ts';
import { accountOf, clientSignal } from '../server/context.ts';
import type { DialectScope } from '../server/dialect.ts';
import { formParts } from '../server/form-parts.ts';
import { toDiarizedJson, toJson, toVerboseJson } from './answers.ts';
import type { OpenaiDeps } from './deps.ts';
import { type AskedFor, FieldReader, type ResponseFormat, type Task } from './fields.ts';
import { mostReferenceBytes } from './known-speakers.ts';
import { ended, keepSeconds, openOutput, readTranscript, tool } from './runs.ts';
import { sendEvents } from './stream.ts';

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
  const { freeRuns, said } = service;

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
      const finished = (): Promise<FreeRunView> => ended(service, account, id, stopped, repeatable);
      if (asked.stream)
        return sendEvents(
          reply,
          asked,
          stopped,
          // Speakers are named in the whole transcript.
          (listener) => (asked.references.length > 0 ? () => undefined : said.hear(id, listener)),
          async () => readTranscript(await finished(), freeRuns),
        );
      return respond(reply, await finished(), asked, freeRuns);
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
