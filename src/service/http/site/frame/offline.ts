// Tool pages without a connection: the service worker, and what browsers need to install the site.
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Release } from '../../../../site/offline-data.ts';
import { packageVersion } from '../../../../library/core/start/package-version.ts';
import { engineAt } from './assets.ts';
import { enginePolicy } from './asset-routes.ts';
import { type Site, visitorPage } from './site.ts';

/** What pages of tools load, besides what runs them. */
const onPages = [
  'site.css',
  'instrument-sans-latin-wght.woff2',
  'martian-mono-w80-sub.woff2',
  'favicon.svg',
  ...['analyse', 'client', 'device', 'frame', 'listed', 'pauses', 'ranges', 'record', 'tool'].map(
    (name) => `${name}.js`,
  ),
];

/** Sizes of the icon, pixels; one has room to be cut round. */
const icons = [
  { size: 192, purpose: 'any' },
  { size: 512, purpose: 'any' },
  { size: 512, purpose: 'maskable' },
] as const;

/** Browsers that have a service worker look for a new one: where it is switched off, it ends, and nothing is kept. */
const ending = (prefix: string): string => `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => {
  const end = async () => {
    for (const name of await caches.keys()) if (name.startsWith(${JSON.stringify(prefix)})) await caches.delete(name);
    await registration.unregister();
  };
  event.waitUntil(end());
});
`;

/** Are pages kept by browsers? */
export const isOffline = ({ config, assets }: Site): boolean =>
  config.site && config.onDevice && config.offline && assets.engine() !== null;

/** GET /offline.js, /manifest.webmanifest */
export function offlineRoutes(scope: FastifyInstance, site: Site): void {
  const options = { config: { access: 'asset' as const }, schema: { hide: true } };
  scope.get('/offline.js', options, async (_, reply) => {
    void reply
      .type('text/javascript; charset=utf-8')
      .headers({ 'cache-control': 'no-cache', 'content-security-policy': enginePolicy });
    if (!isOffline(site)) return reply.send(ending(`earshot ${site.rootPath}/tools `));
    const { bytes } = (await site.assets.read(site.assets.nameOf('offline.js'))) ?? {};
    return reply.send(`const release = ${JSON.stringify(releaseOf(site))};\n${bytes?.toString() ?? ''}`);
  });
  scope.get('/manifest.webmanifest', options, (request, reply) => {
    const page = visitorPage(site, request);
    return reply
      .type('application/manifest+json')
      .header('cache-control', 'no-cache')
      .send({
        name: 'Earshot',
        lang: page.language.code,
        start_url: page.href('/tools'),
        scope: page.href('/'),
        display: 'standalone',
        background_color: '#f0f1ef',
        theme_color: '#ffd43b',
        icons: icons.map(({ size, purpose }) => ({
          src: page.asset(`icon-${purpose}-${size}.png`),
          sizes: `${size}x${size}`,
          type: 'image/png',
          purpose,
        })),
      });
  });
}

function releaseOf({ assets, assetsAt, rootPath }: Site): Release {
  const engine = assets.engine();
  const names = [
    ...onPages.map((name) => assets.nameOf(name)),
    ...(engine?.names ?? []).map((name) => `${engineAt}${engine?.version}/${name}`),
  ];
  const version = createHash('sha256').update([packageVersion(), ...names].join('\n'));
  return {
    version: version.digest('hex').slice(0, 10),
    assets: names.map((name) => `${rootPath}${assetsAt}/${name}`),
    assetsAt: `${rootPath}${assetsAt}/`,
    pagesAt: `${rootPath}/tools`,
  };
}
