import { homeDialect } from './home/dialect.ts';
import { legacyDialect } from './legacy/dialect.ts';
import type { Dialects } from './server/dialect.ts';
import { tryDialect } from './try/dialect.ts';
import { describeTry } from './try/openapi.ts';
import { v1Dialect, type V1Parts } from './v1/dialect.ts';

/** What the service speaks over HTTP. A new dialect is its folder and a line here. */
export const dialects = (parts: V1Parts): Dialects => [
  // openapi.json is v1's and describes the free API, too.
  v1Dialect(parts, { described: [describeTry(parts.tools)] }),
  tryDialect(parts),
  homeDialect(parts),
  ...(parts.config.legacyHost === null ? [] : [legacyDialect(parts, parts.config.legacyHost)]),
];

/** What it speaks at the port of the older API. */
export const legacyDialects = (parts: V1Parts): Dialects => [legacyDialect(parts)];
