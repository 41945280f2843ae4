import { gunzipSync, gzipSync } from 'node:zlib';
import type { FinishedPart } from '../../../../library/core/progress/finished-parts.ts';

/** A larger row is not ours. */
const mostBytes = 32 * 2 ** 20;

/** null: nothing */
export const packParts = (parts: readonly FinishedPart[]): Buffer | null =>
  parts.length === 0 ? null : gzipSync(JSON.stringify(parts));

/** What `packParts` made; nothing where it cannot be read, since the work can be done again. */
export function unpackParts(packed: Buffer): readonly FinishedPart[] {
  try {
    const parts: unknown = JSON.parse(gunzipSync(packed, { maxOutputLength: mostBytes }).toString('utf8'));
    return Array.isArray(parts)
      ? parts.filter((part) => typeof (part as Partial<FinishedPart> | null)?.key === 'string')
      : [];
  } catch {
    return [];
  }
}
