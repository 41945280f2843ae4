import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { contentTypeOfExtension, unknownContentType } from '../../library/core/files/content-types.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { closeAnswer, readBody, sendRequest } from '../../library/core/outgoing-request.ts';
import type { PlainObjects } from '../adapters/s3/plain-objects.ts';
import type { Config } from '../rules/settings/config.ts';

/** Brings files from and to other places for one run on this machine, with its rights: any address is allowed. */
export interface Transfers {
  /** Is it an address, and not a path? */
  isAddress(text: string): boolean;
  /**
   * Refuses an address of a bucket before anything is done, where there is no key for it.
   * @throws EarshotError tool_unavailable
   */
  requireAccess(address: string): Promise<void>;
  /** The file of an address, in this folder. @throws EarshotError fetch_failed, bad_request; AbortError */
  fetch(address: string, folder: string): Promise<string>;
  /**
   * Sends a file below an address: `s3://bucket/folder/`, or a link for a PUT in which `{name}` is its name.
   * @returns where it is
   * @throws EarshotError fetch_failed, bad_request; AbortError
   */
  send(path: string, address: string): Promise<string>;
}

const headersMs = 60_000;
const idleMs = 60_000;
const mostRedirects = 5;

export function createTransfers(
  {
    s3Endpoint,
    s3Region,
    s3AccessKeyId,
    s3SecretAccessKey,
  }: Pick<Config, 's3Endpoint' | 's3Region' | 's3AccessKeyId' | 's3SecretAccessKey'>,
  signal: AbortSignal,
): Transfers {
  let opened: Promise<PlainObjects> | undefined;
  const objects = (): Promise<PlainObjects> =>
    (opened ??= import('../adapters/s3/plain-objects.ts').then(({ createPlainObjects }) =>
      createPlainObjects({
        endpoint: s3Endpoint,
        region: s3Region,
        credentials:
          s3AccessKeyId === null || s3SecretAccessKey === null
            ? null
            : { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey },
      }),
    ));

  return {
    isAddress: (text) => /^(?:s3|https?):\/\//i.test(text),

    async requireAccess(address) {
      if (addressOf(address).protocol === 's3:') await (await objects()).requireKey();
    },

    async fetch(address, folder) {
      const url = addressOf(address);
      const path = join(folder, basename(decodeURIComponent(url.pathname)) || 'input');
      if (url.protocol === 's3:') {
        const body = await (await objects()).read(url.hostname, keyOf(url));
        await pipeline(body, createWriteStream(path), { signal });
        return path;
      }
      const answer = await follow(url, signal);
      try {
        await pipeline(readBody(answer, idleMs), createWriteStream(path), { signal });
      } catch (thrown) {
        throw signal.aborted ? thrown : failed(url, (thrown as Error).message, true, thrown);
      }
      return path;
    },

    async send(path, address) {
      const name = basename(path);
      const url = addressOf(address.replaceAll('{name}', encodeURIComponent(name)));
      const contentType = contentTypeOfExtension(extname(name).slice(1)) ?? unknownContentType;
      if (url.protocol === 's3:') {
        const key = address.endsWith('/') ? keyOf(url) + name : keyOf(url);
        await (await objects()).write(url.hostname, key, path, contentType);
        return `s3://${url.hostname}/${key}`;
      }
      const { size } = await stat(path);
      const answer = await sendRequest(url, {
        method: 'PUT',
        headers: { 'content-type': contentType, 'content-length': String(size) },
        body: createReadStream(path),
        signal,
        headersMs,
      }).catch((thrown: unknown) => {
        throw signal.aborted ? thrown : failed(url, (thrown as Error).message, true, thrown);
      });
      closeAnswer(answer);
      const { statusCode = 0 } = answer;
      if (statusCode < 200 || statusCode > 299)
        throw failed(url, `it responded with status ${statusCode}`, mayPass(statusCode));
      return url.origin + url.pathname;
    },
  };
}

/** @throws EarshotError bad_request */
function addressOf(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol !== 's3:' || url.hostname !== '')) return url;
  throw new EarshotError('bad_request', `Expected s3://bucket/key or a link but received ${text.slice(0, 200)}`);
}

const keyOf = (url: URL): string => decodeURIComponent(url.pathname.slice(1));
const mayPass = (status: number): boolean => status >= 500 || status === 408 || status === 425 || status === 429;

/** Without its query, which may hold a signature. */
const failed = (url: URL, reason: string, retryable: boolean, cause?: unknown): EarshotError =>
  new EarshotError('fetch_failed', `${url.origin}${url.pathname}: ${reason}`, { retryable, cause });

async function follow(first: URL, signal: AbortSignal) {
  let url = first;
  for (let hop = 0; hop <= mostRedirects; hop += 1) {
    const answer = await sendRequest(url, { method: 'GET', headers: {}, signal, headersMs }).catch(
      (thrown: unknown) => {
        throw signal.aborted ? thrown : failed(url, (thrown as Error).message, true, thrown);
      },
    );
    const { statusCode = 0, headers } = answer;
    if (statusCode === 200) return answer;
    closeAnswer(answer);
    const target = headers.location === undefined ? null : URL.parse(headers.location, url.href);
    if (statusCode < 300 || statusCode > 399 || target === null || !/^https?:$/.test(target.protocol))
      throw failed(url, `it responded with status ${statusCode}`, mayPass(statusCode));
    url = target;
  }
  throw failed(first, `it redirects more than ${mostRedirects} times`, false);
}
