import type { LiveVoices } from '../../../library/contract/live-voices.ts';
import type { Config } from '../../rules/settings/config.ts';
import type { Service } from '../../rules/service.ts';
import type { OfferedTool } from '../../offers/offers.ts';

/** Dependencies of OpenAI's endpoints. */
export interface OpenaiDeps {
  readonly service: Service;
  readonly config: Config;
  readonly tools: readonly OfferedTool[];
  /** Absent: no realtime sessions. */
  readonly liveVoices?: LiveVoices;
}
