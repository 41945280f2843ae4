// Node's own HTTP client, where its fetch does not do. When a server closes its connection after a body whose reader
// lags,
// the fetch of several releases of Node 22 and 24 ends the process (nodejs/undici#5360), and that of Node 26.12 (undici
// 8.12)
// fails though all bytes came: downloads use this. Responses that are read at once are safe. And fetch does not tell
// how much
// of a body has been sent: uploads use this.
import type { Body, SendBody } from './send-body.ts';

type Fetch = typeof globalThis.fetch;
type BuiltIn = NonNullable<typeof process.getBuiltinModule>;
type Incoming = import('node:http').IncomingMessage;
type Outgoing = import('node:http').ClientRequest;

const mostRedirects = 20;
/** Written at a time, so that progress is told often and little waits in memory. */
const pieceBytes = 65_536;

const platformFetch = globalThis.fetch;

/** Node's built-in modules; null on other platforms, and where a program has put another fetch in its place. */
export function builtInNode(): BuiltIn | null {
  // Browsers have no process, and bundlers sometimes provide a partial one.
  const { process: platform } = globalThis as { process?: Partial<NodeJS.Process> };
  return platform?.versions?.undici === undefined || globalThis.fetch !== platformFetch
    ? null
    : (platform.getBuiltinModule ?? null);
}

/** The fetch for downloads: the platform's, or its replacement. */
export function downloadFetch(): Fetch {
  return async (input, init = {}) => {
    const builtIn = builtInNode();
    if (builtIn === null || !(input instanceof URL)) return globalThis.fetch(input, init);
    return responseOf(builtIn, await exchange(builtIn, input, init, null, mostRedirects));
  };
}

/** Sends a body by Node's HTTP client. */
export const sendOverNode =
  (builtIn: BuiltIn): SendBody =>
  async (url, init, onSent) =>
    responseOf(builtIn, await exchange(builtIn, url, init, { bytes: init.body, onSent }, mostRedirects));

interface Sent {
  readonly bytes: Body;
  onSent(sentBytes: number): void;
}

async function exchange(
  builtIn: BuiltIn,
  url: URL,
  init: Pick<RequestInit, 'method' | 'headers' | 'signal'>,
  sent: Sent | null,
  hops: number,
): Promise<Incoming> {
  const { request } = url.protocol === 'https:' ? builtIn('https') : builtIn('http');
  const { signal, method = 'GET' } = init;
  signal?.throwIfAborted();
  const headers = new Headers(init.headers);
  if (sent !== null) headers.set('content-length', String(sizeOf(sent.bytes)));
  const answer = await new Promise<Incoming>((resolve, reject) => {
    const options = { method, headers: Object.fromEntries(headers), ...(signal ? { signal } : {}) };
    const asked = request(url, options);
    // As fetch does: an abort rejects with its reason, anything else with a TypeError and its cause.
    const fail = (cause: unknown): void =>
      reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
    asked.on('error', fail);
    asked.once('response', resolve);
    if (sent === null) asked.end();
    else
      write(asked, sent).catch((thrown: unknown) => {
        fail(thrown);
        asked.destroy();
      });
  });
  const { statusCode = 0 } = answer;
  const { location } = answer.headers;
  const isMoved = sent === null ? statusCode > 300 && statusCode < 400 : statusCode === 307 || statusCode === 308;
  if (!isMoved || location === undefined) return answer;
  answer.on('error', () => {}).destroy();
  const next = new URL(location, url);
  if (hops === 0) throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') });
  if (next.origin !== url.origin) headers.delete('authorization');
  return exchange(builtIn, next, { ...init, headers }, sent, hops - 1);
}

/** Ends early once the server has answered: it wants no more. */
async function write(asked: Outgoing, { bytes, onSent }: Sent): Promise<void> {
  let sentBytes = 0;
  let isOver = false;
  const over = new Promise<void>((resolve) => {
    const end = (answer?: Incoming): void => {
      isOver = true;
      resolve();
      // The rest of the body is owed: no other request may use this connection.
      answer?.once('end', () => asked.writableEnded || asked.destroy());
    };
    asked.once('response', end);
    asked.once('close', () => end());
  });
  for await (const piece of piecesOf(bytes)) {
    const gone = new Promise<void>((resolve) => void asked.write(piece, () => resolve()));
    // A connection that broke calls no one back.
    await Promise.race([gone, over]);
    if (isOver) return;
    sentBytes += piece.byteLength;
    onSent(sentBytes);
  }
  asked.end();
}

async function* piecesOf(bytes: Body): AsyncGenerator<Uint8Array, void> {
  if (bytes instanceof Blob) {
    for (let start = 0; start < bytes.size; start += pieceBytes)
      yield new Uint8Array(await bytes.slice(start, start + pieceBytes).arrayBuffer());
    return;
  }
  for (let start = 0; start < bytes.byteLength; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes);
}

const sizeOf = (bytes: Body): number => (bytes instanceof Blob ? bytes.size : bytes.byteLength);

async function responseOf(builtIn: BuiltIn, answer: Incoming): Promise<Response> {
  const { statusCode = 0 } = answer;
  const told = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    for (const each of [value ?? []].flat()) told.append(name, each);
  const body = builtIn('stream').Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>;
  const bodiless = statusCode === 204 || statusCode === 205 || statusCode === 304;
  if (bodiless) await body.cancel();
  return new Response(bodiless ? null : body, { status: statusCode, headers: told });
}
