import { optionsBesideSteps } from '../../../library/contract/chain-calls.ts';
import type { Static } from 'typebox/type';
import { toolWork } from '../../../library/contract/tool-work.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import { type ChainRequest, type ChainView, requireOne } from '../../rules/chains/chains.ts';
import type { StepJob } from '../../rules/chains/stored-chain.ts';
import type { Tools } from '../../rules/jobs/tools.ts';
import { priceOf, roundSeconds } from '../../rules/tools/prices.ts';
import type { ChainRecord, ChainRequestBody } from './chain-schemas.ts';
import { fileRecord } from './records.ts';

type ShownChain = Static<typeof ChainRecord>;
type ShownStep = ShownChain['steps'][number];

/** A chain as clients see it. */
export function chainRecord(view: ChainView, prices: Pick<Tools, 'pricesFor'>): ShownChain {
  const { chain, jobs, outputs } = view;
  const steps = chain.plan.steps.map(({ name, tool }, index) =>
    stepRecord(
      name,
      tool,
      jobs.filter(({ step }) => step === index),
      chain.finishedAt !== null,
    ),
  );
  const isOver = chain.status !== 'running';
  const begun = jobs.some(({ startedAt }) => startedAt !== null);
  const progress = chain.status === 'succeeded' ? 1 : progressOf(steps);
  const status = isOver || begun ? chain.status : 'queued';
  return {
    id: chain.id,
    name: chain.name,
    recipe: chain.recipe,
    status,
    progress,
    stage: isOver ? (status === 'succeeded' ? 'done' : status) : stageOf(steps, jobs),
    estimatedSecondsLeft: isOver ? null : secondsLeft(progress, jobs, new Date()),
    steps,
    outputs: outputs.map((file) => fileRecord(file, prices)),
    settle: chain.settling,
    price: chain.price,
    charged: chain.charged,
    failedStep: chain.failedStep,
    error: chain.error === null ? null : { code: chain.error.code, message: chain.error.message },
    warnings: steps.flatMap(({ name, warnings }) =>
      warnings.map(({ code, message }) => ({ code, message: `${name}: ${message}` })),
    ),
    createdAt: chain.createdAt.toISOString(),
  };
}

function stepRecord(name: string, tool: ShownStep['tool'], jobs: readonly StepJob[], isOver: boolean): ShownStep {
  const status = statusOf(jobs, isOver);
  const done = status === 'succeeded';
  const error = jobs.find((job) => job.error !== null)?.error ?? null;
  return {
    name,
    tool,
    status,
    progress: done ? 1 : jobs.reduce((sum, { progress }) => sum + progress, 0) / Math.max(1, jobs.length),
    results: jobs.map(({ result }) => result),
    processedSeconds: done ? jobs.reduce((sum, job) => sum + (job.processedSeconds ?? 0), 0) : null,
    credits: done
      ? jobs.reduce((sum, job) => sum + priceOf(roundSeconds(job.processedSeconds ?? 0), job.creditsPerMinute), 0)
      : null,
    warnings: jobs.flatMap((job) => job.warnings.map(({ code, message }) => ({ code, message }))),
    error: error === null ? null : { code: error.code, message: error.message },
  };
}

function statusOf(jobs: readonly StepJob[], isOver: boolean): ShownStep['status'] {
  if (jobs.length === 0) return isOver ? 'cancelled' : 'waiting';
  for (const status of ['failed', 'cancelled', 'running'] as const)
    if (jobs.some((job) => job.status === status)) return status;
  if (jobs.every(({ status }) => status === 'succeeded')) return 'succeeded';
  return jobs.every(({ status }) => status === 'queued') ? 'queued' : 'running';
}

/** Each step weighs what its tool costs a second of sound. */
function progressOf(steps: readonly ShownStep[]): number {
  const weighed = steps.map(({ tool, progress }) => {
    const weight = Math.max(0.001, toolWork[tool].cpuPerSecond);
    return { weight, done: weight * progress };
  });
  const all = weighed.reduce((sum, { weight }) => sum + weight, 0);
  return weighed.reduce((sum, { done }) => sum + done, 0) / all;
}

function stageOf(steps: readonly ShownStep[], jobs: readonly StepJob[]): string {
  const at = steps.findIndex(({ status }) => status !== 'succeeded');
  const stage = jobs.find(({ step, status }) => step === at && (status === 'running' || status === 'queued'))?.stage;
  return `${steps[at]?.name ?? 'end'}: ${stage ?? 'waiting'}`;
}

/** By how long the work that is done has taken; null before that says anything. */
function secondsLeft(progress: number, jobs: readonly StepJob[], at: Date): number | null {
  const begun = jobs.flatMap(({ startedAt }) => (startedAt === null ? [] : [startedAt.getTime()]));
  if (begun.length === 0 || progress < 0.02) return null;
  const seconds = (at.getTime() - Math.min(...begun)) / 1000;
  return Math.max(0, (seconds * (1 - progress)) / progress);
}

type Body = Static<typeof ChainRequestBody>;

/** What a body asks for, but how it is paid. @throws EarshotError bad_request */
export function chainOrder(
  body: Pick<Body, 'recipe' | 'options' | 'chain' | 'file_ids' | 'format'>,
): Omit<ChainRequest, 'idempotencyKey' | 'maxCredits' | 'settling'> {
  const order = {
    recipe: body.recipe ?? null,
    options: (body.options ?? {}) as JsonObject,
    chain: body.chain ?? null,
    fileIds: body.file_ids,
    format: body.format ?? null,
  };
  requireOne(order);
  if (order.recipe === null && Object.keys(order.options).length > 0) throw optionsBesideSteps();
  return order;
}

/** @param headerKey value of the header Idempotency-Key; null: none. @throws EarshotError bad_request */
export function chainRequest(body: Body, headerKey: string | null): ChainRequest {
  const { idempotency_key: bodyKey } = body;
  const key = bodyKey ?? headerKey;
  if (key === null || key === '')
    throw badValue('idempotency_key', 'string of 1 to 200 characters (or the header Idempotency-Key)', undefined);
  if (headerKey !== null && key !== headerKey)
    throw badValue('idempotency_key', 'the same key as in the header Idempotency-Key', key);
  return {
    ...chainOrder(body),
    settling: body.settle ?? 'whole',
    maxCredits: body.max_credits ?? null,
    idempotencyKey: key,
  };
}
