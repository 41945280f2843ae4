// The service worker: tool pages that were visited, and what runs them, open without a connection. With one it changes
// nothing: all comes from the service. Answers of the API and pages of accounts are never kept.
// The service writes `release` before it (src/service/http/site/frame/offline.ts).

import type { Release, Visited } from '../offline-data.ts';

declare const release: Release;

/** Of service workers, which TypeScript's library for pages does not have. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
declare const clients: { claim(): Promise<void> };

/** Other caches of this origin are not ours. */
const prefix = `earshot ${release.pagesAt} `;
const name = `${prefix}${release.version}`;
const languageHeader = 'accept-language';

const listen = <Kind extends Event>(type: string, act: (event: Kind) => void): void =>
  globalThis.addEventListener(type, act as (event: Event) => void);

const others = async (): Promise<readonly string[]> =>
  (await caches.keys()).filter((each) => each.startsWith(prefix) && each !== name);

/** As a visitor gets it: without cookies, so that it shows nothing of an account. */
async function keepPage({ path, language }: Visited): Promise<void> {
  const headers = { [languageHeader]: language };
  const answer = await fetch(path, { credentials: 'omit', headers });
  const isShared =
    answer.ok && !answer.redirected && answer.headers.get('cache-control')?.includes('no-store') === false;
  if (!isShared) return;
  const cache = await caches.open(name);
  // Also the one in another language.
  await cache.delete(path, { ignoreVary: true });
  await cache.put(new Request(path, { headers }), answer);
}

/** Pages that earlier releases have kept, as this one has them. */
async function pagesOfOthers(): Promise<readonly Visited[]> {
  const found = await Promise.all(
    (await others()).map(async (each) =>
      (await (await caches.open(each)).keys())
        .map(({ url, headers }) => ({ path: new URL(url).pathname, language: headers.get(languageHeader) ?? 'en' }))
        .filter(({ path }) => path.startsWith(release.pagesAt)),
    ),
  );
  return found.flat();
}

listen<WorkerEvent>('install', (event) => {
  const fill = async (): Promise<void> => {
    await (await caches.open(name)).addAll(release.assets);
    for (const page of await pagesOfOthers()) await keepPage(page);
  };
  event.waitUntil(fill());
});

// It begins when no page of an earlier release is open, so none of them loses what it still loads.
listen<WorkerEvent>('activate', (event) => {
  const begin = async (): Promise<void> => {
    for (const each of await others()) await caches.delete(each);
    await clients.claim();
  };
  event.waitUntil(begin());
});

listen<WorkerEvent & MessageEvent<Visited>>('message', (event) => {
  if (event.data.path.startsWith(release.pagesAt)) event.waitUntil(keepPage(event.data).catch(() => undefined));
});

listen<FetchEvent>('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const isPage = request.mode === 'navigate' && pathname.startsWith(release.pagesAt);
  if (request.method !== 'GET' || origin !== location.origin || !(isPage || pathname.startsWith(release.assetsAt)))
    return;
  const answer = async (): Promise<Response> => {
    try {
      return await fetch(request);
    } catch (lost) {
      // An asset of a page that is open may be of an earlier release, or of one that waits.
      const kept = await caches.match(pathname, { ignoreVary: true });
      if (kept === undefined) throw lost;
      return kept;
    }
  };
  event.respondWith(answer());
});
