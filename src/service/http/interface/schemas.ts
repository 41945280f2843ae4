import * as Type from 'typebox/type';
import type { Static, TObject, TProperties, TSchema, TUnsafe } from 'typebox/type';
import { errorCatalogue } from '../../../library/core/errors/errors.ts';
import { toolIds, type ToolId } from '../../../library/contract/tool-ids.ts';

/** The shapes of the interface, in JSON Schema. Shared ones have an $id and become components of openapi.json. */

/**
 * Marks a property that the contract does not show. Must be inside Type.Optional, whose mark a copy would lose.
 */
const openPoint = <S extends TSchema>(schema: S): S => ({ ...schema, 'x-open-point': true });

/** The schema or null. */
export const nullable = <S extends TSchema & { readonly type?: string }>(schema: S): TUnsafe<Static<S> | null> =>
  Type.Unsafe({ ...schema, type: [schema.type, 'null'] });

export const text = (description: string): ReturnType<typeof Type.String> => Type.String({ description });
export const time = (description: string): ReturnType<typeof Type.String> =>
  Type.String({ format: 'date-time', description });
export const integer = (description: string): ReturnType<typeof Type.Integer> => Type.Integer({ description });
export const number = (description: string): ReturnType<typeof Type.Number> => Type.Number({ description });

/** An object with required properties. */
export const record = <P extends TProperties>(
  properties: P,
  options: { $id?: string; description?: string } = {},
): TObject<P> => Type.Object(properties, options);

const ref = <S extends TSchema & { readonly $id?: string }>(schema: S): TUnsafe<Static<S>> =>
  Type.Unsafe({ $ref: `${schema.$id}#` });

/** A shared schema or null. Generators of clients lose the null of an object that is written out in place. */
const orNull = <S extends TSchema & { readonly $id?: string }>(
  schema: S,
  description: string,
): TUnsafe<Static<S> | null> => Type.Unsafe({ anyOf: [{ $ref: `${schema.$id}#` }, { type: 'null' }], description });

export const toolId = Type.Enum([...toolIds], { description: 'Identifier of the tool' });

/** A number for each tool. */
const byTool = (description: string, $id?: string): TUnsafe<Record<ToolId, number>> & { readonly $id?: string } =>
  Type.Unsafe({
    ...($id === undefined ? {} : { $id }),
    type: 'object',
    description,
    properties: Object.fromEntries(toolIds.map((id) => [id, { type: 'integer', minimum: 0 }])),
    required: [...toolIds],
  });

const ErrorCodeSchema = Type.Enum(Object.keys(errorCatalogue));

const ErrorSchema = record(
  {
    error: record({
      code: ErrorCodeSchema,
      message: text('What went wrong'),
      retryable: Type.Boolean({ description: 'May the same request succeed later?' }),
      nextAction: Type.Optional(text('What to do')),
      details: Type.Optional(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })),
    }),
  },
  { $id: 'Error' },
);

const ErrorRecord = record({ code: ErrorCodeSchema, message: text('What is wrong') }, { $id: 'ErrorRecord' });
export const problem = orNull(ErrorRecord, 'What went wrong; null: nothing');

const TrackSchema = record(
  {
    type: Type.Enum(['audio', 'video', 'cover', 'subtitle', 'data', 'attachment', 'unknown']),
    codec: text('FFmpeg name of the codec; of data, the name in the container, such as gpmd'),
    language: nullable(text('ISO 639-2, such as deu; null where the file states none')),
    decodable: Type.Boolean({ description: 'Can it be worked on? Others are copied, or left out and named' }),
    track: nullable(integer('Of sound: its number from 1, as the option track takes it')),
  },
  { $id: 'Track' },
);

const FileMedia = record(
  {
    codec: nullable(text('Audio codec; null without sound')),
    sampleRate: nullable(integer('Hz; null without sound')),
    channels: nullable(integer('Audio channels; null without sound')),
    width: nullable(integer('Pixels; null without video')),
    height: nullable(integer('Pixels; null without video')),
    tracks: Type.Optional(
      openPoint(
        Type.Array(ref(TrackSchema), {
          description: 'All tracks, in the order of the file; absent where they are not known',
        }),
      ),
    ),
  },
  { $id: 'FileMedia' },
);

