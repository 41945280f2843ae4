// Sends a file to the account that is signed in: in parts, of which those that have arrived are not sent again.
import { found, untilReady } from '../../client/arrival.ts';
import type { CreatedFile, FileRecord } from '../../client/api-types.ts';
import { newKey } from '../../client/keys.ts';
import type { Call, Requests, RetrySettings } from '../../client/request.ts';
import { sendInto } from '../../client/send-parts.ts';
import { partsOfWhole } from '../../client/upload-source.ts';

export type UploadState =
  | { readonly name: 'sending'; readonly share: number; readonly isLost: boolean }
  /** The service gets it from its link, and checks it. */
  | { readonly name: 'fetching' }
  /** It has arrived. */
  | { readonly name: 'checking' };

export interface Uploading {
  /** The page's, so that this script need not bring them. */
  readonly requests: Requests;
  /** Address of the REST API. */
  readonly api: string;
  readonly signal: AbortSignal;
  onState(state: UploadState): void;
}

/** Tries of what the service itself refuses; a lost connection is waited for without end. */
const mostTries = 8;
const patient: Partial<RetrySettings> = {
  mayRetry: ({ code }, tried) => code === 'connection' || tried < mostTries,
  longestWaitSeconds: Infinity,
};

/** On the host that the page came from. */
const ownLink = (url: string): string => url.replace(/^https?:\/\/[^/]+/, location.origin);

/**
 * Sends a file and waits until it is checked. The same file is not sent twice: what has arrived through an earlier page
 * is kept.
 * @throws ApiError, AbortError
 */
export async function upload(file: File, uploading: Uploading): Promise<FileRecord> {
  const { requests, signal, onState } = uploading;
  let share = 0;
  const say = (isLost: boolean): void => onState({ name: 'sending', share, isLost });
  const call = { signal, retry: patient, onRetry: () => say(true) };
  say(false);
  const { file: made, multipart, uploadPageUrl } = await open(uploading, file, call);
  if (made.status === 'awaiting_upload')
    try {
      // Not the links to the store itself: the page may send to its own host only.
      const whole = { url: `${ownLink(uploadPageUrl)}/file`, headers: {} };
      const parts = multipart && {
        ...multipart,
        partUrl: ownLink(multipart.partUrl),
        completeUrl: ownLink(multipart.completeUrl),
      };
      await sendInto(
        requests,
        partsOfWhole(file),
        { upload: whole, multipart: parts },
        {
          ...call,
          sizeBytes: file.size,
          mayHaveArrived: true,
          onSent(bytes) {
            share = bytes / file.size;
            say(false);
          },
        },
      );
    } catch (thrown) {
      if (signal.aborted) void stopArrival(uploading, made.id);
      throw thrown;
    }
  return checked(made.id, uploading);
}

/** A file by its link: the service fetches it. @throws ApiError, AbortError */
export async function importLink(url: string, uploading: Uploading): Promise<FileRecord> {
  const { requests, api, signal, onState } = uploading;
  onState({ name: 'fetching' });
  // The request is not ended with the page's wish: its answer names what has to be stopped, else the next link waits.
  const made = requests.json<FileRecord>({ method: 'POST', to: `${api}/files/import`, json: { url } });
  const stop = (): void => void made.then(({ id }) => stopArrival(uploading, id)).catch(() => undefined);
  signal.addEventListener('abort', stop);
  try {
    const { id } = await unlessAborted(made, signal);
    return await checked(id, { ...uploading, onState: () => undefined });
  } finally {
    // Of a file that is there nothing is stopped.
    if (!signal.aborted) signal.removeEventListener('abort', stop);
  }
}

/** Of a file that is not needed any more: the service keeps a place for one that is under way. */
const stopArrival = ({ requests, api }: Uploading, id: string): Promise<unknown> =>
  requests.json({ method: 'POST', to: `${api}/files/${id}/abort` }).catch(() => undefined);

/** @throws AbortError as soon as it is aborted, while the promise goes on */
function unlessAborted<Answer>(promise: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    promise.then(resolve, reject);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** Creates the file, or finds the one that was created for the same bytes before. */
async function open({ requests, api }: Uploading, file: File, call: Omit<Call, 'to'>): Promise<CreatedFile> {
  const body = { filename: file.name.slice(0, 255), sizeBytes: file.size, contentType: file.type.slice(0, 100) };
  const create = (idempotencyKey: string): Promise<CreatedFile> =>
    requests.json({ ...call, method: 'POST', to: `${api}/files`, json: { ...body, idempotencyKey } });
  // What a browser tells of a file on the disk, which changes when the file does.
  const known = `page ${file.lastModified} ${file.size} ${file.name}`.slice(0, 200);
  return (await found(() => create(known))) ?? create(newKey());
}

/** Waits until a file is checked. @throws ApiError with what is wrong with it, AbortError */
export function checked(id: string, { requests, api, signal, onState }: Uploading): Promise<FileRecord> {
  onState({ name: 'checking' });
  return untilReady(requests, `${api}/files/${id}`, { signal, retry: patient });
}
