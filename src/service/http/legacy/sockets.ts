import type { FastifyInstance } from 'fastify';
import { isFinal } from '../../rules/legacy-jobs/legacy-job-use-cases.ts';
import { accountOf } from '../server/context.ts';
import { createSocketKeeper } from '../server/socket-keeper.ts';
import { acceptWebsockets, noHandshake, requireSocketRoom } from '../server/websockets.ts';
import type { LegacyDeps } from './deps.ts';
import { statusMessage } from './records.ts';

/** Clients send no messages. */
const maxPayload = 1024;
const failedHere = 1011;

/**
 * WEBSOCKET /v1/wss/remove-noise/<jobId>/status: sends the status now and at every change, and closes after the last.
 */
export async function socketRoutes(
  app: FastifyInstance,
  { service: { legacyJobs }, config: { accountSockets } }: LegacyDeps,
): Promise<void> {
  const keeper = createSocketKeeper();
  await acceptWebsockets(app, { keeper, maxPayload });

  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/wss/remove-noise/:id/status',
    config: { access: 'account' },
    exposeHeadRoute: false,
    // Errors are sent as HTTP responses, before the handshake.
    preHandler: async (request) => {
      const account = accountOf(request);
      requireSocketRoom(keeper.count(account.id), accountSockets, 'of one account');
      await legacyJobs.status(account, jobId(request.params.id));
    },
    handler: (request) => {
      const id = jobId(request.params.id);
      throw noHandshake(`Poll GET /v1/remove-noise/${id}/status, or connect with a websocket.`);
    },
    wsHandler: (socket, request) => {
      const account = accountOf(request);
      request.upgraded = true;
      const kept = keeper.keep(socket, account.id);
      legacyJobs
        .follow(account, jobId(request.params.id), (status) => {
          const text = JSON.stringify(statusMessage(status, legacyJobs.nameOf));
          if (isFinal(status)) kept.end(text);
          else kept.say(text);
        })
        .then(
          ({ stop }) => kept.onGone(stop),
          (thrown: unknown) => {
            request.log.error({ err: thrown }, 'following a job failed');
            kept.fail(failedHere, 'Internal error; connect again');
          },
        );
    },
  });
}

const jobId = (given: string): string => given.slice(0, 100);
