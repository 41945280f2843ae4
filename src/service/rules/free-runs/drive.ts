import { createHash } from 'node:crypto';
import { EarshotError } from '../../../library/core/errors.ts';
import { canonicalJson } from '../jobs/request-hash.ts';
import { fullOfWaiting } from '../free.ts';
import { requestTooLarge } from '../files/request-size.ts';
import { canPay } from '../payments/can-pay.ts';
import { fromStored } from '../stored-error.ts';
import { waitFor } from '../wait-for.ts';
import { dropFiles, waitingWindowMs } from './admission.ts';
import type { FreeRunsDeps } from './deps.ts';
import type { FreeRun, WholePrice } from '../free-run-store.ts';

/** One look at a file that is being checked; then its run is looked at again. */
const lookSeconds = 60;
/** While the database is away. */
const tryAgainMs = 1000;
const mostTries = 30;

/**
 * Brings a run from the arrival of its files to its job, its refusal, or its wait for a payment. Nothing of it depends
 * on who asked: it goes on when the client has hung up, and another process may do it, too, when somebody polls.
 * @returns the id of the job: another one's when the request was a repeated one
 */
export function createDriver(deps: FreeRunsDeps): (id: string) => Promise<string> {
  const { freeRuns, files, jobs, changes, order, config, now } = deps;
  const driving = new Map<string, Promise<string>>();

  const filesOf = (run: FreeRun): string[] => Object.values(run.request.inputs).flat();

  async function refuse(run: FreeRun, error: EarshotError): Promise<string> {
    const after = await freeRuns.refused(run.id, error.toJSON());
    // Nobody can use them any more.
    if (after?.status === 'refused')
      await dropFiles(
        deps,
        filesOf(run).map((id) => ({ id, objectKey: null })),
      );
    return run.id;
  }

  /** Another run stands for it. */
  async function forget(run: FreeRun): Promise<void> {
    await freeRuns.remove(run.id);
    await dropFiles(
      deps,
      filesOf(run).map((id) => ({ id, objectKey: null })),
    );
  }

  /** What makes two requests the same, whatever their files are called; null while a file's bytes have no hash. */
  async function hashContent({ tool, request: { inputs, options, format } }: FreeRun): Promise<string | null> {
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

  async function orderJob(run: FreeRun): Promise<string> {
    const { inputs, options, free, maxCredits, idempotency } = run.request;
    let whole = null as WholePrice | null;
    try {
      const { job } = await order(
        { accountId: run.accountId, visitor: run.visitor },
        {
          tool: run.tool,
          inputs,
          options,
          free: free ?? undefined,
          maxCredits,
          idempotencyKey: idempotency?.key ?? null,
        },
        {
          id: run.id,
          ...(idempotency === null ? {} : { requestHash: idempotency.requestHash }),
          onPrice: (price) => (whole = price),
        },
      );
      if (job.id !== run.id) {
        // Its twin was faster.
        await forget(run);
        return job.id;
      }
      await freeRuns.started(run.id, whole);
      return run.id;
    } catch (thrown) {
      // Somebody else may have brought it here at the same time.
      if ((await jobs.getSummary(run.id)) !== null) {
        await freeRuns.started(run.id, whole);
        return run.id;
      }
      const error = EarshotError.from(thrown);
      if (error.code === 'internal_error') throw error;
      const mayWait = error.code === 'free_limit_reached' && run.accountId === null && canPay(config);
      if (mayWait && whole !== null && whole.credits > 0) {
        const since = new Date(now().getTime() - waitingWindowMs);
        const contentHash = await hashContent(run);
        const waits = await freeRuns.wait(run.id, whole, error.toJSON(), {
          since,
          most: config.freeWaiting,
          contentHash,
        });
        if (waits !== null && waits.id !== run.id) await forget(run);
        if (waits !== null) return waits.id;
        return refuse(run, fullOfWaiting(error, config.freeWaiting));
      }
      return refuse(run, error);
    }
  }

  /** null: it is still on its way. */
  async function step(id: string): Promise<string | null> {
    const run = await freeRuns.get(id);
    if (run?.status !== 'arriving') return id;
    const found = await files.getMany(filesOf(run));
    const bad = found.find((file) => file === null || file.status === 'invalid' || file.status === 'deleted');
    if (bad !== undefined)
      return refuse(
        run,
        bad?.error
          ? fromStored(bad.error)
          : new EarshotError('file_expired', 'A file of this run is not there any more'),
      );
    const pending = found.find((file) => file?.status !== 'ready');
    if (!pending) {
      // A link's size is known when it has been fetched, and what was sent beside it came in between.
      const bytes = found.reduce((sum, file) => sum + (file?.sizeBytes ?? 0), 0);
      return bytes > config.freeRequestBytes
        ? refuse(run, requestTooLarge(config.freeRequestBytes, run.accountId !== null))
        : orderJob(run);
    }
    const checked = async (): Promise<boolean> => (await files.get(pending.id))?.status !== 'processing';
    await waitFor(changes, pending.id, checked, (done) => done, lookSeconds);
    return null;
  }

  async function drive(id: string): Promise<string> {
    for (let tries = 0; ;) {
      try {
        const at = await step(id);
        if (at !== null) return at;
      } catch (thrown) {
        if ((tries += 1) >= mostTries) throw thrown;
        await new Promise((resolve) => setTimeout(resolve, tryAgainMs).unref());
      }
    }
  }

  return (id) => {
    const current = driving.get(id);
    if (current !== undefined) return current;
    const fresh = drive(id).finally(() => driving.delete(id));
    driving.set(id, fresh);
    return fresh;
  };
}
