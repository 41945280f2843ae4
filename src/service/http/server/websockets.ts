import websocket from '@fastify/websocket';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { SocketKeeper } from './socket-keeper.ts';

const listening = new WeakSet<object>();

export interface WebsocketScope {
  readonly keeper: SocketKeeper;
  /** Most bytes of one message of a client. */
  readonly maxPayload: number;
  /** Chooses the subprotocol; default: the first one that the client offers. */
  readonly handleProtocols?: (offered: Set<string>) => string | false;
}

/**
 * Lets the routes of a scope become websockets, with the keeper's end when the service stops. The scope should have no
 * other routes: handshakes on them would be accepted.
 */
export async function acceptWebsockets(
  scope: FastifyInstance,
  { keeper, maxPayload, handleProtocols }: WebsocketScope,
): Promise<void> {
  // The plugin passes each handshake of its server to the router: the first of them does it for all.
  const isFirst = !listening.has(scope.server);
  listening.add(scope.server);
  await scope.register(websocket, {
    options: {
      maxPayload,
      ...(handleProtocols === undefined ? {} : { handleProtocols }),
      ...(isFirst ? {} : { server: new EventEmitter() as Server }),
    },
    errorHandler: (error, socket, request) => {
      request.log.info({ err: error }, 'a websocket failed');
      socket.terminate();
    },
    preClose: (done) => {
      keeper.close();
      done();
    },
  });
}

const retryAfterSeconds = 10;

/** @throws EarshotError rate_limited */
export function requireSocketRoom(open: number, most: number, whose: string): void {
  if (open >= most)
    throw new EarshotError(
      'rate_limited',
      `Expected at most ${most} open websockets ${whose}; try again in ${retryAfterSeconds} s`,
      { details: { retryAfterSeconds } },
    );
}

/** For a route that is asked for without a handshake. */
export const noHandshake = (nextAction: string): EarshotError =>
  new EarshotError('bad_request', 'Expected a websocket handshake (Upgrade: websocket) but received none', {
    nextAction,
  });
