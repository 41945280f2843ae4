import type { Config } from '../../service/config.ts';
import type { Service } from '../../service/service.ts';
import type { AnyTool } from '../../tools/declare/define.ts';

/** What the older API is made from. */
export interface LegacyParts {
  readonly service: Pick<Service, 'access' | 'legacyJobs'>;
  readonly config: Pick<Config, 'accountSockets' | 'maxFileBytes'>;
  readonly tools: readonly AnyTool[];
}
