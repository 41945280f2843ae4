import type { FastifyInstance } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { accountOf, readWaiting } from '../server/context.ts';
import { answer, operation } from '../interface/operation.ts';
import type { RouteDeps } from './deps.ts';
import { peaksRecord } from '../interface/records.ts';
import { PeaksSchema, ref, TranscriptSchema } from '../interface/schemas.ts';
import { fileParams, waitSeconds } from './files.ts';

const PeaksQuery = Type.Object(
  {
    wait: waitSeconds,
    level: Type.Optional(
      Type.Unsafe<5 | 50 | 500>({
        type: 'integer',
        enum: [5, 50, 500],
        description: 'Bins per second; without it only the description comes back',
      }),
    ),
    first: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0, description: 'First bin' }),
    ),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 16_384, default: 4096, description: 'Number of bins' })),
  },
  { additionalProperties: false },
);

const TranscriptQuery = Type.Object(
  {
    from: Type.Optional(Type.Number({ minimum: 0, default: 0, description: 'Seconds' })),
    to: Type.Optional(Type.Number({ minimum: 0, description: 'Seconds. Default: from + 300' })),
    detail: Type.Optional(Type.Enum(['concise', 'full'], { default: 'concise', description: 'full lists the words' })),
  },
  { additionalProperties: false },
);

type ById = Static<typeof fileParams>;

/** Waveforms and transcripts of files. */
export function mediaRoutes(app: FastifyInstance, { service, closing }: RouteDeps): void {
  app.route<{ Params: ById; Querystring: Static<typeof PeaksQuery> }>({
    method: 'GET',
    url: '/api/v1/files/:id/peaks',
    ...operation({
      operationId: 'getPeaks',
      summary: 'Waveform peaks',
      description: 'Made on the first request, which answers processing; ask again with wait.',
      tag: 'Files',
      access: 'account',
      params: fileParams,
      query: PeaksQuery,
      answers: { 200: answer(ref(PeaksSchema), 'The peaks') },
      errors: ['not_found', 'file_not_ready', 'file_invalid', 'file_expired', 'wrong_file_type'],
    }),
    handler: async (request, reply): Promise<Static<typeof PeaksSchema>> => {
      const account = accountOf(request);
      const { wait = 0, level = null, first = 0, count = 4096 } = request.query;
      const view = await readWaiting(reply, closing, wait, (waitSeconds, signal) =>
        service.peaks.get(account, request.params.id, { waitSeconds, level, first, count }, signal),
      );
      return peaksRecord(view);
    },
  });

  app.route<{ Params: ById; Querystring: Static<typeof TranscriptQuery> }>({
    method: 'GET',
    url: '/api/v1/files/:id/transcript',
    ...operation({
      operationId: 'getTranscript',
      summary: 'A window of a transcript',
      tag: 'Files',
      access: 'account',
      params: fileParams,
      query: TranscriptQuery,
      answers: { 200: answer(ref(TranscriptSchema), 'The window') },
      errors: ['not_found', 'file_not_ready', 'file_invalid', 'file_expired', 'wrong_file_type'],
    }),
    handler: async (request): Promise<Static<typeof TranscriptSchema>> => {
      const { from = 0, to = null, detail = 'concise' } = request.query;
      const window = await service.transcripts.window(accountOf(request), request.params.id, { from, to, detail });
      const {
        fileId,
        language,
        fromSeconds,
        toSeconds,
        durationSeconds,
        speakerCount,
        sentences,
        events,
        nextFromSeconds,
      } = window;
      return {
        fileId,
        language,
        fromSeconds,
        toSeconds,
        durationSeconds,
        speakerCount,
        detail: window.detail,
        sentences: sentences.map(({ startSeconds, endSeconds, text, speaker, words }) => ({
          startSeconds,
          endSeconds,
          text,
          speaker,
          ...(words === undefined ? {} : { words: [...words] }),
        })),
        ...(events === undefined ? {} : { events: [...events] }),
        nextFromSeconds,
      };
    },
  });
}
