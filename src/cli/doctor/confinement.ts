// What jobs can reach on this system: tried, and told.
import { chooseConfinement } from '../../library/runtime/confine/choose.ts';
import { type Confinement, wantedConfinement, wantedSystemCalls } from '../../library/runtime/confine/confinement.ts';
import { firstClosed, jobUserRange } from '../../library/runtime/confine/job-users.ts';
import { type Attempt, type KernelOffers, kernelOffers, tryConfinement } from '../../library/runtime/confine/proof.ts';
import { neededPaths } from '../../library/runtime/confine/readable.ts';
import { nodeProgram } from '../../library/runtime/process/node-program.ts';
import { type Finding, reason } from './finding.ts';

const subject = 'confinement of jobs';

const isByLandlock = (chosen: Confinement, { landlock }: KernelOffers): boolean =>
  landlock > 0 && (chosen === 'best' || chosen === 'landlock');

/** What keeps a job from other files; none: nothing. */
function fileFences(chosen: Confinement, offers: KernelOffers): string[] {
  if (chosen === 'uid') {
    const { first, last } = jobUserRange();
    return [`users of their own (${first} to ${last}), who read only what all users may,`];
  }
  return [
    ...(isByLandlock(chosen, offers) ? [`Landlock ${offers.landlock}`] : []),
    ...(offers.namespaces && chosen !== 'landlock' ? ['namespaces'] : []),
  ];
}

/** What this version of Landlock leaves to the filters of system calls alone; null: nothing that we know of. */
function leftToFilters(landlock: number, hasOwnRoot: boolean): string | null {
  // In a root of its own what may only be read is mounted so.
  if (landlock < 3 && !hasOwnRoot) return 'the emptying of files, and signals to other processes,';
  return landlock < 6 ? 'signals to other processes' : null;
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? 'nothing') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/**
 * What came of trying.
 * @param attempts the first is what a job must be able to do, the others what it must not
 * @param closed a path that a user of its own could not read, for which jobs have none; null: none
 */
export function judge(
  chosen: Confinement,
  offers: KernelOffers,
  attempts: readonly Attempt[],
  closed: string | null,
): Finding {
  const [own, ...others] = attempts;
  const succeeded = others.filter(({ refusedBy }) => refusedBy === null);
  const reached = succeeded.filter(({ known }) => known === null).map(({ name }) => name);
  const fences = fileFences(chosen, offers);
  const bars = listed([...fences, ...(offers.seccomp ? ['filters of system calls'] : [])]);
  if (own?.refusedBy !== null)
    return { subject, state: 'broken', says: `a job could not write in its own folder (${own?.refusedBy})` };
  if (reached.length > 0)
    return {
      subject,
      state: 'limited',
      says: `${bars}: ${reached.length} of ${others.length} attempts succeeded: ${reached.join(', ')}`,
      nextAction:
        closed === null
          ? 'see docs/confinement.md for what the kernel or the container must allow'
          : `make ${closed} readable for all users: jobs can then run as users of their own`,
    };
  const beside = succeeded.length > 0 ? ` (${succeeded.length} lead nowhere: docs/confinement.md)` : '';
  const says = `${bars}: ${others.length - succeeded.length} of ${others.length} attempts refused${beside}`;
  const left = isByLandlock(chosen, offers)
    ? leftToFilters(offers.landlock, offers.namespaces && chosen !== 'landlock')
    : null;
  if (left === null) return { subject, state: 'fine', says };
  return {
    subject,
    state: 'limited',
    says: `${says}, ${left} by the filters alone`,
    nextAction: 'Linux 6.12 or later refuses them twice, see docs/confinement.md',
  };
}

/** Calls that are only logged are no fence, whatever was tried. */
function judged(finding: Finding): Finding {
  if (wantedSystemCalls() === 'refuse') return finding;
  return {
    ...finding,
    state: finding.state === 'broken' ? 'broken' : 'limited',
    says: `system calls are logged and not refused; ${finding.says}`,
    nextAction: 'unset EARSHOT_SYSTEM_CALLS',
  };
}

/** Tries what a job can reach here, as jobs are confined. */
export async function confinement(): Promise<Finding> {
  const wanted = wantedConfinement();
  if (wanted === 'off')
    return { subject, state: 'limited', says: 'switched off', nextAction: 'unset EARSHOT_CONFINEMENT' };
  const offers = kernelOffers();
  if (offers === null)
    return {
      subject,
      state: 'limited',
      says: `jobs see none of the environment’s secrets, and can reach what this user can: ${
        process.platform === 'linux' ? 'the launcher is missing or does not run' : `${process.platform} has no launcher`
      }`,
      nextAction: process.platform === 'linux' ? 'npm install --include=optional' : 'run services on Linux',
    };
  try {
    const needed = neededPaths(undefined, nodeProgram().path);
    const chosen = await chooseConfinement(wanted, needed);
    const attempts = chosen === 'off' ? [] : ((await tryConfinement(chosen)) ?? []);
    const closed = fileFences(chosen, offers).length === 0 && offers.uid ? await firstClosed(needed) : null;
    const facts = {
      wanted,
      offers,
      attempts: Object.fromEntries(attempts.map(({ name, refusedBy }) => [name, refusedBy])),
      known: Object.fromEntries(attempts.flatMap(({ name, known }) => (known === null ? [] : [[name, known]]))),
    };
    return { ...judged(judge(chosen, offers, attempts, closed)), facts };
  } catch (thrown) {
    return {
      subject,
      state: 'broken',
      says: reason(thrown),
      nextAction: 'see docs/confinement.md, or set EARSHOT_CONFINEMENT=off',
    };
  }
}
