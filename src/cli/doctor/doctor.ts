import { addedModels, addedName } from '../../library/models/added-models.ts';
import { knownModels, modelBytes } from '../../library/models/manifest.ts';
import { searchFolders } from '../../library/models/folders.ts';
import { findModel } from '../../library/models/installed.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { tooSmallFor } from '../../library/contract/job-memory.ts';
import { serviceRestBytes } from '../../library/core/machine/sizing.ts';
import { loadConfig } from '../../service/rules/settings/config.ts';
import { nativeAddon } from '../../library/kernels/addon.ts';
import { nativeKernels } from '../../library/kernels/load.ts';
import { type Greeting, greetingMilliseconds, nodeProgram } from '../../library/runtime/process/node-program.ts';
import { spawnJobProcess } from '../../library/runtime/process/spawn.ts';
import { type ExitCode, exitCodes } from '../terminal/exit.ts';
import { confinement } from './confinement.ts';
import { type Finding, reason, type State } from './finding.ts';

const signs: Readonly<Record<State, string>> = { fine: 'ok', limited: '--', broken: 'NO' };

/** A missing part: the error says how to install it. */
function unfit(subject: string, thrown: unknown): Finding {
  const { message, nextAction } = EarshotError.from(thrown);
  return { subject, state: 'broken', says: message.split('\n')[0] ?? '', nextAction };
}

function kernels(): Finding {
  const subject = 'native kernels';
  try {
    const { simd } = nativeKernels();
    if (simd !== 'wasm') return { subject, state: 'fine', says: `loaded, ${simd}` };
  } catch (thrown) {
    return unfit(subject, thrown);
  }
  const says = 'WebAssembly: the same results, mostly one to four times as slow; ';
  try {
    nativeAddon();
    return {
      subject,
      state: 'limited',
      says: `${says}EARSHOT_KERNELS asks for it`,
      nextAction: 'unset EARSHOT_KERNELS',
    };
  } catch (thrown) {
    const { says: why, nextAction } = unfit(subject, thrown);
    return { subject, state: 'limited', says: `${says}${why}`, ...(nextAction !== undefined && { nextAction }) };
  }
}

async function mediaLibrary(): Promise<Finding> {
  const subject = 'media library';
  try {
    const { libraryVersion } = await import('../../library/media/ffmpeg/library-version.ts');
    return { subject, state: 'fine', says: `FFmpeg ${libraryVersion()}` };
  } catch (thrown) {
    return unfit(subject, thrown);
  }
}

