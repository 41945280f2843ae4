// Sends the bytes of a file to where its ticket says, and goes on after a break: parts that have arrived stay.
import type { FileRecord, MultipartUpload, Upload } from './api-types.ts';
import { ApiError, type ConnectionError } from './errors.ts';
import type { DirectLinks } from './part-links.ts';
import type { Call, Requests } from './request.ts';
import type { Part, ReadParts } from './upload-source.ts';

/** Where the bytes go: in one PUT, or in parts. */
export interface Ticket {
  readonly upload: Pick<Upload, 'url' | 'headers'> | null;
  readonly multipart: Omit<MultipartUpload, 'expiresAt'> | null;
}

/** How they are sent. */
export interface Sending extends Pick<Call, 'signal' | 'retry'> {
  readonly sizeBytes: number;
  /** May some have arrived through an earlier call? Then the service is asked which parts are missing. */
  readonly mayHaveArrived: boolean;
  /** 1 to 4. Default: 3 */
  readonly partsAtOnce?: number | undefined;
  /** Links to the object store itself. Default: none */
  readonly links?: DirectLinks;
  /** Bytes that have arrived or are on their way; fewer than before when a part is sent again. */
  onSent(sentBytes: number): void;
  /** Before the pause after which something is sent again. */
  readonly onRetry?: (failure: ApiError | ConnectionError) => void;
}

/** By default, no upload link is valid for longer. */
const uploadSeconds = 6 * 3600;
/** So often the same parts are sent for a service that then says they are missing. */
const mostRounds = 3;

/** @returns the file's record; null: where the bytes went does not tell it */
export async function sendInto(
  requests: Requests,
  read: ReadParts,
  { upload, multipart }: Ticket,
  sending: Sending,
): Promise<FileRecord | null> {
  sending.onSent(0);
  if (multipart !== null) return sendParts(requests, read, multipart, sending);
  if (upload === null) throw new ApiError('unexpected_answer', 'The service did not say where to send the file');
  return sendWhole(requests, read, upload, sending);
}

async function sendWhole(
  requests: Requests,
  read: ReadParts,
  { url, headers }: NonNullable<Ticket['upload']>,
  { sizeBytes, signal, retry, onSent, onRetry }: Sending,
): Promise<FileRecord | null> {
  const reader = read(sizeBytes, sizeBytes);
  let wasLost = false;
  try {
    const { value: only } = await reader.parts(new Set([1])).next();
    const response = await requests.send({
      method: 'PUT',
      to: url,
      headers,
      body: only?.bytes ?? new Uint8Array(0),
      signal,
      retry,
      timeoutSeconds: uploadSeconds,
      onSent: (sent) => onSent(Math.min(sent, sizeBytes)),
      onRetry(failure) {
        wasLost = true;
        onSent(0);
        onRetry?.(failure);
      },
    });
    onSent(sizeBytes);
    // An object store answers a PUT with an empty body.
    const isRecord = response.headers.get('content-type')?.includes('json') === true;
    return isRecord ? ((await response.json()) as FileRecord) : null;
  } catch (thrown) {
    // The bytes had arrived, and only the answer was lost.
    if (wasLost && isConflict(thrown)) return null;
    throw thrown;
  } finally {
    await reader.close();
  }
}

/** Also of an ApiError of another script of a page. */
const isConflict = (thrown: unknown): thrown is ApiError => (thrown as Partial<ApiError>).code === 'conflict';

