import { wantedConfinement, wantedSystemCalls } from '../../library/runtime/confine/confinement.ts';
import { fenceHere } from '../../library/runtime/confine/choose.ts';
import { closeToOthers } from '../../library/runtime/confine/job-users.ts';
import { neededPaths } from '../../library/runtime/confine/readable.ts';
import type { Config } from '../rules/settings/config.ts';
import type { Log } from '../rules/shared/log.ts';

/** Warns at the start if jobs are not isolated from this machine. */
export async function prepareFence(
  config: Pick<Config, 'modelsDir'>,
  closed: readonly string[],
  log: Log,
): Promise<void> {
  const fence = await fenceHere(wantedConfinement(), neededPaths(config.modelsDir ?? undefined));
  // Separate users can still read world-readable files.
  if (fence === 'uid') await Promise.all(closed.map(closeToOthers));
  if (wantedSystemCalls() === 'log')
    log.warn(
      {},
      'System calls of jobs are logged and not refused (EARSHOT_SYSTEM_CALLS=log): not for strangers’ files',
    );
  if (fence !== null) return;
  log.warn({}, 'Jobs are not isolated from this machine; see earshot doctor and docs/confinement.md');
}
