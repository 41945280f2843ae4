import { newId } from '../../src/service/rules/shared/ids.ts';
import type { JobStore } from '../../src/service/rules/jobs/job-store.ts';

/** A job of a minute without files, for a credit. */
export const newEmptyJob = (accountId: string): Parameters<JobStore['create']>[0] => ({
  id: newId('job'),
  accountId,
  freeSubject: { id: accountId, day: '2026-11-21' },
  tool: 'remove_noise',
  inputs: {},
  options: {},
  idempotency: null,
  billing: { seconds: 60, creditsPerMinute: 1 },
  decide: () => ({ free: false, windowSeconds: null, price: 1 }),
});
