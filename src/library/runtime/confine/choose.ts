// Chooses how jobs are confined on this system.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EarshotError } from '../../core/errors/errors.ts';
import { nativeProcesses } from '../../kernels/processes.ts';
import { type Confinement, launcher } from './confinement.ts';
import { firstClosed, jobUserRange } from './job-users.ts';
import { kernelOffers } from './proof.ts';

const execute = promisify(execFile);
let found: Promise<string> | undefined;

/** The common case, for which no process need be started. */
function hasLandlock(): boolean {
  try {
    return nativeProcesses().landlockVersion() > 0;
  } catch {
    return false;
  }
}

/** What the launcher would do for `best` with a user to switch to, "landlock,seccomp". Asked once, asynchronously. */
const askedLayers = (program: string): Promise<string> =>
  (found ??= execute(program, ['--best', String(jobUserRange().first)], { timeout: 5000 }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  ));

const bestLayers = (program: string): Promise<string> =>
  hasLandlock() ? Promise.resolve('landlock') : askedLayers(program);

/**
 * Answers the wanted method, with one exception: for `best` as root with neither Landlock nor namespaces it is `uid`,
 * if a separate user can read what every job needs. The launcher resolves `best` otherwise.
 * @param needed what every job reads: Node, our code, packages, models
 * @param ask what the launcher would do
 * @throws EarshotError tool_unavailable where the wanted method is not available
 */
export async function chooseConfinement(
  wanted: Confinement,
  needed: readonly string[],
  ask = bestLayers,
): Promise<Confinement> {
  const program = launcher();
  if (wanted === 'off' || (wanted === 'best' && program === null)) return wanted;
  if (program === null) throw unavailable(`This system has no launcher that confines jobs by ${wanted}`);
  if (wanted === 'uid') {
    if (kernelOffers()?.uid !== true)
      throw unavailable(
        'Jobs cannot run as users of their own: that needs root with the rights to change its user, give files away ' +
          'and end processes of other users',
      );
  } else if (wanted !== 'best' || process.getuid?.() !== 0 || !(await ask(program)).startsWith('uid')) return wanted;
  const closed = await firstClosed(needed);
  if (closed === null) return 'uid';
  if (wanted === 'best') return wanted;
  throw unavailable(`Jobs that run as users of their own cannot read ${closed}`, {
    nextAction: 'Make it readable for all users, or install Earshot and its models elsewhere (EARSHOT_MODELS).',
    details: { path: closed },
  });
}

const unavailable = (
  message: string,
  options: { nextAction?: string; details?: { path: string } } = {},
): EarshotError =>
  new EarshotError('tool_unavailable', message, {
    nextAction: 'Run `earshot doctor`, which lists what this system offers, or set EARSHOT_CONFINEMENT=off.',
    ...options,
  });

/** What keeps every job from this machine's files and system calls: `uid`, or the kernel; null: nothing. */
export async function fenceHere(wanted: Confinement, needed: readonly string[]): Promise<'kernel' | 'uid' | null> {
  const program = launcher();
  if (wanted === 'off' || program === null) return null;
  const layers = await askedLayers(program);
  if (!layers.includes('seccomp')) return null;
  if ((await chooseConfinement(wanted, needed).catch(() => null)) === 'uid') return 'uid';
  return /landlock|namespaces/.test(layers) ? 'kernel' : null;
}
