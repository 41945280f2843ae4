import { createHash } from 'node:crypto';
import type { JobRequest } from '../../../library/contract/job-request.ts';

/** SHA-256, hex, of a request without its idempotency key, independent of the order of fields. */
export function hashRequest({ tool, inputs, options, maxCredits, free }: JobRequest): string {
  return createHash('sha256')
    .update(canonicalJson({ tool, inputs, options, maxCredits, free: free ?? null }))
    .digest('hex');
}

/** JSON with sorted keys. Undefined fields are left out, as in JSON. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isPlainObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
