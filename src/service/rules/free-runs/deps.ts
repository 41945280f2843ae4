import type { Config } from '../config.ts';
import type { Arrivals } from '../files/arrivals.ts';
import type { OrderJob } from '../jobs/order.ts';
import type { Changes, FileStore, FreeRunStore, FreeUses, JobStore, LinkFetcher, ObjectStore } from '../ports.ts';
import type { FactsByTool } from '../tool-facts.ts';
import type { Tokens } from '../tokens.ts';
import type { Visitors } from './visitors.ts';

/** What the use cases of the free API are made from. */
export interface FreeRunsDeps {
  readonly freeRuns: FreeRunStore;
  readonly freeUses: FreeUses;
  readonly files: FileStore;
  readonly jobs: JobStore;
  readonly objects: ObjectStore;
  readonly links: LinkFetcher;
  readonly changes: Changes;
  readonly tokens: Tokens;
  readonly visitors: Visitors;
  readonly tools: FactsByTool;
  readonly order: OrderJob;
  readonly arrivals: Arrivals;
  readonly config: Config;
  /** Where clients reach the service, without a slash at its end. */
  readonly baseUrl: () => string;
  readonly now: () => Date;
}
