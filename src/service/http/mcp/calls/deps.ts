import type { Config } from '../../../rules/config.ts';
import type { Service } from '../../../rules/service.ts';
import type { AnyTool } from '../../../../library/tools/declare/define.ts';

/** Dependencies of the MCP endpoint. */
export interface McpDeps {
  readonly service: Service;
  readonly config: Config;
  readonly tools: readonly AnyTool[];
  /** Path prefix in a host app, without a trailing slash. Default: ''. */
  readonly rootPath?: string;
}
