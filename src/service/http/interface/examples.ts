// The examples of openapi.json: one file and one job on it. A test validates every example against its schema.
import { voiceExamples, voiceId } from './voice-schemas.ts';
import { errorCatalogue, type ErrorCode } from '../../../library/core/errors/errors.ts';
import { toolIds } from '../../../library/contract/tool-ids.ts';

type Json = Readonly<Record<string, unknown>>;

const fileId = 'file_7Kq2mVx9BnT4';
const outputId = 'file_Zp3rW8sLd1Yc';
const jobId = 'job_4TgN6hQe0RuX';
const token = 'eyJ0IjoidXBsb2FkIn0.c2lnbmF0dXJl';
const base = 'https://audio.example.org';
const created = '2026-05-04T09:30:00.000Z';
const later = '2026-05-05T09:30:00.000Z';

/** A value for each tool. */
const byTool = (value: number): Json => Object.fromEntries(toolIds.map((id) => [id, value]));

const file: Json = {
  id: fileId,
  kind: 'original',
  status: 'ready',
  filename: 'interview.wav',
  contentType: 'audio/wav',
  sizeBytes: 11_796_524,
  durationSeconds: 61.44,
  format: 'wav',
  hasVideo: false,
  hasAudio: true,
  media: {
    codec: 'pcm_s16le',
    sampleRate: 48_000,
    channels: 2,
    width: null,
    height: null,
    tracks: [{ type: 'audio', codec: 'pcm_s16le', language: null, decodable: true, track: 1 }],
  },
  error: null,
  // Of 61 s.
  prices: { ...byTool(2), analyze_audio: 0, remove_fillers: 3 },
  sourceJobId: null,
  createdAt: created,
  expiresAt: later,
};
const awaited: Json = {
  ...file,
  status: 'awaiting_upload',
  durationSeconds: null,
  format: null,
  hasAudio: false,
  media: null,
  prices: null,
};
const output: Json = {
  ...file,
  id: outputId,
  kind: 'output',
  filename: 'interview.loudness.mp3',
  contentType: 'audio/mpeg',
  sizeBytes: 983_040,
  format: 'mp3',
  media: { codec: 'mp3', sampleRate: 48_000, channels: 2, width: null, height: null },
  sourceJobId: jobId,
};
const upload: Json = {
  method: 'PUT',
  url: `${base}/upload/${token}/file`,
  headers: { 'Content-Type': 'audio/wav' },
  expiresAt: later,
};
const job: Json = {
  id: jobId,
  tool: 'adjust_loudness',
  status: 'succeeded',
  progress: 1,
  stage: 'done',
  estimatedSecondsLeft: 0,
  outputs: [output],
  processedSeconds: 61.44,
  result: {
    target: 'podcast',
    targetLufs: -16,
    targetRmsDbfs: null,
    gainDb: 4.2,
    limited: false,
    input: { integratedLufs: -20.2, loudnessRangeLu: 5.1, truePeakDbtp: -6.3 },
    output: { integratedLufs: -16, loudnessRangeLu: 5.1, truePeakDbtp: -2.1 },
  },
  free: false,
  finishedBy: null,
  error: null,
  warnings: [],
  createdAt: created,
};
const tool: Json = {
  id: 'adjust_loudness',
  title: 'Set loudness',
  slug: 'loudness',
  description: 'Brings a recording to the loudness of a target.',
  creditsPerMinute: 1,
  free: { enabled: true, seconds: 180, dailyUses: 3 },
  input: { type: 'object', properties: { tool: { const: 'adjust_loudness' } } },
};
const ledgerEntry: Json = {
  id: 'led_8FvB2kMw5Nq7',
  kind: 'charge',
  credits: -2,
  balance: 998,
  jobId,
  paymentId: null,
  disputeId: null,
  createdAt: created,
};
const chainId = 'chain_2Wb7YkPq9LmS';
const step: Json = {
  name: 'loudness',
  tool: 'adjust_loudness',
  status: 'succeeded',
  progress: 1,
  results: [job['result']],
  processedSeconds: 61.44,
  credits: 2,
  warnings: [],
  error: null,
};
const chain: Json = {
  id: chainId,
  name: 'tidy',
  recipe: null,
  status: 'succeeded',
  progress: 1,
  stage: 'done',
  estimatedSecondsLeft: null,
  steps: [step],
  outputs: [{ ...output, filename: 'interview.tidy.mp3' }],
  settle: 'whole',
  price: 2,
  charged: 2,
  failedStep: null,
  error: null,
  warnings: [],
  createdAt: created,
};
const preset: Json = {
  name: 'my-show',
  chain: { steps: [{ tool: 'remove_noise' }, { tool: 'adjust_loudness', options: { target: 'podcast' } }] },
  createdAt: created,
};
const chainRequest: Json = {
  chain: { name: 'tidy', steps: [{ tool: 'adjust_loudness', options: { target: 'podcast' } }] },
  file_ids: [fileId],
  format: 'mp3',
};
const listOf = (...items: readonly Json[]): Json => ({ data: items, nextCursor: null });