async function models(): Promise<Finding> {
  const folders = searchFolders();
  const added = (await Promise.all(folders.map(addedModels))).flat();
  const startedAt = performance.now();
  // Every byte is read: a file of the right size may still be damaged. It takes about half a second.
  const found = await Promise.all(
    [
      ...knownModels().map((model) => ({ id: model.id, model })),
      ...added.map((model) => ({ id: addedName(model), model })),
    ].map(async ({ id, model }) => ({
      id,
      state: (await findModel(model, folders, 'hash')).state,
      bytes: modelBytes(model),
    })),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const named = (state: string): string[] => found.filter((each) => each.state === state).map(({ id }) => id);
  const [installed, broken] = [named('installed'), named('broken')];
  const facts = Object.fromEntries(found.map(({ id, state }) => [id, state]));
  const subject = 'models';
  if (broken.length > 0)
    return {
      subject,
      state: 'broken',
      says: `damaged: ${broken.join(', ')}`,
      nextAction: `earshot models verify ${broken.join(' ')}`,
      facts,
    };
  if (installed.length === 0)
    return { subject, state: 'limited', says: 'none: no transcripts', nextAction: 'npm install earshot-models', facts };
  const bytes = found.filter(({ state }) => state === 'installed').reduce((sum, each) => sum + each.bytes, 0);
  const says = `${installed.join(', ')}: ${Math.round(bytes / 1e6)} MB read in ${seconds.toFixed(1)} s, all correct`;
  return { subject, state: 'fine', says, facts };
}

/** Does this processor compute networks correctly? */
async function networks(): Promise<Finding> {
  const subject = 'networks';
  const { tryNetworks } = await import('./networks.ts');
  const states = (await tryNetworks()).filter(({ deviation }) => deviation !== null);
  const facts = Object.fromEntries(states.map(({ name, deviation }) => [name, deviation]));
  const wrong = states.filter(({ right }) => !right).map(({ name }) => name);
  if (wrong.length > 0)
    return {
      subject,
      state: 'broken',
      says: `this processor computes ${wrong.join(', ')} wrong`,
      nextAction: 'run Earshot on another kind of processor, and report `earshot doctor --json` to its developers',
      facts,
    };
  if (states.length === 0) return { subject, state: 'limited', says: 'none to try: no model is installed', facts };
  return { subject, state: 'fine', says: `${states.length} of ${states.length} answer correctly`, facts };
}

/** Is the program for job processes a Node? Starts one. */
async function jobProcesses(): Promise<Finding> {
  const subject = 'job processes';
  try {
    const node = nodeProgram();
    const job = spawnJobProcess({ node, bounds: null });
    const timer = setTimeout(() => job.kill(), greetingMilliseconds);
    try {
      const heard = await Promise.race([
        new Promise<Greeting | null>((resolve) =>
          job.listen((message) => resolve(message.type === 'ready' ? message : null)),
        ),
        job.exit,
      ]);
      const wrong = job.misfit(heard !== null && 'exitCode' in heard ? heard : null);
      if (wrong !== null) throw wrong;
      if (heard === null || !('version' in heard)) throw new Error('a job process was started but did not answer');
      const where = node.namedBy === null ? 'that of this process' : `${node.path}, ${node.namedBy}`;
      return { subject, state: 'fine', says: `Node ${heard.version}, ${where}`, facts: { path: node.path } };
    } finally {
      clearTimeout(timer);
      job.kill();
      await job.exit;
    }
  } catch (thrown) {
    return unfit(subject, thrown);
  }
}

/** Do the jobs that run at the same time fit into the machine, and each tool into a job? */
function memory(): Finding {
  const subject = 'cores and memory';
  try {
    const { cores, memoryBytes, jobSlots, jobMemoryBytes } = loadConfig();
    const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
    const sumBytes = jobSlots * jobMemoryBytes + serviceRestBytes;
    const facts = { cores, memoryBytes, jobSlots, jobMemoryBytes, serviceBytes: serviceRestBytes, sumBytes };
    const says =
      `${cores} cores, ${mebibytes(memoryBytes)}; the service runs ${jobSlots} jobs at a time of at most ` +
      `${mebibytes(jobMemoryBytes)}, with itself ${mebibytes(sumBytes)} in all`;
    const missing = tooSmallFor(jobMemoryBytes);
    if (missing.length > 0)
      return {
        subject,
        state: 'limited',
        says: `${says}; too little for some tools: ${missing.join('; ')}`,
        nextAction: 'use a machine with more memory; EARSHOT_JOB_SLOTS=1 gives all of it to one job',
        facts,
      };
    if (sumBytes > memoryBytes)
      return {
        subject,
        state: 'limited',
        says: `${says}: more than this machine has`,
        nextAction: 'lower EARSHOT_JOB_SLOTS or EARSHOT_JOB_MEMORY_BYTES, or leave both to Earshot',
        facts,
      };
    return { subject, state: 'fine', says, facts };
  } catch (thrown) {
    return { subject, state: 'broken', says: reason(thrown), nextAction: 'correct the setting, see earshot config' };
  }
}

/** @param fleet only the connections of the fleet */
export async function doctor({
  json = false,
  fleet = false,
}: {
  readonly json?: boolean;
  readonly fleet?: boolean;
}): Promise<ExitCode> {
  const findings = fleet ? await fleetFindings() : await machineFindings();
  const system = { node: process.version, platform: process.platform, arch: process.arch };
  if (json) process.stdout.write(`${JSON.stringify({ ...system, findings })}\n`);
  else {
    const host = ['bun', 'deno', 'electron'].find((name) => name in process.versions);
    const what = host === undefined ? '' : `${host} ${process.versions[host]} as `;
    process.stdout.write(`${what}Node ${system.node} on ${system.platform} ${system.arch}\n`);
    for (const { subject, state, says, nextAction } of findings) {
      process.stdout.write(`${signs[state]}  ${subject.padEnd(20)} ${says}\n`);
      if (nextAction !== undefined) process.stdout.write(`    ${' '.repeat(20)} -> ${nextAction}\n`);
    }
  }
  return findings.some(({ state }) => state === 'broken') ? exitCodes.failed : exitCodes.ok;
}

/** Loaded here: no other check needs a database driver. */
async function fleetFindings(): Promise<readonly Finding[]> {
  const { fleetConnections } = await import('../../service/commands/fleet-doctor.ts');
  return fleetConnections();
}

async function machineFindings(): Promise<readonly Finding[]> {
  return [
    kernels(),
    await mediaLibrary(),
    await models(),
    await networks(),
    memory(),
    await jobProcesses(),
    await confinement(),
  ];
}
