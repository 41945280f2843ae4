import { createHash } from 'node:crypto';
import type { EarshotError } from '../../../library/core/errors/errors.ts';
import { canonicalJson } from '../jobs/request-hash.ts';
import { type Placement, placeOrder } from '../jobs/place-order.ts';
import { fullOfWaiting } from '../accounts/free.ts';
import { requestTooLarge } from '../files/request-size.ts';
import type { WholePrice } from '../jobs/pending-order.ts';
import { canPay } from '../settings/can-pay.ts';
import type { FileStore } from '../files/file-store.ts';
import { waitFor } from '../shared/wait-for.ts';
import { dropFiles, waitingWindowMs } from './admission.ts';
import type { FreeRunsDeps } from './deps.ts';
import type { FreeRun } from './free-run-store.ts';

/** Longest wait for a file's check before the run is loaded again. */
const lookSeconds = 60;
/** Pause after a database error. */
const tryAgainMs = 1000;
const mostTries = 30;

/**
 * Takes a run from the arrival of its files to its job, its refusal, or its wait for a payment. It does not depend on
 * the client's connection, and other processes may drive the same run when its status is polled.
 * @returns the id of the run's job, or of the earlier one for a repeated request
 */
export function createDriver(deps: FreeRunsDeps): (id: string) => Promise<string> {
  const driving = new Map<string, Promise<string>>();
  return (id) => {
    const current = driving.get(id);
    if (current !== undefined) return current;
    const fresh = drive(deps, id).finally(() => driving.delete(id));
    driving.set(id, fresh);
    return fresh;
  };
}

async function drive(deps: FreeRunsDeps, id: string): Promise<string> {
  for (let tries = 0; ;) {
    try {
      const at = await step(deps, id);
      if (at !== null) return at;
    } catch (thrown) {
      if ((tries += 1) >= mostTries) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, tryAgainMs).unref());
    }
  }
}

/** null: files are still arriving. */
async function step(deps: FreeRunsDeps, id: string): Promise<string | null> {
  const { freeRuns, files, changes, config } = deps;
  const run = await freeRuns.get(id);
  if (run?.status !== 'arriving') return id;
  const placed = await placeOrder(deps, run, await files.getMany(filesOf(run)), {
    gone: 'A file of this run was deleted',
    // The size of a link is known only now.
    check: (ready) =>
      ready.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0) > config.freeRequestBytes
        ? requestTooLarge(config.freeRequestBytes, run.accountId !== null)
        : null,
  });
  if (placed.state !== 'arriving') return end(deps, run, placed);
  const { fileId } = placed;
  const checked = async (): Promise<boolean> => (await files.get(fileId))?.status !== 'processing';
  await waitFor(changes, fileId, checked, (done) => done, lookSeconds);
  return null;
}

async function end(
  deps: FreeRunsDeps,
  run: FreeRun,
  placed: Exclude<Placement, { readonly state: 'arriving' }>,
): Promise<string> {
  const { whole } = placed;
  if (placed.state === 'ordered') {
    // A concurrent identical request created the job first.
    if (placed.jobId !== run.id) await forget(deps, run);
    else await deps.freeRuns.started(run.id, whole);
    return placed.jobId;
  }
  const { error } = placed;
  const mayWait = error.code === 'free_limit_reached' && run.accountId === null && canPay(deps.config);
  return mayWait && whole !== null && whole.credits > 0 ? letWait(deps, run, whole, error) : refuse(deps, run, error);
}

/** Lets the run wait for a payment, or finds an equal one that waits already. */
async function letWait(deps: FreeRunsDeps, run: FreeRun, whole: WholePrice, error: EarshotError): Promise<string> {
  const { freeRuns, files, config, now } = deps;
  const waits = await freeRuns.wait(run.id, whole, error.toJSON(), {
    since: new Date(now().getTime() - waitingWindowMs),
    most: config.freeWaiting,
    contentHash: await hashContent(files, run),
  });
  if (waits === null) return refuse(deps, run, fullOfWaiting(error, config.freeWaiting));
  if (waits.id !== run.id) await forget(deps, run);
  return waits.id;
}

async function refuse(deps: FreeRunsDeps, run: FreeRun, error: EarshotError): Promise<string> {
  const after = await deps.freeRuns.refused(run.id, error.toJSON());
  if (after?.status === 'refused') await dropFilesOf(deps, run);
  return run.id;
}

/** Deletes a run that an earlier one replaces. */
async function forget(deps: FreeRunsDeps, run: FreeRun): Promise<void> {
  await deps.freeRuns.remove(run.id);
  await dropFilesOf(deps, run);
}

const filesOf = (run: FreeRun): string[] => Object.values(run.request.inputs).flat();

const dropFilesOf = (deps: FreeRunsDeps, run: FreeRun): Promise<void> =>
  dropFiles(
    deps,
    filesOf(run).map((id) => ({ id, objectKey: null })),
  );

/** Hash of the request with its files by content; null while a file has no hash. */
async function hashContent(
  files: Pick<FileStore, 'getMany'>,
  { tool, request: { inputs, options, format } }: FreeRun,
): Promise<string | null> {
  const found = await files.getMany(Object.values(inputs).flat());
  const bytes = new Map(found.flatMap((file) => (file === null ? [] : [[file.id, file.sha256] as const])));
  const byField = Object.entries(inputs).map(
    ([field, ids]) => [field, ids.map((id) => bytes.get(id) ?? null)] as const,
  );
  if (byField.some(([, hashes]) => hashes.includes(null))) return null;
  return createHash('sha256')
    .update(canonicalJson({ tool, options, format, inputs: Object.fromEntries(byField) }))
    .digest('hex');
}
