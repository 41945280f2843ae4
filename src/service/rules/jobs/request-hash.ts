import { createHash } from 'node:crypto';
import type { JobRequest } from '../../../library/contract/job-request.ts';

/** SHA-256, hex, of what a request asks for, whatever the order of its fields. The key itself is not part of it. */
export function hashRequest({ tool, inputs, options, maxCredits, free }: JobRequest): string {
  return createHash('sha256')
    .update(canonicalJson({ tool, inputs, options, maxCredits, free: free ?? null }))
    .digest('hex');
}

/** JSON with the keys of every object in order. Fields that are undefined are left out, as JSON does. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isPlainObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
