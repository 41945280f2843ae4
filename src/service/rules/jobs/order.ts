import { EarshotError } from '../../../library/core/errors/errors.ts';
import type { JobRequest } from '../../../library/contract/job-request.ts';
import type { OfferedFacts } from '../tools/offer.ts';
import type { Config } from '../settings/config.ts';
import { isPassage, passageName, requireBeforeEnd, splitPassage } from '../../../library/contract/passage-order.ts';
import { badInput } from '../../../library/core/checks/schema.ts';
import { requireDiskRoom } from '../files/disk-room.ts';
import { decideTerms, previewTerms, nextUtcMidnight, utcDay } from '../accounts/free.ts';
import { newId } from '../shared/ids.ts';
import type { ObjectStore } from '../files/object-store.ts';
import type { FileStore } from '../files/file-store.ts';
import type { Idempotency } from '../shared/idempotency.ts';
import type { JobStore } from './job-store.ts';
import type { WholePrice } from './pending-order.ts';
import type { Prices } from '../tools/prices.ts';
import { type Quotas, requireRoomForJob } from '../accounts/quotas.ts';
import type { JobSummary } from './stored-job.ts';
import { freeOffer, type FactsByTool } from '../tools/tool-facts.ts';
import {
  type InputFiles,
  loadInputs,
  mediaDurations,
  type Owner,
  planFacts,
  requireAvailable,
  requireTotalLength,
} from './inputs.ts';
import { requireListedIds } from './listed-ids.ts';
import type { VoiceStore } from '../voices/voice-store.ts';
import { requireVoices } from '../voices/voices.ts';
import { hashRequest } from './request-hash.ts';

export interface OrderDeps {
  readonly jobs: JobStore;
  readonly files: FileStore;
  /** Must have room for outputs. Default: not asked, since the request was accepted earlier. */
  readonly objects?: Pick<ObjectStore, 'freeBytes'>;
  /** Names of voices are looked up there. Default: not asked, as above. */
  readonly voices?: Pick<VoiceStore, 'known'>;
  readonly tools: FactsByTool;
  readonly prices: Prices;
  readonly config: Pick<
    Config,
    'maxSeconds' | 'freeVariant' | 'freeEnabled' | 'freeBudgetSeconds' | 'diskReserveBytes' | 'previewsPerDay'
  > &
    Quotas;
  /** The page where an account buys credits; null: none. Default: none. */
  readonly buyUrl?: (accountId: string) => string | null;
  readonly now?: () => Date;
}

export interface Ordered {
  readonly job: JobSummary;
  /** false: a repeated request; `job` is the first one's. */
  readonly created: boolean;
  /** null for a repeated request. */
  readonly whole: WholePrice | null;
}

/**
 * Checks a request and its price, takes a free use or reserves the credits, and enqueues the job. Used by every
 * interface.
 * @throws EarshotError insufficient_balance, over_spending_cap, free_limit_reached, free_budget_exhausted,
 * free_disabled, and the tool's own errors; internal_error (507) while the disk is full
 */
export interface OrderJob {
  (
    owner: Owner,
    request: JobRequest,
    as?: {
      /** The job's id. Default: a fresh one. */
      readonly id?: string;
      /** Identifies equal requests. Default: a hash of `request`. */
      readonly requestHash?: string;
      /**
       * Seconds of the same recording that were billed before: this run costs what they and it cost together, less what
       * they cost. Default: 0, a recording of its own.
       */
      readonly billedSeconds?: number;
      /** Called with the price of the whole files, before free or paid is decided. */
      readonly onPrice?: (whole: WholePrice) => void;
    },
  ): Promise<Ordered>;
}

