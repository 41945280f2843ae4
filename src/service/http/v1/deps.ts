import type { Config } from '../../rules/config.ts';
import type { Service } from '../../rules/service.ts';
import type { AnyTool } from '../../../library/tools/declare/define.ts';

/** Dependencies of the routes. */
export interface RouteDeps {
  readonly service: Service;
  readonly config: Config;
  readonly tools: readonly AnyTool[];
  /** Aborted when the service begins to stop: waiting requests must be answered. */
  readonly closing: AbortSignal;
}