const FilePrices = byTool('Credits by tool', 'FilePrices');

export const FileRecord = record(
  {
    id: Type.String({ pattern: '^file_[0-9A-Za-z]+$', maxLength: 100, description: 'Identifier of the file' }),
    kind: Type.Enum(['original', 'output'], { description: 'original (an upload) or output (a result)' }),
    status: Type.Enum(['awaiting_upload', 'processing', 'ready', 'invalid', 'deleted'], {
      description: 'processing: being checked; ready: can be used; invalid: see error',
    }),
    filename: text('Name with extension'),
    contentType: text('Media type, from the upload or from the check'),
    sizeBytes: nullable(integer('Bytes; null until they have arrived')),
    durationSeconds: nullable(number('Length; null until the file is checked, and for text files')),
    format: nullable(text('Container, such as wav or mp4; null until the file is checked')),
    hasVideo: Type.Boolean({ description: 'Does it have a video stream?' }),
    hasAudio: Type.Boolean({ description: 'False for a video without sound; only replace_audio accepts such a file' }),
    media: orNull(FileMedia, 'Filled once the file is checked; null for text files'),
    error: problem,
    prices: orNull(FilePrices, 'Credits by tool for this file; null until its length is known'),
    sourceJobId: nullable(text('The job that made this output; null for uploads')),
    createdAt: time('Time of creation, ISO 8601'),
    expiresAt: time('When the file is deleted, ISO 8601'),
  },
  { $id: 'File' },
);

export const UploadSchema = record(
  {
    method: Type.Literal('PUT'),
    url: text('Where to PUT the bytes'),
    headers: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Headers that the PUT must carry',
    }),
    expiresAt: time('When the link expires, ISO 8601'),
  },
  { $id: 'Upload' },
);

export const MultipartSchema = record(
  {
    partSizeBytes: integer('Every part has this size except the last'),
    partCount: integer('Number of parts'),
    partUrl: text('PUT target; {n} is replaced by the part number counting from 1'),
    completeUrl: text('POST here once all parts are in'),
    expiresAt: time('When the link expires, ISO 8601'),
  },
  { $id: 'MultipartUpload' },
);

const instructions = {
  file: ref(FileRecord),
  upload: orNull(UploadSchema, 'Upload in one PUT; null above 16 MB, and until the file is named'),
  multipart: orNull(MultipartSchema, 'Multipart upload; null for smaller files, and until the file is named'),
};
export const NamedUpload = record(instructions, { $id: 'NamedUpload' });
export const CreatedFile = record(
  { ...instructions, uploadPageUrl: text('A page where a person can upload the file') },
  { $id: 'CreatedFile' },
);

/** A page of a list, newest first. */
export const list = <S extends TSchema & { readonly $id?: string }>(item: S, $id: string) =>
  record(
    { data: Type.Array(ref(item)), nextCursor: nullable(text('Pass it as cursor for the next page; null at the end')) },
    { $id },
  );

export const FileList = list(FileRecord, 'FileList');

export const DownloadLink = record(
  {
    fileId: text('Identifier of the file'),
    filename: text('Name of the download'),
    url: text('Link to the bytes'),
    expiresAt: time('When the link expires, ISO 8601'),
  },
  { $id: 'DownloadLink' },
);

export const QuoteSchema = record(
  {
    tool: toolId,
    seconds: integer('Billed length, rounded to the nearest second'),
    credits: integer('Price to process all of it'),
    free: record({ seconds: number('How much a free run processes'), usesLeftToday: integer('Free uses left today') }),
  },
  { $id: 'Quote' },
);

