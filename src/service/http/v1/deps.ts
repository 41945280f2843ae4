import type { Config } from '../../rules/settings/config.ts';
import type { Service } from '../../rules/service.ts';
import type { OfferedTool } from '../../offers/offers.ts';
import type { UploadPage } from '../interface/upload-page.ts';
import type { EventStreams } from '../server/events.ts';

/** Dependencies of the routes. */
export interface RouteDeps {
  readonly service: Service;
  readonly config: Config;
  readonly tools: readonly OfferedTool[];
  readonly uploadPage: UploadPage;
  /** Of jobs and chains: they share the bound of an account. */
  readonly streams: EventStreams;
  /** Aborted when the service begins to stop: waiting requests must be answered. */
  readonly closing: AbortSignal;
}
