import type { Allowance, FreeRunView, Visitor } from '../../rules/free-runs/free-run-use-cases.ts';
import type { FreeRun } from '../../rules/free-runs/free-run-store.ts';
import { canPay } from '../../rules/settings/can-pay.ts';
import type { Tools } from '../../rules/jobs/tools.ts';
import { spokenPrice } from '../../rules/money/spoken-price.ts';
import { fileRecord } from '../interface/records.ts';
import type { DialectDeps } from '../interface/dialect-deps.ts';

/** Runs of the free API in the shape of its responses: the job record with links. */

/** Further fields of a result that was cut short; null for others. Without a payment there is no finishUrl. */
export function finishFields({ run, finish, finishedBy, cutShort }: FreeRunView): {
  finishUrl?: string;
  finishPriceCredits?: number;
  nextStep: string;
} | null {
  if (!cutShort || finishedBy !== null) return null;
  const part = 'Only the first part was processed.';
  if (finish === null) return { nextStep: `${part} This service takes no payments for the rest.` };
  const { url: finishUrl, priceCredits } = finish;
  return {
    finishUrl,
    finishPriceCredits: priceCredits,
    nextStep:
      `${part} A person can pay for the whole file at ${finishUrl} ` +
      `(${spokenPrice(priceCredits, run.whole?.credits ?? priceCredits)}; no sign-up). ` +
      `The status link then shows finishedBy.`,
  };
}

const stages = { arriving: 'arriving', waiting: 'waiting_for_payment' } as const;

export function runRecord(view: FreeRunView, tools: Pick<Tools, 'pricesFor'>): object {
  const { run, job, outputs, statusUrl, finish, finishedBy } = view;
  const error = job?.error ?? (run.status === 'refused' ? run.error : null);
  return {
    id: job?.id === run.finishJobId && finishedBy === null ? (job?.id ?? run.id) : run.id,
    tool: run.tool,
    status: job?.status ?? (run.status === 'refused' ? 'failed' : 'queued'),
    progress: job?.progress ?? 0,
    stage: job?.stage ?? (run.status === 'arriving' || run.status === 'waiting' ? stages[run.status] : run.status),
    estimatedSecondsLeft: job?.estimatedSecondsLeft ?? null,
    outputs: outputs.map(({ file, url }) => ({ ...fileRecord(file, tools), url })),
    processedSeconds: job?.processedSeconds ?? null,
    result: job?.result ?? null,
    free: job?.free ?? true,
    finishedBy,
    error: error === null ? null : { code: error.code, message: error.message },
    warnings: (job?.warnings ?? []).map(({ code, message }) => ({ code, message })),
    createdAt: run.createdAt.toISOString(),
    statusUrl,
    ...(finishFields(view) ??
      (finish === null ? {} : { finishUrl: finish.url, finishPriceCredits: finish.priceCredits })),
  };
}

/**
 * A visitor's remaining free uses. Without the links of waiting runs: an address may be shared, and links are
 * credentials.
 */
export function leftRecord(
  allowances: readonly Allowance[],
  waiting: readonly FreeRun[],
  { tools, config }: Pick<DialectDeps, 'tools' | 'config'>,
  { account }: Visitor,
): object {
  return {
    tools: tools.flatMap(({ id, slug }) =>
      allowances
        .filter(({ tool }) => tool === id)
        .map(({ dailyUses, usesLeft, seconds, resetsAt }) => ({
          tool: id,
          slug,
          dailyUses,
          usesLeft,
          seconds,
          resetsAt: resetsAt.toISOString(),
        })),
    ),
    limits: {
      requestBytes: config.freeRequestBytes,
      uploads: account === null ? config.addressUploads : config.accountUploads,
      waiting: account === null && canPay(config) ? config.freeWaiting : 0,
      waitSeconds: config.freeWaitSeconds,
    },
    waiting: waiting.map(({ id, tool, whole, createdAt, expiresAt }) => ({
      jobId: id,
      tool,
      finishPriceCredits: Math.max(config.minimumPaymentCents, whole?.credits ?? 0),
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    })),
  };
}