export const JobRecord = record(
  {
    id: openPoint(Type.String({ pattern: '^job_[0-9A-Za-z]+$', maxLength: 100, description: 'Identifier of the job' })),
    tool: openPoint(toolId),
    status: Type.Enum(['queued', 'running', 'succeeded', 'failed', 'cancelled'], {
      description: 'succeeded, failed and cancelled are final',
    }),
    progress: Type.Number({ minimum: 0, maximum: 1, description: '0 to 1' }),
    stage: text('Current stage, a short word'),
    estimatedSecondsLeft: nullable(number('Estimate in seconds; null until there is one')),
    outputs: Type.Array(ref(FileRecord), { description: 'Files that the job made' }),
    processedSeconds: nullable(number('Seconds of the input that were processed; null until known')),
    result: openPoint(
      nullable(
        Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: true,
          description:
            "The tool's result, the same object as in the library and on the command line; null until the job " +
            'succeeds, after the retention time, and in lists if it is longer than 32 KiB',
        }),
      ),
    ),
    free: Type.Boolean({ description: 'Whether only the free part ran' }),
    finishedBy: nullable(text('Names the whole-file job of a free run, once paid; null: none')),
    error: openPoint(problem),
    warnings: openPoint(
      Type.Array(
        record({ code: text('Code of the warning, such as truncated'), message: text('The warning as text') }),
        {
          description: 'Warnings of a successful job: its file was truncated, its target was not reached, ...',
        },
      ),
    ),
    createdAt: openPoint(time('Time of creation, ISO 8601')),
  },
  { $id: 'Job' },
);
export const JobList = list(JobRecord, 'JobList');

export const AccountSchema = record(
  {
    balance: openPoint(integer('Credits, including those reserved by jobs')),
    balanceCents: integer('The balance in US cents (1 credit = 1 US cent)'),
    availableCents: integer('The balance without the credits reserved by jobs, in US cents'),
    freeUsesLeft: openPoint(byTool('Free uses left today')),
    prices: openPoint(byTool('Credits per minute')),
    limits: openPoint(
      Type.Unsafe<Record<string, number>>({
        type: 'object',
        additionalProperties: { type: 'number' },
        description: 'Limits of the account, by name with unit',
      }),
    ),
  },
  { $id: 'Account' },
);

export const LedgerEntrySchema = record(
  {
    id: openPoint(text('Identifier of the entry')),
    kind: openPoint(
      Type.Enum(['grant', 'purchase', 'adjustment', 'charge'], {
        description: 'Reason of the entry; only a charge has a job',
      }),
    ),
    credits: openPoint(integer('Signed change of the balance')),
    balance: openPoint(integer('Balance in credits after it')),
    jobId: openPoint(nullable(text('The job of a charge; null for other entries'))),
    paymentId: openPoint(
      nullable(text('The payment of a purchase, of its refunds and disputes; null for other entries')),
    ),
    disputeId: openPoint(
      nullable(
        text("The dispute of that payment by the provider's id, or by the payment's where that is unknown; null: none"),
      ),
    ),
    createdAt: openPoint(time('When it was posted, ISO 8601')),
  },
  { $id: 'LedgerEntry' },
);
export const LedgerList = list(LedgerEntrySchema, 'LedgerList');

const Card = record({ brand: text('Such as visa'), last4: text('Last four digits') }, { $id: 'Card' });

export const AutoRefillSchema = record(
  {
    enabled: openPoint(Type.Boolean({ description: 'Is auto-refill switched on?' })),
    thresholdCents: nullable(integer('Refills below this balance, at least 0 US cents; null: not set')),
    amountCents: nullable(integer('Amount of one refill, at least 0 US cents; null: not set')),
    monthlyCapCents: nullable(integer('Most that is added in one month, at least 0 US cents; null: not set')),
    card: openPoint(orNull(Card, 'The card to charge; null: none')),
  },
  { $id: 'AutoRefill' },
);

export const ToolDescriptor = record(
  {
    id: toolId,
    title: text('Name of the tool, for display'),
    slug: text('The free API path segment: /api/try/<slug>'),
    description: text('What it does'),
    creditsPerMinute: integer('Price per minute; 1 credit = 1 US cent'),
    free: record({
      enabled: Type.Boolean({ description: 'Is there a free tier for this tool?' }),
      seconds: nullable(number('Seconds of a file that a free run processes; null means the whole file')),
      dailyUses: integer('Free uses per day per person; resets at midnight UTC'),
    }),
    input: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: "The tool's input as JSON Schema, as POST /api/v1/jobs takes it",
    }),
  },
  { $id: 'Tool' },
);
export const ToolList = list(ToolDescriptor, 'ToolList');

