import { homeDialect } from './home/dialect.ts';
import { legacyDialect } from './legacy/dialect.ts';
import type { Dialects } from './server/dialect.ts';
import { tryDialect } from './try/dialect.ts';
import { describeTry } from './try/openapi.ts';
import { v1Dialect, type V1Deps } from './v1/dialect.ts';

/** What the service speaks over HTTP. A new dialect is its folder and a line here. */
export const dialects = (deps: V1Deps): Dialects => [
  // openapi.json is v1's and describes the free API, too.
  v1Dialect(deps, { described: [describeTry(deps.tools)] }),
  tryDialect(deps),
  homeDialect(deps),
  ...(deps.config.legacyHost === null ? [] : [legacyDialect(deps, deps.config.legacyHost)]),
];

/** What it speaks at the port of the older API. */
export const legacyDialects = (deps: V1Deps): Dialects => [legacyDialect(deps)];
