// Several releases of Node 22 and 24 have a fetch inside that ends the process when a server closes its connection
// behind a body whose reader lags (nodejs/undici#5360, put right in undici 8.6). There, downloads are read over Node's
// own HTTP client. Answers that are read at once are safe, so everything else uses fetch.

type Fetch = typeof globalThis.fetch;
type BuiltIn = NonNullable<typeof process.getBuiltinModule>;

const mostRedirects = 20;

/** Where Node's built-in modules are found if its fetch has the bug, else null. */
function affectedNode(): BuiltIn | null {
  // Browsers have no process, and what bundlers give them is sometimes half of one.
  const { process: platform } = globalThis as { process?: Partial<NodeJS.Process> };
  const [major = 0, minor = 0] = (platform?.versions?.undici ?? '8.6').split('.').map(Number);
  return major > 8 || (major === 8 && minor >= 6) ? null : (platform?.getBuiltinModule ?? null);
}

/** What downloads are read with: the platform's fetch, or what replaces it. */
export function downloadFetch(): Fetch {
  const platform = globalThis.fetch;
  const builtIn = affectedNode();
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
    // As fetch has it: an abort is told by its reason, anything else as a TypeError with its cause.
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
