import * as Type from 'typebox/type';
import { createOptionsParser } from '../../../../library/core/checks/schema.ts';
import { jobIdPattern } from '../../../../library/tools/request-schema.ts';
import { toolIds, type ToolId } from '../../../../library/contract/tool-ids.ts';
import { toolWork } from '../../../../library/contract/tool-work.ts';
import { wholeWords } from '../../../../library/contract/transcript-window.ts';
import type { AssistantAnswer } from '../../../../library/contract/assistant-answers.ts';
import { terminalJobStatuses } from '../../../rules/jobs/stored-job.ts';
import type { Service } from '../../../rules/service.ts';
import type { JobView } from '../../../rules/jobs/jobs.ts';
import { chainRecord } from '../../interface/chain-records.ts';
import { jobRecord, pageOf, pageRequest } from '../../interface/records.ts';
import { type Call, type CallContext, making, reading } from './call.ts';
import { answerChain, waitForChain } from './chains.ts';
import { linkOf, usualWaitSeconds, waitField } from './waiting.ts';
import { chainWords, jobWords, type Words, withResults } from './words.ts';
import { jobAnswer, jobsAnswer } from './answer-schemas.ts';
import type { DialectDeps } from '../../interface/dialect-deps.ts';

/** Of a job or a chain. */
const jobId = Type.String({ pattern: jobIdPattern });
const isChain = (id: string): boolean => id.startsWith('chain_');

const GetJob = Type.Object(
  { job_id: jobId, wait: Type.Optional(waitField(usualWaitSeconds)) },
  { additionalProperties: false },
);
const CancelJob = Type.Object({ job_id: jobId }, { additionalProperties: false });
const ListJobs = Type.Object(
  {
    tool: Type.Optional(Type.Enum([...toolIds], { description: 'Only jobs of this tool' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    cursor: Type.Optional(Type.String({ maxLength: 500, description: 'nextCursor of the page before' })),
  },
  { additionalProperties: false },
);

/** Calls for existing jobs. */
export function jobCalls({ service }: DialectDeps): readonly Call[] {
  const { jobs } = service;
  const parseGet = createOptionsParser<{ job_id: string; wait?: number }>('get_job', GetJob);
  const parseCancel = createOptionsParser<{ job_id: string }>('cancel_job', CancelJob);
  const parseList = createOptionsParser<{ tool?: ToolId; limit?: number; cursor?: string }>('list_jobs', ListJobs);
  return [
    {
      name: 'get_job',
      title: 'Get a job',
      description: 'The state of a job, or its outputs and measurements. Waits for its end; call again while it runs.',
      inputSchema: GetJob,
      outputSchema: jobAnswer(),
      group: 'jobs',
      usual: true,
      annotations: reading,
      async run(given, context) {
        const { job_id: id, wait = usualWaitSeconds } = parseGet(given, 'json');
        if (isChain(id)) return answerChain(service, await waitForChain(service, id, wait, context), context);
        return answerJob(service, await waitForJob(service, id, wait, context), context);
      },
    },
    {
      name: 'list_jobs',
      title: 'List jobs',
      description: 'Jobs, newest first; the first page has chains too.',
      inputSchema: ListJobs,
      outputSchema: jobsAnswer,
      group: 'jobs',
      usual: true,
      annotations: reading,
      async run(given, { account }) {
        const { tool = null, ...page } = parseList(given, 'json');
        const found = await jobs.list(account, { tool }, pageRequest(page));
        // A chain has steps of several tools, and pages of its own.
        const withChains = tool === null && page.cursor === undefined;
        const chains = withChains ? (await service.chains.list(account, pageRequest(page))).items : [];
        const shown = chains.map((view) => chainRecord(view, service.tools));
        const words = [...chains.map((view, at) => chainWords(shown[at]!, view.outputs)), ...found.items.map(jobWords)];
        const ofChains = chains.length === 0 ? '' : ` Chains: ${chains.length}.`;
        return {
          text: (found.items.length === 0 ? 'There are no jobs.' : `Jobs: ${found.items.length}.`) + ofChains,
          quoted: words.map(({ text, quoted }) => `${text}\n${quoted}`.trim()).join('\n'),
          data: {
            ...pageOf(found, (view) => jobRecord(view, service.tools)),
            ...(withChains ? { chains: shown } : {}),
          },
        };
      },
    },
    {
      name: 'cancel_job',
      title: 'Cancel a job',
      description: 'Stops a job that has not finished. Nothing is charged for it.',
      inputSchema: CancelJob,
      outputSchema: jobAnswer(),
      group: 'jobs',
      usual: true,
      annotations: { ...making, destructiveHint: true },
      async run(given, context) {
        const { job_id: id } = parseCancel(given, 'json');
        if (isChain(id)) return answerChain(service, await service.chains.cancel(context.account, id), context);
        return answerJob(service, await jobs.cancel(context.account, id), context);
      },
    },
  ];
}

/** The job once it has ended, or after the wait. Reports progress meanwhile. */
export async function waitForJob(
  { jobs }: Pick<Service, 'jobs'>,
  id: string,
  waitSeconds: number,
  { account, signal, progress }: CallContext,
): Promise<JobView> {
  const first = await jobs.get(account, id);
  if (waitSeconds === 0 || terminalJobStatuses.includes(first.job.status)) return first;
  let last = first;
  const over = AbortSignal.any([signal, AbortSignal.timeout(Math.round(waitSeconds * 1000))]);
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const following = await jobs.follow(account, id, (view, final) => {
    if (view === null || final) finish();
    if (view === null) return;
    last = view;
    progress(view.job.progress, view.job.stage);
  });
  over.addEventListener('abort', () => finish(), { once: true });
  if (over.aborted) finish();
  await finished;
  following.stop();
  return last;
}

/** A job with links to its outputs. */
export async function answerJob(
  service: Pick<Service, 'files' | 'tools' | 'transcripts'>,
  view: JobView,
  { account }: Pick<CallContext, 'account'>,
): Promise<AssistantAnswer> {
  const links = await Promise.all(
    view.outputs.map(async (file) => linkOf(file, (await service.files.downloadLink(account, file.id)).url)),
  );
  const words = withResults(jobWords(view), links, await transcriptWords(service, view, account));
  return { ...words, data: jobRecord(view, service.tools), links };
}

/** A transcript that the job wrote, if it is short enough for an answer; null: there is none, or it is long. */
async function transcriptWords(
  { transcripts }: Pick<Service, 'transcripts'>,
  { job, outputs }: JobView,
  account: CallContext['account'],
): Promise<Words | null> {
  const file = outputs.find(({ format }) => format === 'json');
  if (file === undefined || job.status !== 'succeeded' || toolWork[job.tool].transcriptOf === null) return null;
  const window = await transcripts.window(account, file.id, {
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    detail: 'concise',
  });
  return wholeWords(window);
}
