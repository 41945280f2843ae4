import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RunnerClient } from '../adapters/runner/runner-client.ts';
import { RunnerLoop, type RunnerLimits } from '../adapters/runner/runner-loop.ts';
import { LocalCopies } from '../adapters/local-copies.ts';
import { EarshotError } from '../../library/core/errors/errors.ts';
import { createMediaWork } from '../../library/runtime/engine/media-work.ts';
import { takeDelegated } from '../../library/runtime/confine/job-groups.ts';
import { parseJobOptions } from '../offers/job-options.ts';
import type { Config } from '../rules/settings/config.ts';
import { Fitness } from '../rules/worker/fitness.ts';
import { createDiskRoom } from '../rules/worker/output-estimate.ts';
import { createProbe } from '../rules/worker/probe.ts';
import { createRunFolders } from '../rules/worker/run-folders.ts';
import { prepareFence } from './fence.ts';
import { createLog } from './log.ts';
import { makeDataFolder } from './service-data.ts';
import { busyPart, workerFacts } from './worker-facts.ts';

/**
 * `earshot runner`: runs jobs of a service on another machine, with nothing but its address and a token.
 * @param signal stops it: running jobs have the grace time, then they are handed back
 * @param limits when it ends by itself. Default: never
 * @throws EarshotError when the service refuses the runner
 */
export async function runRunner(
  config: Config,
  url: string,
  token: string,
  signal: AbortSignal,
  limits?: RunnerLimits,
): Promise<void> {
  const log = createLog(config.logLevel, 'runner');
  requireSafe(url);
  await makeDataFolder(config.data, log);
  const [workDir, copiesFolder] = [join(config.data, 'work'), join(config.data, 'copies')];
  await mkdir(workDir, { recursive: true });
  await prepareFence(config, [workDir, copiesFolder], log);
  const folders = createRunFolders(workDir, config.jobSeconds);
  await folders.removeLeftovers();
  const media = createMediaWork({
    cores: config.cores,
    groups: takeDelegated(),
    jobSlots: config.jobSlots,
    maxJobMemoryBytes: config.jobMemoryBytes,
    maxJobSeconds: config.jobSeconds,
    workDir,
    modelsDir: config.modelsDir,
    parseOptions: parseJobOptions,
    runsPerProcess: config.jobReuse,
  });
  const { version, build, models, labels } = workerFacts('worker', config);
  const disk = createDiskRoom(config.data);
  const loop = new RunnerLoop({
    client: new RunnerClient(url.replace(/(?<!\/)\/+$/, '')),
    media,
    folders,
    disk,
    fitness: new Fitness({ probe: createProbe({ media, disk, folders }) }),
    copies: new LocalCopies(copiesFolder, config.s3CacheBytes, config.diskReserveBytes),
    log,
    token,
    machine: { version, build, models, labels, slots: config.jobSlots },
    load: () => busyPart(config.cores),
    ...(limits === undefined ? {} : { limits }),
  });
  const stop = (): void => loop.stop(config.graceSeconds * 1000);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  log.info({ url: new URL(url).origin, jobSlots: config.jobSlots }, 'The runner asks for jobs');
  try {
    await loop.run();
  } finally {
    signal.removeEventListener('abort', stop);
    await media.close();
  }
  log.info({}, 'The runner has stopped');
}

/** The token and people's files are sent there, so plain http is allowed within this machine only. */
function requireSafe(text: string): void {
  const url = URL.parse(text);
  const isLocal = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && (isLocal || process.env['EARSHOT_RUNNER_HTTP'] === '1'))
  )
    return;
  throw new EarshotError('bad_request', `Expected the https address of a service but received ${text}`, {
    nextAction: 'Give --url https://...; EARSHOT_RUNNER_HTTP=1 allows http in a network that no one else can reach.',
  });
}
