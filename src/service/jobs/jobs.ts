import { EarshotError } from '../../core/errors.ts';
import type { Config } from '../config.ts';
import { decideTerms, nextUtcMidnight, utcDay } from '../free.ts';
import { newId } from '../ids.ts';
import type { ToolFacts } from '../../contract/tool-facts.ts';
import type { FileStore, Idempotency, JobStore } from '../ports.ts';
import type { Prices } from '../prices.ts';
import type { Account, JobSummary, StoredFile } from '../records.ts';
import type { JobRequest } from '../../contract/job-request.ts';
import type { Jobs, JobView } from '../service.ts';
import { freeOffer, type FactsByTool } from '../tool-facts.ts';
import {
  type InputFiles,
  loadInputs,
  mediaDurations,
  planFacts,
  requireAvailable,
  requireTotalLength,
} from './inputs.ts';
import { hashRequest } from './request-hash.ts';

export interface JobsParts {
  readonly jobs: JobStore;
  readonly files: FileStore;
  readonly tools: FactsByTool;
  readonly prices: Prices;
  readonly config: Pick<Config, 'maxSeconds' | 'freeVariant' | 'freeEnabled'>;
  readonly now?: () => Date;
}

/** The client's side of jobs. The work itself is the worker's. */
export function createJobs({ jobs, files, tools, prices, config, now = () => new Date() }: JobsParts): Jobs {
  async function create(account: Account, request: JobRequest): Promise<JobView> {
    const idempotency: Idempotency | null =
      request.idempotencyKey === null ? null : { key: request.idempotencyKey, requestHash: hashRequest(request) };
    // First of all: a repeated request gets its job even when the files have gone meanwhile.
    const repeated = idempotency === null ? null : await jobs.findByIdempotency(account.id, idempotency);
    if (repeated !== null) return view(repeated);

    const tool = tools[request.tool];
    const at = now();
    const inputs = await loadInputs(files, account, tool, request.inputs, at);
    await requireAvailable(tool);
    requirePlan(tool, inputs, request);
    const given = Object.keys(inputs).filter((field) => inputs[field]?.length);
    const price = prices.ofRun(tool.id, mediaDurations(tool, inputs, config.maxSeconds), given);
    requireTotalLength(tool, price.lengthSeconds, config.maxSeconds);
    const terms = {
      tool: tool.id,
      free: request.free,
      maxCredits: request.maxCredits,
      price: price.credits,
      alwaysFree: tool.alwaysFree,
      offer: freeOffer(tool, config),
      resetsAt: nextUtcMidnight(at),
    };
    const { job } = await jobs.create({
      id: newId('job'),
      accountId: account.id,
      freeSubject: { id: account.id, day: utcDay(at) },
      tool: tool.id,
      inputs: request.inputs,
      options: request.options,
      idempotency,
      billing: { seconds: price.lengthSeconds, creditsPerMinute: price.creditsPerMinute },
      decide: (funds) => decideTerms(terms, funds),
    });
    return view(job);
  }

  /** Output files that are gone are left out. */
  async function views(page: readonly JobSummary[]): Promise<readonly JobView[]> {
    const ids = page.flatMap((job) => job.outputFileIds);
    const found = ids.length === 0 ? [] : await files.getMany(ids);
    const byId = new Map(found.flatMap((file) => (file === null ? [] : [[file.id, file] as const])));
    return page.map((job) => ({
      job,
      outputs: job.outputFileIds.map((id) => byId.get(id)).filter((file): file is StoredFile => file !== undefined),
    }));
  }

  async function view(job: JobSummary): Promise<JobView> {
    const [only] = await views([job]);
    return only ?? { job, outputs: [] };
  }

  async function owned(account: Account, jobId: string): Promise<JobSummary> {
    const job = await jobs.getSummary(jobId);
    if (job === null || job.accountId !== account.id)
      throw new EarshotError('not_found', `There is no job ${jobId}`, { details: { id: jobId } });
    return job;
  }

  return {
    create,
    async list(account, filter, page) {
      const { items, nextCursor } = await jobs.list(account.id, filter, page);
      return { items: await views(items), nextCursor };
    },
    get: async (account, jobId) => view(await owned(account, jobId)),
    async cancel(account, jobId) {
      await owned(account, jobId);
      return view(await jobs.requestCancel(jobId));
    },
  };
}

function requirePlan(tool: ToolFacts, inputs: InputFiles, { options }: JobRequest): void {
  // The declaration that made these options is the one that reads them.
  const [refusal] = tool.plan(planFacts(inputs), options as never).refusals;
  if (refusal) throw new EarshotError(refusal.code, refusal.message, { details: { tool: tool.id } });
}
