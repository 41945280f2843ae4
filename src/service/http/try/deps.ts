import type { Config } from '../../rules/config.ts';
import type { Service } from '../../rules/service.ts';
import type { AnyTool } from '../../../library/tools/declare/define.ts';

/** What the free API is made from. */
export interface TryDeps {
  readonly service: Service;
  readonly config: Config;
  readonly tools: readonly AnyTool[];
  /** Path in front of all paths in a host app, without a slash at its end. Default: '', none. */
  readonly rootPath?: string;
}