const hookId = 'hook_2RqT8nVb5Kx1';
const eventId = 'evt_4f0c6a2d9b1e4c7f8a35d2e1b6c70f19';
const webhook: Json = {
  id: hookId,
  url: 'https://hooks.example.com/earshot',
  description: 'The newsroom',
  events: ['job.completed', 'job.failed'],
  enabled: true,
  offReason: null,
  failingSince: null,
  createdAt: created,
};
const webhookWithSecret: Json = { ...webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' };
const delivery: Json = {
  id: eventId,
  type: 'job.completed',
  subject: jobId,
  status: 'delivered',
  tries: 1,
  nextAt: null,
  triedAt: created,
  answerStatus: 204,
  answerMs: 84,
  answer: '',
  createdAt: created,
};

/** By shared schema. */
const examples: Readonly<Record<string, Json>> = {
  File: file,
  FileList: listOf(file),
  CreatedFile: { file: awaited, upload, multipart: null, uploadPageUrl: `${base}/upload/${token}` },
  NamedUpload: { file: awaited, upload, multipart: null },
  DownloadLink: {
    fileId: outputId,
    filename: 'interview.loudness.mp3',
    url: `${base}/f/${token}/interview.loudness.mp3`,
    expiresAt: later,
  },
  Quote: { tool: 'adjust_loudness', seconds: 61, credits: 2, free: { seconds: 61.44, usesLeftToday: 3 } },
  Job: job,
  JobList: listOf(job),
  Chain: chain,
  ChainList: listOf(chain),
  ChainRequest: { ...chainRequest, idempotency_key: 'interview-1' },
  ChainQuoteRequest: chainRequest,
  ChainQuote: {
    name: 'tidy',
    credits: 2,
    steps: [{ name: 'loudness', tool: 'adjust_loudness', seconds: 61, credits: 2 }],
  },
  ChainPreset: preset,
  SavePresetRequest: { chain: preset['chain'] },
  ChainPresetList: { data: [preset] },
  RecipeList: {
    data: [
      {
        name: 'audiobook',
        description: 'Removes the noise and brings the levels within the limits of ACX; writes MP3.',
        minFiles: 1,
        maxFiles: 1,
        options: {},
      },
    ],
  },
  FreeRun: {
    ...job,
    outputs: [{ ...output, url: `${base}/f/${token}/interview.loudness.mp3` }],
    free: true,
    statusUrl: `${base}/api/try/jobs/${jobId}?t=${token}`,
  },
  FreeUses: {
    tools: [
      {
        tool: 'adjust_loudness',
        slug: 'loudness',
        dailyUses: 3,
        usesLeft: 2,
        seconds: 180,
        resetsAt: '2026-11-21T00:00:00.000Z',
      },
    ],
    limits: { requestBytes: 104_857_600, uploads: 2, waiting: 3, waitSeconds: 30 },
    waiting: [],
  },
  Account: {
    balance: 998,
    balanceCents: 998,
    availableCents: 998,
    freeUsesLeft: { ...byTool(3), analyze_audio: 20 },
    prices: { ...byTool(1), analyze_audio: 0, remove_fillers: 2 },
    limits: { maxFileBytes: 5_368_709_120, maxSeconds: 36_000 },
  },
  LedgerList: listOf(ledgerEntry),
  AutoRefill: { enabled: false, thresholdCents: null, amountCents: null, monthlyCapCents: null, card: null },
  ToolList: listOf(tool),
  Peaks: {
    fileId,
    status: 'ready',
    durationSeconds: 61.44,
    peak: 0.71,
    levels: [{ perSecond: 5, count: 308 }],
    bins: { level: 5, first: 0, count: 2, data: '/wGAfw==' },
  },
  Transcript: {
    fileId: outputId,
    language: 'en',
    fromSeconds: 0,
    toSeconds: 300,
    durationSeconds: 61.44,
    speakerCount: 1,
    detail: 'concise',
    sentences: [{ startSeconds: 0.42, endSeconds: 2.1, text: 'Good morning, everybody.', speaker: 1 }],
    nextFromSeconds: null,
  },
  PartLinks: {
    links: [
      { part: 1, method: 'PUT', url: 'https://bucket.example.org/part-1?signature=c2lnbmF0dXJl', expiresAt: later },
    ],
  },
  PartReceipt: { part: 1 },
  TimelineRanges: { ranges: [[12.5, 61.2]], ignored: ['transitions'] },
  TimelineToRead: {
    timeline: 'TITLE: interview\n001  AX  AA  C  00:00:12:12 00:01:01:05 00:00:00:00 00:00:48:18\n',
    frameRate: 25,
  },
  Webhook: webhook,
  WebhookWithSecret: webhookWithSecret,
  WebhookList: listOf(webhook),
  WebhookDelivery: delivery,
  WebhookDeliveryList: listOf(delivery),
  CreateWebhookRequest: { url: 'https://hooks.example.com/earshot', events: ['job.completed', 'job.failed'] },
  UpdateWebhookRequest: { enabled: true },
  ...voiceExamples,
  QuoteRequest: { tool: 'adjust_loudness', fileIds: [fileId] },
  CreateFileRequest: { filename: 'interview.wav', sizeBytes: 11_796_524, contentType: 'audio/wav' },
  NameFileRequest: { filename: 'interview.wav', sizeBytes: 11_796_524 },
  PartLinksRequest: { parts: [1, 2] },
  ImportFileRequest: { url: 'https://media.example.com/interview.wav' },
};

/** Path and query parameters by name; those of links are tokens. */
const parameters: Readonly<Record<string, unknown>> = {
  token,
  filename: 'interview.loudness.mp3',
  n: '1',
  wait: 20,
  limit: 20,
  kind: 'output',
  format: 'otio',
  frameRate: 25,
  tool: 'adjust_loudness',
  level: 50,
  count: 1000,
  t: token,
  event: eventId,
  name: 'my-show',
};

/** Of a path, by what it is about. */
const idOf = (operationId: string): string =>
  /job|freerun/i.test(operationId)
    ? jobId
    : /voice/i.test(operationId)
      ? voiceId
      : /webhook/i.test(operationId)
        ? hookId
        : /chain/i.test(operationId)
          ? chainId
          : fileId;

/** Required options of the tools. */
const neededInputs: Readonly<Record<string, Json>> = {
  cut_audio: { ranges: [[12.5, 15]] },
  align_script: { text: 'Good morning, everybody.' },
  burn_captions: { captions_file_id: outputId },
};

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema & { readonly const?: string }>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
}
interface Content {
  schema: Schema;
  example?: unknown;
  examples?: unknown;
}
type ByMediaType = Record<string, Content> | undefined;