const PeakBins = record(
  {
    level: integer('Bins per second'),
    first: integer('Index of the first bin, from 0'),
    count: integer('Number of bins'),
    data: text('Base64 of count pairs of signed bytes, minimum then maximum'),
  },
  { $id: 'PeakBins' },
);

export const PeaksSchema = record(
  {
    fileId: text('Identifier of the file'),
    status: Type.Enum(['processing', 'ready', 'none'], { description: 'none: no sound to draw' }),
    durationSeconds: nullable(number('Length of the decoded sound; null until ready')),
    peak: nullable(number('Loudest sample, 0 to 1; null until ready')),
    levels: Type.Array(record({ perSecond: integer('Bins per second'), count: integer('Bins in all') }), {
      description: 'Levels that can be requested',
    }),
    bins: orNull(PeakBins, 'The requested window; null without level, and until ready'),
  },
  { $id: 'Peaks' },
);

const Word = record({
  text: text('The word as it is written'),
  startSeconds: number('Start of the word'),
  endSeconds: number('End of the word'),
  speaker: Type.Optional(Type.Integer({ minimum: 1, description: 'From 1, in the order in which people first speak' })),
  matched: Type.Optional(
    Type.Boolean({ description: 'In an aligned script, false: the word was not found in the recording' }),
  ),
});

export const TranscriptSchema = record(
  {
    fileId: text('Identifier of the file'),
    language: text('Language code, such as en'),
    fromSeconds: number('Start of the window'),
    toSeconds: number('End of the window'),
    durationSeconds: number('Length of the whole transcript'),
    speakerCount: nullable(
      Type.Integer({ minimum: 0, description: 'Speakers in the whole transcript; null without speaker labels' }),
    ),
    detail: Type.Enum(['concise', 'full'], { description: 'full: with words' }),
    sentences: Type.Array(
      record({
        startSeconds: number('Start of the sentence'),
        endSeconds: number('End of the sentence'),
        text: text('Words of the sentence'),
        speaker: nullable(
          Type.Integer({
            minimum: 1,
            description: 'From 1, in the order in which people first speak; null without speaker labels',
          }),
        ),
        words: Type.Optional(Type.Array(Word, { description: 'For full detail' })),
      }),
    ),
    events: Type.Optional(
      openPoint(
        Type.Array(
          record({
            startSeconds: number('Start of the sound'),
            endSeconds: number('End of the sound'),
            sound: text('Such as music, applause or dog'),
            score: number('How sure, from 0 to 1'),
          }),
          { description: 'What else is heard in the window, where the transcript was made with sound_events' },
        ),
      ),
    ),
    nextFromSeconds: nullable(number('Where to continue reading; null at the end')),
  },
  { $id: 'Transcript' },
);

export const PartReceipt = record({ part: integer('The part that has arrived') }, { $id: 'PartReceipt' });

export const PartLinks = record(
  {
    links: Type.Array(
      record({
        part: integer('Number of the part, counting from 1'),
        method: Type.Literal('PUT'),
        url: text('PUT target of this part'),
        expiresAt: time('When the link expires, ISO 8601'),
      }),
      { description: 'One for each part that was asked for, or none' },
    ),
  },
  { $id: 'PartLinks' },
);

export const components: readonly TSchema[] = [
  ErrorSchema,
  ErrorRecord,
  FileMedia,
  TrackSchema,
  FilePrices,
  Card,
  PeakBins,
  FileRecord,
  FileList,
  UploadSchema,
  MultipartSchema,
  NamedUpload,
  CreatedFile,
  DownloadLink,
  QuoteSchema,
  JobRecord,
  JobList,
  AccountSchema,
  LedgerEntrySchema,
  LedgerList,
  AutoRefillSchema,
  ToolDescriptor,
  ToolList,
  PeaksSchema,
  TranscriptSchema,
  PartReceipt,
  PartLinks,
];

export { ref };

const cursor = Type.String({ minLength: 1, maxLength: 1000, description: 'nextCursor of the previous page' });
const limit = Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Items per page' });

/** Query of the files list. */
export const pageQuery = { cursor: Type.Optional(cursor), limit: Type.Optional(limit) };
/** The same for lists whose query the contract does not show. */
export const openPageQuery = { cursor: Type.Optional(openPoint(cursor)), limit: Type.Optional(openPoint(limit)) };