export function createOrder({
  jobs,
  files,
  objects,
  voices,
  tools,
  prices,
  config,
  buyUrl = () => null,
  now = () => new Date(),
}: OrderDeps): OrderJob {
  const shopOf =
    ({ accountId }: Owner) =>
    () =>
      accountId === null ? null : buyUrl(accountId);
  return async (
    owner,
    request,
    { id = newId('job'), requestHash = hashRequest(request), billedSeconds = 0, onPrice } = {},
  ) => {
    const idempotency: Idempotency | null =
      request.idempotencyKey === null ? null : { key: request.idempotencyKey, requestHash };
    try {
      return await orderAnew();
    } catch (thrown) {
      // A repeated request gets its job even if it would be refused now: its files may be deleted. Accepted requests
      // are looked up in `jobs.create`.
      const repeated = idempotency === null ? null : await jobs.findByIdempotency(owner.visitor, idempotency);
      if (repeated === null) throw thrown;
      return { job: repeated, created: false, whole: null };
    }

    async function orderAnew(): Promise<Ordered> {
      const tool = tools[request.tool];
      const at = now();
      const inputs = await loadInputs(files, owner, tool, request.inputs, at);
      await requireAvailable(tool);
      // Its outputs would have no room.
      if (objects !== undefined) await requireDiskRoom(objects, config, 0);
      requirePlan(tool, inputs, request);
      if (voices !== undefined) await requireVoices(voices, owner.accountId, request.options);
      if (owner.accountId !== null) await requireListedIds(jobs, owner.accountId, tool, inputs, request);
      const given = Object.keys(inputs).filter((field) => inputs[field]?.length);
      const price = prices.ofRun(tool.id, mediaDurations(tool, inputs, config.maxSeconds), given, billedSeconds);
      requireTotalLength(tool, price.lengthSeconds, config.maxSeconds);
      const billing = { seconds: price.lengthSeconds, creditsPerMinute: price.creditsPerMinute };
      const whole: WholePrice = { credits: price.credits, billing };
      onPrice?.(whole);
      const terms = {
        tool: tool.id,
        free: request.free,
        maxCredits: request.maxCredits,
        price: price.credits,
        alwaysFree: tool.alwaysFree,
        visitor: owner.accountId === null,
        buyUrl: shopOf(owner),
        offer: freeOffer(tool, config),
        resetsAt: nextUtcMidnight(at),
        lengthSeconds: price.lengthSeconds,
        budgetSeconds: config.freeBudgetSeconds,
      };
      // Only an account's requests have the field.
      const isPreview = owner.accountId !== null && isPassage(request.options);
      if (isPreview) requirePassage(inputs, request);
      const { job, created } = await jobs.create({
        id,
        accountId: owner.accountId,
        freeSubject: { id: owner.visitor, day: utcDay(at) },
        tool: tool.id,
        inputs: request.inputs,
        options: request.options,
        idempotency,
        billing,
        isPreview,
        budgeted: config.freeBudgetSeconds !== null,
        decide: (funds) => {
          if (funds.usage !== undefined) requireRoomForJob(funds.usage, config);
          return isPreview ? previewTerms(config.previewsPerDay, funds) : decideTerms(terms, funds);
        },
      });
      return { job, created, whole: created ? whole : null };
    }
  };
}

/** @throws EarshotError what the tool's own rules refuse of these files and options */
export function requirePlan(tool: OfferedFacts, inputs: InputFiles, { options }: Pick<JobRequest, 'options'>): void {
  // The options were parsed by the same declaration.
  const [refusal] = tool.plan(planFacts(inputs), options as never).refusals;
  if (refusal === undefined) return;
  const { code, message, reason } = refusal;
  throw new EarshotError(code, message, { details: { tool: tool.id, ...(reason === undefined ? {} : { reason }) } });
}

/** @throws EarshotError bad_request for a passage of several files, or behind the end */
function requirePassage(inputs: InputFiles, { options }: Pick<JobRequest, 'options'>): void {
  const given = Object.values(inputs).flat();
  if (given.length !== 1) throw badInput(passageName, 'one recording, and no other file', `${given.length} files`);
  const from = splitPassage(options).passage?.fromSeconds ?? 0;
  requireBeforeEnd(from, given[0]?.durationSeconds ?? null, passageName);
}
