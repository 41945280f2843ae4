import type { Config } from '../config.ts';
import type { Arrivals } from '../files/arrivals.ts';
import type { OrderJob } from '../jobs/order.ts';
import type { Changes, FileStore, FreeRunStore, FreeUses, JobStore, LinkFetcher, ObjectStore } from '../ports.ts';
import type { Prices } from '../prices.ts';
import type { FactsByTool } from '../tool-facts.ts';
import type { Tokens } from '../tokens.ts';
import type { Visitors } from './visitors.ts';

/** Dependencies of the free API's use cases. */
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
  readonly prices: Prices;
  readonly order: OrderJob;
  readonly arrivals: Arrivals;
  readonly config: Config;
  /** The service's public address, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly now: () => Date;
}
