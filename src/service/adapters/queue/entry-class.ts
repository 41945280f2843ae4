import { createHash } from 'node:crypto';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import { classOf } from '../../rules/fleet/job-classes.ts';
import { toolsWithModels } from '../../rules/fleet/pools.ts';

/** What decides which machines may run a job, and who goes first. */
export interface ClassedOrder {
  /** null: a visitor's. */
  readonly accountId: string | null;
  readonly free: boolean;
  readonly tool: ToolId;
  /** The version of Earshot that took the order; null: any. */
  readonly promisedVersion: string | null;
  /** The models that it had; null: any. */
  readonly promisedModels: readonly string[] | null;
}

/**
 * The class of a job in its queue entry: "paid" or "free", and what the order was promised. Jobs of one class suit the
 * same machines, so that a worker looks at each class once and not at each waiting job.
 */
export function entryClassOf(job: ClassedOrder): string {
  const models = toolsWithModels.includes(job.tool) ? (job.promisedModels?.toSorted() ?? null) : null;
  const promise = JSON.stringify([job.promisedVersion, models]);
  return `${classOf(job)} ${createHash('sha256').update(promise).digest('base64url').slice(0, 16)}`;
}