async function sendParts(
  requests: Requests,
  read: ReadParts,
  multipart: NonNullable<Ticket['multipart']>,
  sending: Sending,
): Promise<FileRecord> {
  const { sizeBytes, signal, retry, onRetry } = sending;
  const { partSizeBytes, partCount, completeUrl } = multipart;
  if (partCount !== Math.ceil(sizeBytes / partSizeBytes))
    throw new ApiError(
      'unexpected_answer',
      `Expected parts for ${sizeBytes} bytes but the service asks for ${partCount} of ${partSizeBytes} bytes`,
    );
  const complete = async (): Promise<FileRecord | ReadonlySet<number>> => {
    try {
      return await requests.json<FileRecord>({
        method: 'POST',
        to: completeUrl,
        signal,
        retry,
        timeoutSeconds: 600,
        onRetry,
      });
    } catch (thrown) {
      if (!isConflict(thrown) || thrown.details?.['missingParts'] === undefined) throw thrown;
      return missingOf(thrown, partCount);
    }
  };
  const all = new Set(Array.from({ length: partCount }, (_, at) => at + 1));
  const reader = read(sizeBytes, partSizeBytes);
  try {
    let answer = sending.mayHaveArrived ? await complete() : all;
    for (let round = 1; answer instanceof Set; round++) {
      if (round > mostRounds)
        throw new ApiError(
          'unexpected_answer',
          `Sent all parts ${mostRounds} times, but the service says that it misses ${[...answer].join(', ')}`,
        );
      await sendRound(requests, multipart, answer, reader.parts(answer), sending);
      answer = await complete();
    }
    return answer as FileRecord;
  } finally {
    await reader.close();
  }
}

/** @throws ApiError when what it lists cannot be parts of this file */
function missingOf({ details }: ApiError, partCount: number): ReadonlySet<number> {
  const listed = details?.['missingParts'];
  const isPart = (part: unknown): boolean => Number.isInteger(part) && Number(part) >= 1 && Number(part) <= partCount;
  if (!Array.isArray(listed) || listed.length === 0 || !listed.every(isPart))
    throw new ApiError(
      'unexpected_answer',
      `Expected details.missingParts to list parts from 1 to ${partCount} but received ${JSON.stringify(listed)}`,
    );
  return new Set((listed as number[]).toSorted((a, b) => a - b));
}

/** Sends these parts, a few at a time; the others have arrived. */
async function sendRound(
  requests: Requests,
  { partSizeBytes, partCount, partUrl }: NonNullable<Ticket['multipart']>,
  wanted: ReadonlySet<number>,
  parts: AsyncGenerator<Part, void>,
  { sizeBytes, partsAtOnce = 3, signal, retry, links, onSent, onRetry }: Sending,
): Promise<void> {
  const bytesOf = (part: number): number =>
    part === partCount ? sizeBytes - (partCount - 1) * partSizeBytes : partSizeBytes;
  const sent = new Map<number, number>();
  for (let part = 1; part <= partCount; part++) sent.set(part, wanted.has(part) ? 0 : bytesOf(part));
  const tell = (part: number, bytes: number): void => {
    if (sent.get(part) === bytes) return;
    sent.set(part, bytes);
    onSent([...sent.values()].reduce((sum, each) => sum + each, 0));
  };
  if (wanted.size < partCount) onSent([...sent.values()].reduce((sum, each) => sum + each, 0));
  let failed = false;
  const sendPart = async ({ number, bytes }: Part): Promise<void> => {
    const put: Omit<Call, 'to'> = {
      method: 'PUT',
      body: bytes,
      signal,
      timeoutSeconds: uploadSeconds,
      onSent: (now) => tell(number, Math.min(now, bytesOf(number))),
      onRetry(failure) {
        tell(number, 0);
        onRetry?.(failure);
      },
    };
    const link = (await links?.of(number)) ?? null;
    const own: Call = { ...put, to: partUrl.replace('{n}', String(number)), retry };
    try {
      await requests.send(link === null ? own : { ...put, to: link });
    } catch (thrown) {
      if (signal?.aborted || failed) throw thrown;
      // Joined already, or no longer there: completing tells.
      if (link === null && isConflict(thrown)) return;
      if (link === null) throw thrown;
      // The store cannot be reached from this client; the service can reach it.
      links?.drop();
      await requests.send(own);
    }
    tell(number, bytesOf(number));
  };
  const lane = async (): Promise<void> => {
    for (;;) {
      const { value: part, done } = await parts.next();
      if (done || failed) return;
      await sendPart(part);
    }
  };
  const lanes = Array.from({ length: Math.min(4, Math.max(1, partsAtOnce)) }, () =>
    lane().catch((thrown: unknown) => {
      failed = true;
      throw thrown;
    }),
  );
  try {
    await Promise.all(lanes);
  } finally {
    // Nothing is sent after this returns.
    await Promise.allSettled(lanes);
  }
}
