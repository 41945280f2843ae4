import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../rules/config.ts';
import type { Service, ToolOffer } from '../../rules/service.ts';
import type { AnyTool } from '../../../library/tools/declare/define.ts';
import { escapeHtml } from '../../../library/core/escape-html.ts';
import { sendPage } from '../pages/page.ts';
import { readStyle } from '../pages/page-files.ts';
import { callerOf } from '../server/mount.ts';

// Read once, when the service starts.
const style = readStyle('home-page.css');

/** Dependencies of the page. */
export interface HomeDeps {
  readonly service: Pick<Service, 'tools'>;
  readonly config: Pick<Config, 'baseUrl' | 'freeEnabled'>;
  readonly tools: readonly Pick<AnyTool, 'id' | 'slug' | 'title' | 'description'>[];
  /** Path prefix in a host app, without a trailing slash. Default: ''. */
  readonly rootPath?: string;
}

/** GET /: what the service is, its tools with prices, and links to the reference. */
export function sendHomePage(
  request: FastifyRequest,
  reply: FastifyReply,
  { service, config, tools, rootPath = '' }: HomeDeps,
): Promise<FastifyReply> {
  return sendPage(request, reply, { title: 'Earshot', style }, async () => {
    const { protocol, host } = callerOf(request);
    const base = config.baseUrl ?? `${protocol}://${host}${rootPath}`;
    const offers = new Map((await service.tools.offers()).map((offer) => [offer.id, offer]));
    const rows = tools.flatMap((tool) => {
      const offer = offers.get(tool.id);
      return offer === undefined ? [] : [toolRow(tool, offer)];
    });
    return `<p>This service processes audio and video files: noise removal, transcription, cutting, loudness and more.</p>
<nav class="card" aria-label="Reference">
<p><a href="${escapeHtml(`${rootPath}/api/openapi.json`)}">API reference</a>: every operation, field, range and default, with
examples (OpenAPI 3.1, for viewers and client generators)</p>
<p><a href="${escapeHtml(`${rootPath}/api/v1/tools`)}">Tools</a> with their prices, as JSON</p>
</nav>
${config.freeEnabled ? tryIt(base) : ''}
<section class="card">
<h2>With an API key</h2>
<p>Upload a file, start a job, poll it, and download the output, at <code>${escapeHtml(`${base}/api/v1`)}</code>:</p>
<pre><code>curl -H 'Authorization: Bearer svc_sk_...' \\
${escapeHtml(`${base}/api/v1/account`)}</code></pre>
</section>
<h2>Tools</h2>
<ul class="tools card">
${rows.join('\n')}
</ul>
<p class="soft">1 credit is 1 US cent. A job is charged only when it succeeds, and files are deleted automatically.</p>`;
  });
}

const tryIt = (base: string): string => `<section class="card">
<h2>Without an account</h2>
<p>The first part of a file, a few times a day:</p>
<pre><code>curl -F file=@talk.wav \\
${escapeHtml(`${base}/api/try/remove-noise`)} \\
-o clean.wav</code></pre>
</section>`;

function toolRow({ slug, title, description }: HomeDeps['tools'][number], offer: ToolOffer): string {
  const { creditsPerMinute, free, unavailable } = offer;
  const price = creditsPerMinute === 1 ? '1 credit per minute' : `${creditsPerMinute} credits per minute`;
  const allowance = free.enabled ? `${free.dailyUses} free uses a day (${covered(free.seconds)})` : '';
  const terms = [creditsPerMinute === 0 ? '' : price, allowance].filter((each) => each !== '').join('; ');
  return `<li><strong>${escapeHtml(title)}</strong> <code>${escapeHtml(slug)}</code>
<span>${escapeHtml(description)}</span>
<span class="soft">${unavailable === null ? escapeHtml(terms) : 'Not installed'}</span></li>`;
}

function covered(seconds: number | null): string {
  if (seconds === null) return 'the whole file';
  const [count, unit] = seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return count === 1 ? `the first ${unit}` : `the first ${count} ${unit}s`;
}
