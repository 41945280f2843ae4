import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

/**
 * A word for this machine in the names of temporary folders: a folder may be shared with other machines or containers,
 * whose process ids mean nothing here. On macOS only the first part of the host name, since the domain changes with
 * each network.
 */
export function hostMark(name: string = hostname(), system: NodeJS.Platform = process.platform): string {
  const lasting = system === 'darwin' ? (name.toLowerCase().split('.', 1)[0] ?? '') : name;
  return createHash('sha256').update(lasting).digest('hex').slice(0, 8);
}
