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
  const { freeRuns, files, jobs, changes, order, config, now } = deps;
  const driving = new Map<string, Promise<string>>();

  const filesOf = (run: FreeRun): string[] => Object.values(run.request.inputs).flat();

  async function refuse(run: FreeRun, error: EarshotError): Promise<string> {
    const after = await freeRuns.refused(run.id, error.toJSON());
    if (after?.status === 'refused')
      await dropFiles(
        deps,
        filesOf(run).map((id) => ({ id, objectKey: null })),
      );
    return run.id;
  }

  /** Deletes a run that an earlier one replaces. */
  async function forget(run: FreeRun): Promise<void> {
    await freeRuns.remove(run.id);
    await dropFiles(
      deps,
      filesOf(run).map((id) => ({ id, objectKey: null })),
    );
  }

  /** Hash of the request with its files by content; null while a file has no hash. */
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
        // A concurrent identical request created the job first.
        await forget(run);
        return job.id;
      }
      await freeRuns.started(run.id, whole);
      return run.id;
    } catch (thrown) {
      // Another process may have ordered it at the same time.
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

  /** null: files are still arriving. */
  async function step(id: string): Promise<string | null> {
    const run = await freeRuns.get(id);
    if (run?.status !== 'arriving') return id;
    const found = await files.getMany(filesOf(run));
    const bad = found.find((file) => file === null || file.status === 'invalid' || file.status === 'deleted');
    if (bad !== undefined)
      return refuse(
        run,
        bad?.error ? fromStored(bad.error) : new EarshotError('file_expired', 'A file of this run was deleted'),
      );
    const pending = found.find((file) => file?.status !== 'ready');
    if (!pending) {
      // The size of a link is known only now.
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
