import { create as contentDisposition } from 'content-disposition';
import type { FastifyInstance, FastifyReply } from 'fastify';
import * as Type from 'typebox/type';
import type { Static } from 'typebox/type';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { type FrameRate, framesOfTimecode } from '../../../library/core/timecode.ts';
import { arrange } from '../../../library/timeline/form/arrange.ts';
import { frameRateOf } from '../../../library/timeline/form/frames.ts';
import { stemOf } from '../../../library/timeline/form/media-url.ts';
import { timelineFormatNames, type TimelineSource } from '../../../library/timeline/form/timeline.ts';
import { timelineFormats } from '../../../library/timeline/write-timeline.ts';
import { arrangedInputs, arrangementOf, marksSentences } from '../../../library/tools/arranged.ts';
import { requireTool } from '../../../library/tools/registry.ts';
import type { Account } from '../../rules/accounts/account.ts';
import type { StoredFile } from '../../rules/files/stored-file.ts';
import type { Origin } from '../../rules/jobs/origins.ts';
import { answer, operation } from '../interface/operation.ts';
import { ref } from '../interface/schemas.ts';
import { accountOf } from '../server/context.ts';
import type { RouteDeps } from './deps.ts';
import { fileParams } from './files.ts';

const frameRate = Type.Optional(
  Type.Number({
    minimum: 1,
    maximum: 120,
    description: "Frames a second of formats that count them. Default: the recording's pictures'",
  }),
);

const TimelineQuery = Type.Object(
  {
    format: Type.Optional(
      Type.Enum(timelineFormatNames, {
        default: 'otio',
        description: 'OpenTimelineIO, Final Cut Pro, Premiere, CMX3600, Reaper, labels of Audacity, a table',
      }),
    ),
    frameRate,
  },
  { additionalProperties: false },
);

/** Some 550 clips of OpenTimelineIO; reading holds the thread, for FCPXML of that size 65 ms. */
const mostLetters = 600_000;

const TimelineBody = Type.Object(
  {
    timeline: Type.String({
      minLength: 1,
      maxLength: mostLetters,
      description: 'The text of an OpenTimelineIO, FCPXML or EDL (CMX3600) file',
    }),
    frameRate,
  },
  { additionalProperties: false, $id: 'TimelineToRead' },
);

/** What of a recording a timeline keeps. */
export const TimelineRangesSchema = Type.Object(
  {
    ranges: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
      description: '[start, end] in seconds, in order',
    }),
    ignored: Type.Array(Type.String(), { description: 'What it says besides, which a cut does not do' }),
  },
  { $id: 'TimelineRanges' },
);

type ById = { readonly Params: Static<typeof fileParams> };

/** Of its pictures; null: none, or a record of an earlier version, which does not have it. */
function rateOf({ hasVideo, media }: StoredFile): FrameRate | null {
  const perSecond = hasVideo ? (media?.frameRate ?? null) : null;
  return perSecond === null ? null : frameRateOf(perSecond);
}

function startOf({ media }: StoredFile, rate: FrameRate): number | null {
  const timecode = media?.timecode ?? null;
  return timecode === null ? null : framesOfTimecode(timecode, rate);
}

/**
 * By its name alone: programs look for it beside the timeline.
 * @param given frames a second, where the client says so
 */
function sourceOf(file: StoredFile, given: number | undefined): TimelineSource {
  const { id, filename, durationSeconds, media, hasVideo, hasAudio } = file;
  const rate = rateOf(file) ?? (given === undefined ? null : frameRateOf(given));
  if (hasVideo && rate === null)
    throw new EarshotError('bad_request', `The frame rate of ${id} is not known`, {
      nextAction: 'Give it as frameRate.',
      details: { field: 'frameRate', expected: 'frames a second of the recording' },
    });
  return {
    path: filename,
    name: filename,
    durationSeconds: durationSeconds ?? 0,
    sound: hasAudio ? { sampleRate: media?.sampleRate ?? 48_000, channels: media?.channels ?? 1 } : null,
    picture: rate === null ? null : { width: media?.width ?? 1920, height: media?.height ?? 1080, rate },
    startFrames: rate === null ? null : startOf(file, rate),
  };
}

