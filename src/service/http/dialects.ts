import { legacyDialect } from './legacy/dialect.ts';
import { mcpDialect } from './mcp/dialect.ts';
import { oauthDialect } from './oauth/dialect.ts';
import { openaiDialect } from './openai/dialect.ts';
import { runnersDialect } from './runners/dialect.ts';
import type { RunnerRouteDeps } from './runners/routes.ts';
import type { Dialect, Dialects } from './server/dialect.ts';
import { siteDialect } from './site/dialect.ts';
import { createSite } from './site/frame/site.ts';
import { paymentsDialect } from './site/payments/dialect.ts';
import { tryDialect } from './try/dialect.ts';
import { describeTry } from './try/openapi.ts';
import { uploadPage } from './site/upload/upload-page.ts';
import { type V1Options, v1Routes } from './v1/dialect.ts';
import type { DialectDeps } from './interface/dialect-deps.ts';

/** The REST API (/api/v1), its file links, and openapi.json. */
export const v1Dialect = (deps: DialectDeps, options: V1Options = {}): Dialect =>
  v1Routes(deps, options, uploadPage(createSite(deps)));

/** The HTTP dialects of the service. A new one needs its folder and a line here. */
/** @param runners default: no machine runs jobs over https */
export function dialects(deps: DialectDeps, runners: RunnerRouteDeps | null = null): Dialects {
  const pages = createSite(deps);
  const site = deps.config.site ? siteDialect(pages) : null;
  return [
    // v1's openapi.json also describes the free API.
    v1Dialect(deps, { described: [describeTry(deps.tools)] }),
    tryDialect(deps, site ?? {}),
    paymentsDialect(pages, site?.errorAnswer),
    ...(runners === null ? [] : [runnersDialect(runners)]),
    ...(site === null ? [] : [site]),
    ...(deps.service.programs === null ? [] : [oauthDialect({ ...deps, programs: deps.service.programs })]),
    ...(deps.config.mcp ? [mcpDialect(deps)] : []),
    ...(deps.config.openaiApi ? [openaiDialect(deps)] : []),
    ...(deps.config.legacyHost === null ? [] : [legacyDialect(deps, deps.config.legacyHost)]),
  ];
}

/** The dialects at the separate port of the older API. */
export const legacyDialects = (deps: DialectDeps): Dialects => [legacyDialect(deps)];