const nameOf = ({ $ref = '' }: Schema): string => $ref.split('/').at(-1) ?? '';

/** The body that starts one tool. */
function jobExample(schema: Schema): Json {
  const { properties = {} } = schema;
  const id = properties['tool']?.const ?? '';
  const files: Record<string, unknown> = {};
  if (properties['video_file_id']) Object.assign(files, { video_file_id: fileId, audio_file_id: outputId });
  else if (properties['tracks']) files['tracks'] = [{ file_id: fileId }, { file_id: outputId, role: 'music' }];
  else if (properties['file_ids']) files['file_ids'] = [fileId, outputId];
  else files['file_id'] = fileId;
  const own = properties['idempotency_key'] === undefined ? {} : { idempotency_key: 'interview-1' };
  return { tool: id, ...files, ...neededInputs[id], ...own };
}

function errorExample(description: string): Json {
  const first = description.split(', ', 1)[0] ?? '';
  // 416 has its own description.
  const code = (first in errorCatalogue ? first : 'bad_request') as ErrorCode;
  const { meaning, retryable, nextAction } = errorCatalogue[code];
  return { error: { code, message: meaning.replace(/\.$/, ''), retryable, nextAction } };
}

/** Adds examples to an operation of openapi.json: to its parameters, its body and each of its answers. */
export function addExamples(
  operation: Readonly<Record<string, unknown>>,
  schemas: Readonly<Record<string, Schema>>,
): void {
  const {
    operationId,
    parameters: named = [],
    requestBody,
    responses,
  } = operation as {
    readonly operationId: string;
    readonly parameters?: { readonly name: string; readonly in: string; example?: unknown }[];
    readonly requestBody?: { readonly content: ByMediaType };
    readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: ByMediaType }>>;
  };
  for (const parameter of named) {
    const example = parameter.name === 'id' ? idOf(operationId) : parameters[parameter.name];
    if (example !== undefined) parameter.example = example;
  }
  const body = requestBody?.content?.['application/json'];
  if (body?.schema.oneOf !== undefined)
    body.examples = Object.fromEntries(
      body.schema.oneOf.map((each) => {
        const value = jobExample(schemas[nameOf(each)] ?? {});
        return [value['tool'], { value }];
      }),
    );
  else if (body !== undefined && examples[nameOf(body.schema)] !== undefined)
    body.example = examples[nameOf(body.schema)];
  else if (body?.schema.properties !== undefined) body.example = linkExample(operationId, body.schema);
  for (const { description, content } of Object.values(responses)) {
    const answer = content?.['application/json'];
    if (answer === undefined) continue;
    const name = nameOf(answer.schema);
    const example = name === 'Error' ? errorExample(description) : examples[name];
    if (example !== undefined) answer.example = example;
  }
}

/** A request of the free API whose inputs are links. */
function linkExample(operationId: string, { properties = {} }: Schema): Json {
  const url = 'https://media.example.com/interview.wav';
  if (properties['video_url'] !== undefined) return { video_url: 'https://media.example.com/film.mp4', audio_url: url };
  const several = (properties['url'] as { readonly type?: string }).type === 'array';
  const tool = operationId === 'tryCutAudio' ? 'cut_audio' : operationId === 'tryAlignScript' ? 'align_script' : '';
  return { url: several ? [url, 'https://media.example.com/outro.wav'] : url, ...neededInputs[tool] };
}
