import type { Config } from '../../rules/config.ts';
import type { Service } from '../../rules/service.ts';
import type { AnyTool } from '../../../library/tools/declare/define.ts';

/** What every group of routes is made from. */
export interface RouteDeps {
  readonly service: Service;
  readonly config: Config;
  readonly tools: readonly AnyTool[];
  /** Fires when the service begins to stop: whoever waits is answered with what there is. */
  readonly closing: AbortSignal;
}
