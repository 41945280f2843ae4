import type { Config } from '../../rules/settings/config.ts';
import type { Service } from '../../rules/service.ts';
import type { OfferedTool } from '../../offers/offers.ts';

/** Dependencies of the older API. */
export interface LegacyDeps {
  readonly service: Pick<Service, 'access' | 'legacyJobs'>;
  readonly config: Pick<Config, 'accountSockets' | 'maxFileBytes'>;
  readonly tools: readonly OfferedTool[];
}
