import type { Config } from '../../rules/config.ts';
import type { Service } from '../../rules/service.ts';
import type { AnyTool } from '../../../library/tools/declare/define.ts';

/** Dependencies of the older API. */
export interface LegacyDeps {
  readonly service: Pick<Service, 'access' | 'legacyJobs'>;
  readonly config: Pick<Config, 'accountSockets' | 'maxFileBytes'>;
  readonly tools: readonly AnyTool[];
}
