// Sends a file to the account that is signed in: in parts, of which those that have arrived are not sent again.
import type { RunOutput } from '../bench-data.ts';
import { ask, json, newKey, ownAddress, type Problem, problemOf, Refusal, transfer, unreachable } from './requests.ts';

/** A file of the account: the fields of its record that pages show. */
export interface OwnFile extends Omit<RunOutput, 'url'> {
  readonly status: 'awaiting_upload' | 'processing' | 'ready' | 'invalid' | 'deleted';
  readonly error: Problem | null;
  /** ISO 8601 time. */
  readonly createdAt: string;
}

interface Ticket {
  readonly file: OwnFile;
  readonly multipart: {
    readonly partSizeBytes: number;
    readonly partCount: number;
    readonly partUrl: string;
    readonly completeUrl: string;
  } | null;
  readonly uploadPageUrl: string;
}

export type UploadState =
  | { readonly name: 'sending'; readonly share: number; readonly isLost: boolean }
  /** The service gets it from its link, and checks it. */
  | { readonly name: 'fetching' }
  /** It has arrived. */
  | { readonly name: 'checking' };

export interface Uploading {
  readonly signal: AbortSignal;
  onState(state: UploadState): void;
}

const partsAtOnce = 3;
/** Longest pause before a try, seconds. */
const longestPause = 15;
/** Tries of what the service itself refuses; a lost connection is waited for without end. */
const mostTries = 8;

/**
 * Sends a file and waits until it is checked. The same file is not sent twice: what has arrived through an earlier page
 * is kept.
 * @param api address of the REST API
 * @throws Refusal, AbortError
 */
export async function upload(api: string, file: File, uploading: Uploading): Promise<OwnFile> {
  const { signal, onState } = uploading;
  let share = 0;
  const say = (isLost: boolean): void => onState({ name: 'sending', share, isLost });
  const patiently = <Answer>(act: () => Promise<Answer>): Promise<Answer> =>
    untilAnswered(act, signal, () => say(true));
  say(false);
  const { file: made, multipart, uploadPageUrl } = await patiently(() => open(api, file, signal));
  if (made.status !== 'awaiting_upload') return checked(api, made.id, uploading);
  const send = (url: string, bytes: Blob, onSent: (share: number) => void): Promise<unknown> =>
    patiently(() => transfer(url, bytes, { method: 'PUT', headers: {}, signal, onSent }));
  try {
    if (multipart === null)
      // Not the link to the store itself: the page may send to its own host only.
      await send(`${ownAddress(uploadPageUrl)}/file`, file, (sent) => {
        share = sent;
        say(false);
      });
    else {
      const { partSizeBytes, partCount, partUrl, completeUrl } = multipart;
      const sent = Array.from({ length: partCount }, () => 1);
      const bytesOf = (part: number): Blob => file.slice((part - 1) * partSizeBytes, part * partSizeBytes);
      const tell = (part: number, now: number): void => {
        sent[part - 1] = now;
        share = sent.reduce((sum, each, at) => sum + each * bytesOf(at + 1).size, 0) / file.size;
        say(false);
      };
      const complete = (): Promise<readonly number[]> =>
        patiently(() => ask(ownAddress(completeUrl), { method: 'POST', signal })).then(
          () => [],
          (thrown: unknown) => {
            const { details } = problemOf(thrown);
            if (details?.missingParts === undefined) throw thrown;
            return details.missingParts;
          },
        );
      for (let missing = await complete(); missing.length > 0; missing = await complete()) {
        const queue = [...missing];
        for (const part of queue) sent[part - 1] = 0;
        const lane = async (): Promise<void> => {
          for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
            const now = part;
            const url = ownAddress(partUrl.replace('{n}', String(now)));
            await send(url, bytesOf(now), (done) => tell(now, done));
            tell(now, 1);
          }
        };
        // When one fails, the others end with the part that they are sending.
        await Promise.all(
          Array.from({ length: partsAtOnce }, () =>
            lane().catch((thrown: unknown) => {
              queue.splice(0);
              throw thrown;
            }),
          ),
        );
      }
    }
  } catch (thrown) {
    if (signal.aborted) void stopArrival(api, made.id);
    throw thrown;
  }
  return checked(api, made.id, uploading);
}

