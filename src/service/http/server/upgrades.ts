import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Requests that Node has passed on for an upgrade. */
const upgrading = new WeakSet<IncomingMessage>();

/**
 * With websockets, Node passes upgrade requests on without their bodies. Some clients offer h2c with their uploads,
 * which must be ignored.
 */
export function mayUpgrade(server: Server, request: IncomingMessage): boolean {
  const may = server.listenerCount('upgrade') > 0 && request.headers.upgrade?.toLowerCase() === 'websocket';
  if (may) upgrading.add(request);
  return may;
}

/** Closes the connection after a refused upgrade: Node no longer reads from it. */
export function endRefusedUpgrade(request: IncomingMessage, response: ServerResponse): void {
  if (upgrading.has(request)) response.once('finish', () => request.socket.destroySoon());
}
