/** @import { PageMultipart, PageTicket } from '../page-ticket.ts' */
import { partRange, retryDelayMs, withoutOrigin } from './progress.js';

const partsAtOnce = 3;
const attempts = 8;

/** The server refused the request, or the connection failed. */
class TransferError extends Error {
  /**
   * @param {string} message
   * @param {{ status?: number, missingParts?: number[] | undefined, retryAfterSeconds?: number }} [answer] absent: no
   * response
   */
  constructor(message, { status = 0, missingParts, retryAfterSeconds = 0 } = {}) {
    super(message);
    this.status = status;
    this.missingParts = missingParts;
    this.retryAfterSeconds = retryAfterSeconds;
    this.mayTryAgain = status === 0 || status === 429 || status >= 500;
  }
}

/** @param {XMLHttpRequest} request */
function readJson(request) {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return null;
  }
}

/**
 * Uses XMLHttpRequest, because fetch does not report upload progress.
 * @param {string} method
 * @param {string} url
 * @param {Readonly<Record<string, string>>} headers
 * @param {XMLHttpRequestBodyInit | null} body
 * @param {(sentBytes: number) => void} [onProgress]
 * @returns {Promise<any>} the response's JSON, or null
 */
function send(method, url, headers, body, onProgress = () => undefined) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, withoutOrigin(url));
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    const fail = () => reject(new TransferError('The connection failed.'));
    request.upload.addEventListener('progress', (event) => onProgress(event.loaded));
    request.addEventListener('error', fail);
    request.addEventListener('abort', fail);
    request.addEventListener('load', () => {
      const { status } = request;
      const answer = readJson(request);
      if (status >= 200 && status < 300) return resolve(answer);
      const missingParts = answer?.error?.details?.missingParts;
      return reject(
        new TransferError(answer?.error?.message || `The server responded with status ${status}.`, {
          status,
          missingParts: Array.isArray(missingParts) ? missingParts : undefined,
          retryAfterSeconds: Number(request.getResponseHeader('Retry-After')) || 0,
        }),
      );
    });
    request.send(body);
  });
}

/**
 * @param {string} url
 * @param {object} [value]
 */
const sendJson = (url, value) =>
  value === undefined
    ? send('POST', url, {}, null)
    : send('POST', url, { 'Content-Type': 'application/json' }, JSON.stringify(value));

/**
 * @template Result
 * @param {() => Promise<Result>} work
 * @param {(text: string) => void} say
 * @returns {Promise<Result>}
 */
async function patiently(work, say) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TransferError) || !error.mayTryAgain || attempt >= attempts) throw error;
      say('The connection is unstable. Retrying…');
      const delayMs = retryDelayMs(attempt, error.retryAfterSeconds);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/**
 * @param {File} file
 * @param {PageTicket} ticket
 * @param {(text: string) => void} say
 * @returns {Promise<PageTicket>} the ticket with the file's name
 */
export async function nameFile(file, ticket, say) {
  const named = await patiently(
    () =>
      sendJson(ticket.nameUrl, {
        filename: file.name.slice(0, 255),
        sizeBytes: file.size,
        ...(file.type ? { contentType: file.type.slice(0, 100) } : {}),
      }),
    say,
  );
  const { upload, multipart } = named;
  return { ...ticket, upload, multipart, filename: named.file.filename, sizeBytes: named.file.sizeBytes };
}

/**
 * @param {File} file
 * @param {NonNullable<PageTicket['upload']>} upload
 * @param {(piece: number, bytes: number) => void} onSent
 * @param {(text: string) => void} say
 */
export async function sendWhole(file, { url, headers }, onSent, say) {
  await patiently(() => {
    onSent(0, 0);
    return send('PUT', url, headers, file, (loaded) => onSent(0, loaded));
  }, say);
}

/**
 * Sends a few parts at a time, retries each after a connection failure, and skips those that have arrived.
 * @param {File} file
 * @param {PageMultipart} multipart
 * @param {boolean} resumed some parts may have arrived through an earlier page
 * @param {(piece: number, bytes: number) => void} onSent
 * @param {(text: string) => void} say
 */
export async function sendParts(file, { partSizeBytes, partCount, partUrl, completeUrl }, resumed, onSent, say) {
  /** @returns {Promise<readonly number[]>} missing parts; empty: all parts have been joined */
  const complete = async () => {
    try {
      await patiently(() => sendJson(completeUrl), say);
      return [];
    } catch (error) {
      if (error instanceof TransferError && error.status === 409 && error.missingParts) return error.missingParts;
      throw error;
    }
  };
  /** @param {number} number */
  const sendPart = async (number) => {
    const { start, end } = partRange(number, partSizeBytes, file.size);
    await patiently(() => {
      onSent(number, 0);
      return send('PUT', partUrl.replace('{n}', String(number)), {}, file.slice(start, end), (loaded) => {
        say('Sending…');
        onSent(number, loaded);
      });
    }, say);
    onSent(number, end - start);
  };

  const all = Array.from({ length: partCount }, (_, index) => index + 1);
  let missing = resumed ? await complete() : all;
  for (const number of all) {
    const { start, end } = partRange(number, partSizeBytes, file.size);
    if (!missing.includes(number)) onSent(number, end - start);
  }
  while (missing.length > 0) {
    const queue = [...missing];
    const work = async () => {
      for (let number = queue.shift(); number !== undefined; number = queue.shift()) await sendPart(number);
    };
    await Promise.all(Array.from({ length: Math.min(partsAtOnce, queue.length) }, work));
    say('Joining the parts…');
    missing = await complete();
  }
}
