import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Requests that Node has handed over with their bare connection. */
const upgrading = new WeakSet<IncomingMessage>();

/**
 * Where there are websockets, Node hands a request that asks for an upgrade over without its body. Clients offer h2c
 * beside their uploads: that is declined, as where there are none.
 */
export function mayUpgrade(server: Server, request: IncomingMessage): boolean {
  const may = server.listenerCount('upgrade') > 0 && request.headers.upgrade?.toLowerCase() === 'websocket';
  if (may) upgrading.add(request);
  return may;
}

/** An answer other than a websocket ends such a connection: nobody reads from it any more, not even its end. */
export function endRefusedUpgrade(request: IncomingMessage, response: ServerResponse): void {
  if (upgrading.has(request)) response.once('finish', () => request.socket.destroySoon());
}
