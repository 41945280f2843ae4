import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { AbortError } from '../../../library/core/abort.ts';
import type { EarshotError } from '../../../library/core/errors/errors.ts';
import { isPublicAddress, literalAddress } from './public-address.ts';

/**
 * The network, for tests. Replacing it bypasses no check: addresses are checked before they are dialled.
 */
export interface Network {
  /** All addresses of a name. */
  resolve(host: string): Promise<readonly string[]>;
  /** Connects to one of these addresses. */
  dial(addresses: readonly string[], port: number): Socket;
  /** Certificates to trust instead of the system's, PEM. */
  readonly trust?: string;
}

export const publicNetwork: Network = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  dial: (addresses, port) =>
    connectTcp({
      host: 'checked-address',
      port,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 2500,
      // Only checked addresses: a second lookup could return others (DNS rebinding).
      lookup: (_host, { all }, callback) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) callback(null, found);
        else callback(null, found[0]?.address ?? '', found[0]?.family ?? 4);
      },
    }),
};

/**
 * A TLS connection to a public address of the host. A name with any address that is not public is refused.
 * @throws EarshotError fetch_failed; errors of the sockets; AbortError
 */
export async function openSecureConnection(
  network: Network,
  host: string,
  port: number,
  connectMs: number,
  signal: AbortSignal,
  failed: (host: string, reason: string, retryable: boolean) => EarshotError,
): Promise<TLSSocket> {
  const literal = literalAddress(host);
  const addresses = literal === null ? await abortable(network.resolve(host), signal) : [literal];
  // The same message as for a name that does not exist, so that internal names cannot be probed.
  if (addresses.length === 0 || !addresses.every(isPublicAddress))
    throw failed(host, 'its name does not resolve to a public address', false);
  const socket = network.dial(addresses, port);
  return await new Promise((resolve, reject) => {
    const secure = connectTls({
      socket,
      host,
      ...(literal === null ? { servername: host } : {}),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
      ...(network.trust === undefined ? {} : { ca: network.trust }),
    });
    const fail = (thrown: unknown): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      secure.destroy();
      socket.destroy();
      reject(thrown);
    };
    const onAbort = (): void => fail(new AbortError());
    const onClose = (): void =>
      fail(socket.errored ?? Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' }));
    const timer = setTimeout(
      () => fail(Object.assign(new Error('The connection took too long'), { code: 'ETIMEDOUT' })),
      connectMs,
    );
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    // Never removed: a late error of an abandoned connection must not crash the process.
    socket.on('error', fail);
    secure.on('error', fail);
    secure.once('close', onClose);
    secure.once('secureConnect', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      secure.off('close', onClose);
      resolve(secure);
    });
  });
}

/**
 * Rejects when aborted, so that a slow name server does not delay a shutdown. The lookup itself cannot be cancelled.
 */
function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new AbortError());
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
