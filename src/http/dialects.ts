import type { Dialects } from './server/dialect.ts';
import { tryDialect } from './try/dialect.ts';
import { v1Dialect, type V1Parts } from './v1/dialect.ts';

/** What the service speaks over HTTP. A new dialect is its folder and a line here. */
export const dialects = (parts: V1Parts): Dialects => [v1Dialect(parts), tryDialect(parts)];
