// Checks of the addresses that the service listens on.
import { createServer } from 'node:net';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { type Config, settings } from '../rules/settings/config.ts';

type PortSetting = 'port' | 'legacyPort' | 'metricsPort';

/** Maps a system error of `listen` to an error that names the setting. */
export function describeListening(
  thrown: NodeJS.ErrnoException,
  host: string,
  port: number,
  setting: PortSetting,
): EarshotError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'this user has no permission to listen there',
    EADDRNOTAVAIL: 'this machine does not have that address',
  };
  const reason = reasons[thrown.code ?? ''];
  if (reason === undefined) return EarshotError.from(thrown);
  return new EarshotError('conflict', `Expected to listen on ${host}:${port} but ${reason}`, {
    cause: thrown,
    nextAction:
      `Choose another port (${settings[setting].env}, --${settings[setting].flag}) ` +
      'or address (EARSHOT_HOST, --host).',
  });
}

async function tryAddress(host: string, port: number, setting: PortSetting): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, () => resolve());
    });
  } catch (thrown) {
    throw describeListening(thrown as NodeJS.ErrnoException, host, port, setting);
  } finally {
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  }
}

/**
 * Listens for a moment on every configured address, to report a busy one before creating folders, the database and
 * processes.
 * @throws EarshotError conflict with the address and its setting
 */
export async function refuseBusyPorts(
  config: Pick<Config, 'role' | 'host' | 'port' | 'legacyPort' | 'metricsHost' | 'metricsPort'>,
): Promise<void> {
  const { role, host, port, legacyPort, metricsHost, metricsPort } = config;
  if (role === 'worker') return;
  await tryAddress(host, port, 'port');
  if (legacyPort !== null) await tryAddress(host, legacyPort, 'legacyPort');
  if (metricsPort !== null) await tryAddress(metricsHost, metricsPort, 'metricsPort');
}
