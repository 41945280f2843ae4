// A service's side of uploads that misbehaves as told: it cuts connections at chosen bytes, refuses, and lies about
// parts.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with one request; null: nothing. */
export type Trouble =
  /** The connection breaks off when so many bytes of its body have come. */
  | { readonly cutAfterBytes: number }
  | { readonly status: number; readonly code: string; readonly retryAfter?: string }
  | null;

export interface UploadServerOptions {
  readonly sizeBytes: number;
  /** Default: no parts, one PUT. */
  readonly partSizeBytes?: number;
  /** @param attempt at this part, counting from 1; part 0 is the whole file */
  readonly onPart?: (part: number, attempt: number) => Trouble;
  /** Parts that it says are missing, instead of those that are. */
  readonly missing?: (really: readonly number[]) => readonly unknown[];
  /** Are parts said to be missing also when all are there? Default: as `missing` says */
  readonly alwaysMissing?: boolean;
  /** What its record says all along. Default: what has arrived */
  readonly fileStatus?: string;
  /** Is asked before anything else. */
  readonly onRequest?: (method: string, path: string) => Trouble;
}

export interface UploadServer {
  readonly base: string;
  /** Bytes of bodies of parts that came, those of attempts that broke off too. */
  bytesReceived(): number;
  /** Attempts, by part. */
  readonly attempts: ReadonlyMap<number, number>;
  /** Times at which each attempt began, by part, milliseconds. */
  readonly times: ReadonlyMap<number, readonly number[]>;
  /** "POST /path", in the order in which they came. */
  readonly requests: readonly string[];
  /** Idempotency keys of the files that were asked for. */
  readonly keys: readonly string[];
  /** What has arrived, joined. */
  whole(): Buffer;
  close(): void;
}

export async function startUploadServer(options: UploadServerOptions): Promise<UploadServer> {
  const { sizeBytes, partSizeBytes = null, onPart = () => null, onRequest = () => null } = options;
  const partCount = partSizeBytes === null ? 1 : Math.ceil(sizeBytes / partSizeBytes);
  const arrived = new Map<number, Buffer>();
  const attempts = new Map<number, number>();
  const times = new Map<number, number[]>();
  const requests: string[] = [];
  const keys: string[] = [];
  let received = 0;
  let status = 'awaiting_upload';
  const record = () => ({ id: 'file_1', status, filename: 'talk.wav', sizeBytes, error: null });

  const answer = (response: ServerResponse, code: number, body: unknown, headers: Record<string, string> = {}): void =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const refuse = (response: ServerResponse, code: number, error: object, headers?: Record<string, string>): void =>
    answer(response, code, { error: { message: 'No', retryable: false, ...error } }, headers);
  const trouble = (found: Exclude<Trouble, null | { cutAfterBytes: number }>, response: ServerResponse): void =>
    refuse(
      response,
      found.status,
      { code: found.code, retryable: found.status === 429 || found.status >= 500 },
      found.retryAfter === undefined ? {} : { 'retry-after': found.retryAfter },
    );

  async function takePart(part: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const attempt = (attempts.get(part) ?? 0) + 1;
    attempts.set(part, attempt);
    times.set(part, [...(times.get(part) ?? []), performance.now()]);
    const found = onPart(part, attempt);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      received += chunk.byteLength;
      chunks.push(chunk);
      if (found !== null && 'cutAfterBytes' in found && bytes >= found.cutAfterBytes)
        return void request.socket.destroy();
    }
    if (found !== null && 'status' in found) return trouble(found, response);
    arrived.set(part, Buffer.concat(chunks));
    if (part === 0) status = 'ready';
    return answer(response, 200, part === 0 ? record() : { part });
  }

  function complete(response: ServerResponse): void {
    const really = Array.from({ length: partCount }, (_, at) => at + 1).filter((part) => !arrived.has(part));
    const missingParts = options.missing?.(really) ?? really;
    if (missingParts.length > 0 || options.alwaysMissing === true)
      return refuse(response, 409, { code: 'conflict', message: 'Parts are missing', details: { missingParts } });
    status = 'ready';
    return answer(response, 200, record());
  }

  async function create(request: IncomingMessage, response: ServerResponse, base: string): Promise<void> {
    let text = '';
    for await (const chunk of request as AsyncIterable<Buffer>) text += String(chunk);
    const { idempotencyKey } = JSON.parse(text) as { idempotencyKey: string };
    if (keys.length > 0 && keys.at(-1) !== idempotencyKey) {
      // Another file.
      arrived.clear();
      status = 'awaiting_upload';
    }
    keys.push(idempotencyKey);
    const [upload, multipart] =
      partSizeBytes === null
        ? [{ url: `${base}/upload/tok/file`, method: 'PUT', headers: { 'content-type': 'audio/wav' } }, null]
        : [
            null,
            {
              partSizeBytes,
              partCount,
              partUrl: `${base}/upload/tok/parts/{n}`,
              completeUrl: `${base}/upload/tok/complete`,
            },
          ];
    answer(response, 201, { file: record(), upload, multipart, uploadPageUrl: `${base}/upload/tok` });
  }

  const server: Server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    const path = url.replace(/\?.*/, '');
    requests.push(`${method} ${path}`);
    // What is cut is an error of the request.
    request.on('error', () => undefined);
    const act = async (): Promise<void> => {
      const early = onRequest(method, path);
      if (early !== null) {
        if ('cutAfterBytes' in early) return void request.socket.destroy();
        request.resume();
        return trouble(early, response);
      }
      if (path === '/upload/tok/file') return takePart(0, request, response);
      const part = /^\/upload\/tok\/parts\/(\d+)$/.exec(path)?.[1];
      if (part !== undefined) return takePart(Number(part), request, response);
      if (path === '/api/v1/files') return create(request, response, base);
      request.resume();
      if (path === '/upload/tok/complete') return complete(response);
      if (path === '/upload/tok/links') return answer(response, 200, { links: [] });
      if (path === '/api/v1/files/file_1')
        return answer(response, 200, { ...record(), status: options.fileStatus ?? status });
      if (path === '/api/v1/files/file_1/abort') {
        status = 'deleted';
        return void response.writeHead(204).end();
      }
      return refuse(response, 404, { code: 'not_found' });
    };
    void act().catch(() => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    base,
    bytesReceived: () => received,
    attempts,
    times,
    requests,
    keys,
    whole: () => Buffer.concat([...arrived].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes)),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