/** Timelines for editing programs: of results, and back as ranges. */
export function timelineRoutes(app: FastifyInstance, { service }: RouteDeps): void {
  app.addSchema(TimelineBody);

  /** All that was said; null: the run has written no transcript. */
  const transcriptOf = async (account: Account, { tool, outputs }: Origin) => {
    const json = marksSentences(tool) ? outputs.find(({ format }) => format === 'json') : undefined;
    if (json === undefined) return null;
    return service.transcripts.window(account, json.id, { from: 0, to: Number.MAX_SAFE_INTEGER, detail: 'concise' });
  };

  app.route<ById & { Querystring: Static<typeof TimelineQuery> }>({
    method: 'GET',
    url: '/api/v1/files/:id/timeline',
    ...operation({
      operationId: 'getTimeline',
      summary: 'What a job did, for editing programs',
      description:
        'Of a result that was cut, joined, mixed or written down: the recordings that it was made of, by their names, ' +
        'with each cut to be moved. Svc-Timeline-Without names what the format cannot hold.',
      tag: 'Files',
      access: 'account',
      openPoint: true,
      params: fileParams,
      query: TimelineQuery,
      answers: {
        200: Type.Unsafe({
          description: 'The timeline',
          headers: {
            'Svc-Timeline-Without': {
              description: 'What of it the format cannot hold; absent where it holds all',
              schema: { type: 'string' },
            },
          },
          content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
        }),
      },
      errors: ['not_found', 'file_expired', 'file_not_ready', 'file_invalid', 'wrong_file_type'],
    }),
    handler: async (request, reply): Promise<FastifyReply> => {
      const account = accountOf(request);
      const { format = 'otio', frameRate: perSecond } = request.query;
      const { file, origin } = await service.origins.of(account, request.params.id);
      const inputs = Object.keys(requireTool(origin.tool).inputs).flatMap((field) => origin.inputs[field] ?? []);
      const used = inputs.slice(0, arrangedInputs(origin, inputs.length));
      const arrangement = arrangementOf(origin, used[0]?.durationSeconds ?? 0, await transcriptOf(account, origin));
      const sources = used.map((input) => sourceOf(input, perSecond));
      const given = perSecond === undefined ? {} : { frameRate: perSecond };
      const { timeline, leftOut } = arrange(sources, arrangement, given);
      const { extension, contentType, write } = timelineFormats[format];
      const written = write(timeline);
      const without = [...leftOut, ...written.leftOut];
      if (without.length > 0) void reply.header('svc-timeline-without', without.join(', '));
      return reply
        .header('content-disposition', contentDisposition(`${stemOf(file.filename)}.${extension}`))
        .type(contentType)
        .send(written.text);
    },
  });

  app.route<ById & { Body: Static<typeof TimelineBody> }>({
    method: 'POST',
    url: '/api/v1/files/:id/timeline',
    ...operation({
      operationId: 'readTimeline',
      summary: 'What an edited timeline keeps of a recording',
      description: 'The ranges are those of cut_audio with mode keep. Nothing is stored.',
      tag: 'Files',
      access: 'account',
      openPoint: true,
      params: fileParams,
      body: TimelineBody,
      answers: { 200: answer(ref(TimelineRangesSchema), 'The ranges') },
      errors: ['not_found', 'file_expired', 'file_not_ready', 'file_invalid', 'ranges_outside'],
    }),
    handler: async (request): Promise<Static<typeof TimelineRangesSchema>> => {
      const { timeline, frameRate: perSecond } = request.body;
      const file = await service.files.get(accountOf(request), request.params.id, 0);
      // Of an EDL alone: what reads XML is loaded with the first timeline.
      const { rangesOfText } = await import('../../../library/timeline/read/ranges.ts');
      const rate = perSecond === undefined ? rateOf(file) : frameRateOf(perSecond);
      const clockFrames = (rate === null ? null : startOf(file, rate)) ?? 0;
      const { filename: name, durationSeconds } = file;
      const { ranges, ignored } = rangesOfText(timeline, { name, durationSeconds, rate, clockFrames });
      return { ranges: ranges.map(([start, end]) => [start, end]), ignored: [...ignored] };
    },
  });
}