/** A file by its link: the service fetches it. @throws Refusal, AbortError */
export async function importLink(api: string, url: string, { signal, onState }: Uploading): Promise<OwnFile> {
  onState({ name: 'fetching' });
  // The request is not ended with the page's wish: its answer names what has to be stopped, else the next link waits.
  const made = ask<OwnFile>(`${api}/files/import`, json('POST', { url }));
  const stop = (): void => void made.then(({ id }) => stopArrival(api, id)).catch(() => undefined);
  signal.addEventListener('abort', stop);
  try {
    const { id } = await unlessAborted(made, signal);
    return await checked(api, id, { signal, onState: () => undefined });
  } finally {
    // Of a file that is there nothing is stopped.
    if (!signal.aborted) signal.removeEventListener('abort', stop);
  }
}

/** Of a file that is not needed any more: the service keeps a place for one that is under way. */
const stopArrival = (api: string, id: string): Promise<unknown> =>
  fetch(`${api}/files/${id}/abort`, { method: 'POST' }).catch(() => undefined);

const cancelled = (): DOMException => new DOMException('Cancelled', 'AbortError');

/** @throws AbortError as soon as it is aborted, while the promise goes on */
function unlessAborted<Answer>(promise: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    promise.then(resolve, reject);
    signal.addEventListener('abort', () => reject(cancelled()), { once: true });
  });
}

/** Creates the file, or finds the one that was created for the same bytes before. */
async function open(api: string, file: File, signal: AbortSignal): Promise<Ticket> {
  const body = { filename: file.name.slice(0, 255), sizeBytes: file.size, contentType: file.type.slice(0, 100) };
  const create = (idempotencyKey: string): Promise<Ticket> =>
    ask<Ticket>(`${api}/files`, { ...json('POST', { ...body, idempotencyKey }), signal });
  const usable = ['awaiting_upload', 'processing', 'ready'];
  // What a browser tells of a file on the disk, which changes when the file does.
  const known = await create(`page ${file.lastModified} ${file.size} ${file.name}`.slice(0, 200)).catch(
    (thrown: unknown) => {
      if (['idempotency_key_reused', 'file_expired'].includes(problemOf(thrown).code)) return null;
      throw thrown;
    },
  );
  return known !== null && usable.includes(known.file.status) ? known : create(newKey());
}

/** Waits until a file is checked. @throws Refusal with what is wrong with it, AbortError */
export async function checked(api: string, id: string, { signal, onState }: Uploading): Promise<OwnFile> {
  onState({ name: 'checking' });
  for (let wait = 0; ; wait = 20) {
    const file = await untilAnswered(
      () => ask<OwnFile>(`${api}/files/${id}?wait=${wait}`, { signal }),
      signal,
      () => undefined,
    );
    if (file.status === 'ready') return file;
    if (file.status === 'invalid' || file.status === 'deleted')
      throw new Refusal(file.error ?? { code: 'file_expired', message: `${file.filename} was deleted.` });
  }
}

/** Does something again while the connection is lost, or the service has no room for it. @throws Refusal, AbortError */
async function untilAnswered<Answer>(
  act: () => Promise<Answer>,
  signal: AbortSignal,
  onLost: () => void,
): Promise<Answer> {
  for (let tries = 1; ; tries++)
    try {
      return await act();
    } catch (thrown) {
      const problem = problemOf(thrown);
      const isLost = problem === unreachable;
      if (!isLost && (problem.retryable !== true || tries >= mostTries)) throw thrown;
      onLost();
      await pause(problem.details?.retryAfterSeconds ?? Math.min(2 ** (tries - 1), longestPause), signal);
    }
}

/** Ends early when the browser says that the connection is back. @throws AbortError */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(cancelled());
      else resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}
