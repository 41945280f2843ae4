import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../rules/config.ts';
import type { Service, UploadTicket } from '../../rules/service.ts';
import type { OfferedTool } from '../../offers/offers.ts';

/** Answers with the page of an upload link, which is one of the website's. */
export type SendUploadPage = (
  request: FastifyRequest<{ Params: { token: string } }>,
  reply: FastifyReply,
  readTicket: () => Promise<UploadTicket>,
) => Promise<FastifyReply>;

/** Dependencies of the routes. */
export interface RouteDeps {
  readonly service: Service;
  readonly config: Config;
  readonly tools: readonly OfferedTool[];
  readonly uploadPage: SendUploadPage;
  /** Aborted when the service begins to stop: waiting requests must be answered. */
  readonly closing: AbortSignal;
}
