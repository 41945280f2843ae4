// Which way of confining jobs is taken here.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EarshotError } from '../../core/errors.ts';
import { nativeKernels } from '../../kernels/load.ts';
import { type Confinement, launcher } from './confinement.ts';
import { firstClosed, jobUserRange } from './job-users.ts';
import { kernelOffers } from './proof.ts';

const execute = promisify(execFile);
let found: Promise<string> | undefined;

/** The usual answer, for which no process need be started. */
function hasLandlock(): boolean {
  try {
    return nativeKernels().landlockVersion() > 0;
  } catch {
    return false;
  }
}

/** What the launcher would do for `best` with a user to become, "landlock,seccomp"; asked once, holding nobody up. */
const askedLayers = (program: string): Promise<string> =>
  (found ??= execute(program, ['--best', String(jobUserRange().first)], { timeout: 5000 }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  ));

const bestLayers = (program: string): Promise<string> =>
  hasLandlock() ? Promise.resolve('landlock') : askedLayers(program);

/**
 * The way itself, but for `best` where root has neither Landlock nor namespaces: then `uid`, if a user of its own can read
 * what every job needs; where not, all stays as it is for others who have no fence. All else that `best` means the launcher
 * knows by itself.
 * @param needed what every job reads: Node, our code, packages, models
 * @param ask what the launcher would do
 * @throws EarshotError tool_unavailable where the way that is asked for cannot be had
 */
export async function chooseConfinement(
  wanted: Confinement,
  needed: readonly string[],
  ask = bestLayers,
): Promise<Confinement> {
  const program = launcher();
  if (wanted === 'off' || (wanted === 'best' && program === null)) return wanted;
  if (program === null) throw unavailable(`There is no launcher that could confine jobs by ${wanted} on this system`);
  if (wanted === 'uid') {
    if (kernelOffers()?.uid !== true)
      throw unavailable(
        'Jobs cannot have users of their own here: only root can make them, if it may change its user, give files away and end ' +
          'processes of others',
      );
  } else if (wanted !== 'best' || process.getuid?.() !== 0 || !(await ask(program)).startsWith('uid')) return wanted;
  const closed = await firstClosed(needed);
  if (closed === null) return 'uid';
  if (wanted === 'best') return wanted;
  throw unavailable(`Jobs with users of their own could not read ${closed}`, {
    nextAction: 'Let everybody read it, or install Earshot and its models elsewhere (EARSHOT_MODELS).',
    details: { path: closed },
  });
}

const unavailable = (
  message: string,
  options: { nextAction?: string; details?: { path: string } } = {},
): EarshotError =>
  new EarshotError('tool_unavailable', message, {
    nextAction: 'Run `earshot doctor`, which says what this system offers; EARSHOT_CONFINEMENT=off does without.',
    ...options,
  });

/** What fences every job off from the files of this machine, and from its calls: `uid`, or the kernel; null: nothing. */
export async function fenceHere(wanted: Confinement, needed: readonly string[]): Promise<'kernel' | 'uid' | null> {
  const program = launcher();
  if (wanted === 'off' || program === null) return null;
  const layers = await askedLayers(program);
  if (!layers.includes('seccomp')) return null;
  if ((await chooseConfinement(wanted, needed).catch(() => null)) === 'uid') return 'uid';
  return /landlock|namespaces/.test(layers) ? 'kernel' : null;
}
