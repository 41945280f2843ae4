// When a server closes its connection after a body whose reader lags, the fetch of several releases of Node 22 and 24
// ends the process (nodejs/undici#5360), and that of Node 26.12 (undici 8.12) fails though all bytes came. So in Node
// downloads use its own HTTP client. Responses that are read at once are safe: everything else uses fetch.

type Fetch = typeof globalThis.fetch;
type BuiltIn = NonNullable<typeof process.getBuiltinModule>;

const mostRedirects = 20;

/** Node's built-in modules, else null. */
function builtInNode(): BuiltIn | null {
  // Browsers have no process, and bundlers sometimes provide a partial one.
  const { process: platform } = globalThis as { process?: Partial<NodeJS.Process> };
  return platform?.versions?.undici === undefined ? null : (platform.getBuiltinModule ?? null);
}

/** The fetch for downloads: the platform's, or its replacement. */
export function downloadFetch(): Fetch {
  const platform = globalThis.fetch;
  const builtIn = builtInNode();
  return (input, init = {}) =>
    builtIn !== null && input instanceof URL && globalThis.fetch === platform
      ? getOverNode(builtIn, input, init, mostRedirects)
      : globalThis.fetch(input, init);
}

async function getOverNode(builtIn: BuiltIn, url: URL, init: RequestInit, hops: number): Promise<Response> {
  const { request } = url.protocol === 'https:' ? builtIn('https') : builtIn('http');
  const { signal } = init;
  signal?.throwIfAborted();
  const headers = new Headers(init.headers);
  const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    const asked = request(url, { headers: Object.fromEntries(headers), ...(signal ? { signal } : {}) });
    // As fetch does: an abort rejects with its reason, anything else with a TypeError and its cause.
    asked.on('error', (cause) => reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause })));
    asked.once('response', resolve).end();
  });
  const { statusCode = 0 } = answer;
  const { location } = answer.headers;
  if (statusCode > 300 && statusCode < 400 && location !== undefined) {
    answer.on('error', () => {}).destroy();
    const next = new URL(location, url);
    if (hops === 0) throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') });
    if (next.origin !== url.origin) headers.delete('authorization');
    return getOverNode(builtIn, next, { ...init, headers }, hops - 1);
  }
  const told = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    for (const each of [value ?? []].flat()) told.append(name, each);
  const body = builtIn('stream').Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>;
  const bodiless = statusCode === 204 || statusCode === 205 || statusCode === 304;
  if (bodiless) await body.cancel();
  return new Response(bodiless ? null : body, { status: statusCode, headers: told });
}
