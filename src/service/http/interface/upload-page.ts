import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { UploadTicket } from '../../rules/files/upload-tickets.ts';

/** The page of an upload link: a route of the REST API, which the website renders. */
export interface UploadPage {
  send(
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
    readTicket: () => Promise<UploadTicket>,
  ): Promise<FastifyReply>;
  /** What it loads. */
  routes(scope: FastifyInstance): void;
}
