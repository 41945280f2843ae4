import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbortError, throwIfAborted } from '../core/abort.ts';
import { isDiskFull } from '../core/errors/disk-full.ts';
import { EarshotError } from '../core/errors/errors.ts';
import { flushFile } from '../core/files/flush-folder.ts';
import { closeAnswer } from '../core/outgoing-request.ts';
import { ask, piecesOf } from './requests.ts';

/** Writes pieces of a download. `at` is the file's new length. */
export interface PieceWriter {
  write(piece: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export interface DownloadOptions {
  /** Length that the server's must match; null: unknown, at most `mostBytes`. */
  readonly expectedBytes: number | null;
  readonly mostBytes: number;
  readonly signal?: AbortSignal;
  /** Sent with every request; an Authorization is not sent to another host after a redirect. */
  readonly headers?: Readonly<Record<string, string>>;
  onProgress?(bytes: number, total: number | null): void;
  /** Opens the partial file: 'a' appends, 'w' starts over. Default: the file system. */
  readonly openWriter?: (path: string, flags: 'a' | 'w') => Promise<PieceWriter>;
  /**
   * Pauses between attempts, milliseconds; there is one attempt more. Progress resets the count. Default 500, 1000,
   * 2000, 4000.
   */
  readonly pausesMilliseconds?: readonly number[];
}

/** The server's description of the version that a partial file belongs to. */
interface Origin {
  readonly url: string;
  /** For If-Range: a strong ETag or a date. */
  readonly validator: string | null;
}

const originPath = (path: string): string => `${path}.origin`;
const partialLength = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

async function readOrigin(path: string, url: string): Promise<Origin | null> {
  try {
    const origin = JSON.parse(await readFile(originPath(path), 'utf8')) as Origin;
    return origin.url === url ? origin : null;
  } catch {
    return null;
  }
}

async function openFile(path: string, flags: 'a' | 'w'): Promise<PieceWriter> {
  const handle = await open(path, flags);
  return {
    async write(piece) {
      await handle.writeFile(piece);
    },
    async close() {
      // A resumed download must contain what was written before a crash.
      await flushFile(handle);
      await handle.close();
    },
  };
}

/** A strong ETag identifies bytes, a weak one does not (RFC 9110, 13.1.5). */
function validatorOf({ headers }: IncomingMessage): string | null {
  const { etag } = headers;
  return etag !== undefined && !etag.startsWith('W/') ? etag : (headers['last-modified'] ?? null);
}

/** A retry may help: the connection broke, or the server asks to wait. */
class Interrupted extends Error {}

/** @throws EarshotError fetch_failed */
function refuse(url: string, why: string, retryable: boolean): never {
  throw new EarshotError('fetch_failed', `Expected to download ${url} but ${why}`, { retryable, details: { url } });
}

/** Removes a partial download. */
export async function discardPartial(path: string): Promise<void> {
  await Promise.all([rm(path, { force: true }), rm(originPath(path), { force: true })]);
}

async function attempt(url: string, path: string, options: DownloadOptions): Promise<void> {
  const { expectedBytes, signal } = options;
  const origin = await readOrigin(path, url);
  let have = origin ? await partialLength(path) : 0;
  if (have > 0 && have === expectedBytes) return;
  const headers: Record<string, string> = { ...options.headers };
  if (have > 0) {
    headers['range'] = `bytes=${have}-`;
    if (origin?.validator) headers['if-range'] = origin.validator;
  }
  const response = await ask(url, { headers, signal });
  const { statusCode: status = 0 } = response;
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers['content-range'] ?? '');
  const continued = status === 206 && range !== null && Number(range[1]) === have && have > 0;
  if (!continued && (status === 206 || status === 416)) {
    closeAnswer(response);
    await discardPartial(path);
    throw new Interrupted(`the server answered ${status} to a continued download`);
  }
  if (!continued && status !== 200) {
    closeAnswer(response);
    if (status >= 500 || status === 429 || status === 408) throw new Interrupted(`the server answered ${status}`);
    return refuse(url, `the server answered ${status}`, false);
  }
  if (!continued) have = 0;
  const length = response.headers['content-length'];
  const total = range && range[2] !== '*' ? Number(range[2]) : length === undefined ? null : have + Number(length);
  const wanted = expectedBytes ?? total;
  if (total !== null && ((expectedBytes !== null && total !== expectedBytes) || total > options.mostBytes)) {
    closeAnswer(response);
    await discardPartial(path);
    return refuse(url, `it has ${total} bytes instead of ${expectedBytes ?? `at most ${options.mostBytes}`}`, false);
  }
  if (!continued)
    await writeFile(originPath(path), JSON.stringify({ url, validator: validatorOf(response) } satisfies Origin));
  const writer = await (options.openWriter ?? openFile)(path, continued ? 'a' : 'w');
  try {
    options.onProgress?.(have, wanted);
    for await (const piece of piecesOf(response)) {
      have += piece.byteLength;
      if (have > (wanted ?? options.mostBytes)) {
        await discardPartial(path);
        return refuse(url, `it sent more than ${wanted ?? options.mostBytes} bytes`, false);
      }
      await writer.write(piece);
      options.onProgress?.(have, wanted);
    }
  } finally {
    await writer.close();
  }
  if (wanted !== null && have < wanted) throw new Interrupted(`it ended after ${have} of ${wanted} bytes`);
}

const isFileError = (thrown: unknown): boolean => typeof (thrown as NodeJS.ErrnoException)?.path === 'string';

function describe(thrown: unknown): string {
  const { message, cause } = thrown as Error & { cause?: Error & { code?: string } };
  return cause === undefined ? message : `${message} (${cause.code ?? cause.message})`;
}

/** The error for a full disk. */
export function diskFull(folder: string, cause: unknown): EarshotError {
  return new EarshotError('limit_exceeded', `There is no space left in ${folder}`, {
    nextAction: 'Free space on that disk and run the command again; the partial download is kept.',
    details: { folder },
    cause,
  });
}

/**
 * Downloads a URL into a file. Continues an interrupted download, of this call or an earlier one (Range with If-Range);
 * starts over when the server has another version by then. The caller must check the hash.
 * @throws EarshotError fetch_failed; limit_exceeded when the disk is full; AbortError. The partial download is kept for
 *   the next call.
 */
export async function download(url: string, path: string, options: DownloadOptions): Promise<void> {
  const pauses = options.pausesMilliseconds ?? [500, 1000, 2000, 4000];
  for (let failures = 0, reached = 0; ;) {
    throwIfAborted(options.signal);
    try {
      await attempt(url, path, options);
      await rm(originPath(path), { force: true });
      return;
    } catch (thrown) {
      if (options.signal?.aborted) throw new AbortError();
      if (isDiskFull(thrown)) throw diskFull(path, thrown);
      if (thrown instanceof EarshotError || isFileError(thrown)) throw thrown;
      const have = await partialLength(path);
      if (have > reached) failures = 0;
      reached = Math.max(reached, have);
      const pause = pauses[failures];
      failures += 1;
      if (pause === undefined) return refuse(url, describe(thrown), true);
      await sleep(pause, undefined, options.signal ? { signal: options.signal } : {}).catch(() => undefined);
    }
  }
}
