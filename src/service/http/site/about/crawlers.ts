// What search engines read: which pages there are, and which are not for them.
import type { FastifyInstance } from 'fastify';
import { html, render } from '../../../../library/core/markup.ts';
import { guideNames } from '../docs/guides.ts';
import { type Site, visitorPage } from '../frame/site.ts';

/** Links whose address is a credential, the APIs, and what belongs to an account. */
const notForThem = [
  '/api/',
  '/runs/',
  '/finish/',
  '/payments/',
  '/upload/',
  '/shared/',
  '/files',
  '/credits',
  '/choose',
];

/** GET /robots.txt, /sitemap.xml */
export function crawlerRoutes(scope: FastifyInstance, site: Site): void {
  const options = { config: { access: 'public' as const }, schema: { hide: true } };
  scope.get('/robots.txt', options, (request, reply) => {
    const { base } = visitorPage(site, request);
    const lines = ['User-agent: *', ...notForThem.map((path) => `Disallow: ${site.rootPath}${path}`)];
    return reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(`${[...lines, '', `Sitemap: ${base}/sitemap.xml`].join('\n')}\n`);
  });
  scope.get('/sitemap.xml', options, async (request, reply) => {
    const { base } = visitorPage(site, request);
    const offers = await site.service.tools.offers();
    const tools = site.tools.filter(({ id }) => offers.some((offer) => offer.id === id));
    const paths = [
      '/',
      '/tools',
      '/prices',
      '/help',
      '/kept',
      '/docs',
      ...tools.map(({ slug }) => `/tools/${slug}`),
      ...guideNames().map(([name]) => `/docs/${name}`),
    ];
    const urls = paths.map((path) => html`<url><loc>${base + path}</loc></url>`);
    return reply
      .type('application/xml; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(
        '<?xml version="1.0" encoding="UTF-8"?>\n' +
          `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${render(urls)}</urlset>\n`,
      );
  });
}
