import type { LiveVoices } from '../../../library/contract/live-voices.ts';
import type { Config } from '../../rules/settings/config.ts';
import type { Service } from '../../rules/service.ts';
import type { OfferedTool } from '../../offers/offers.ts';

/** What a dialect needs: the REST API, the free API, MCP, the website. */
export interface DialectDeps {
  readonly service: Service;
  readonly config: Config;
  readonly tools: readonly OfferedTool[];
  /** Where people speak in sound that is still arriving. Absent: no realtime sessions. */
  readonly liveVoices?: LiveVoices;
  /** Path prefix in a host app, without a trailing slash. Default: ''. */
  readonly rootPath?: string;
}
