import type { Config } from '../settings/config.ts';
import type { Arrivals } from '../files/arrivals.ts';
import type { OrderJob } from '../jobs/order.ts';
import type { Changes } from '../shared/wait-for.ts';
import type { FileStore } from '../files/file-store.ts';
import type { FreeRunStore } from './free-run-store.ts';
import type { FreeUses } from '../accounts/free.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { LinkFetcher } from '../files/links.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { Prices } from '../tools/prices.ts';
import type { FactsByTool } from '../tools/tool-facts.ts';
import type { Tokens } from '../shared/tokens.ts';
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
