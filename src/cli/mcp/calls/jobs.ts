// Calls for jobs that other calls have started.
import * as Type from 'typebox/type';
import { createOptionsParser } from '../../../library/core/checks/schema.ts';
import type { AssistantAnswer } from '../../../library/contract/assistant-answers.ts';
import { EarshotError } from '../../../library/core/errors/errors.ts';
import { jobIdPattern } from '../../../library/tools/request-schema.ts';
import type { LocalJob } from '../jobs/job-records.ts';
import { type Finished, type LocalJobs, missingFiles, mostWaitSeconds } from '../jobs/local-jobs.ts';
import { jobAnswer, jobsAnswer } from './answer-schemas.ts';
import type { LocalCall } from './call.ts';

const jobId = Type.String({ pattern: jobIdPattern });
const GetJob = Type.Object(
  {
    job_id: jobId,
    wait: Type.Optional(Type.Number({ minimum: 0, maximum: mostWaitSeconds, default: mostWaitSeconds })),
  },
  { additionalProperties: false },
);
const ListJobs = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })) },
  { additionalProperties: false },
);
const CancelJob = Type.Object({ job_id: jobId }, { additionalProperties: false });

export function jobCalls(jobs: LocalJobs): readonly LocalCall[] {
  const parseGet = createOptionsParser<{ job_id: string; wait?: number }>('get_job', GetJob);
  const parseList = createOptionsParser<{ limit?: number }>('list_jobs', ListJobs);
  const parseCancel = createOptionsParser<{ job_id: string }>('cancel_job', CancelJob);
  return [
    {
      name: 'get_job',
      title: 'Get a job',
      description: 'The state of a job, or its result. Waits up to 45 s for its end; call again while it runs.',
      inputSchema: GetJob,
      outputSchema: jobAnswer(),
      group: 'jobs',
      usual: true,
      readOnly: true,
      replaces: false,
      async run(given, context) {
        const { job_id: id, wait } = parseGet(given, 'json');
        return answerJob(await jobs.wait(id, { ...context, waitSeconds: wait }));
      },
    },
    {
      name: 'list_jobs',
      title: 'List jobs',
      description: 'Jobs on these folders, newest first, also those of earlier sessions.',
      inputSchema: ListJobs,
      outputSchema: jobsAnswer,
      group: 'jobs',
      usual: true,
      readOnly: true,
      replaces: false,
      async run(given) {
        const { limit = 20 } = parseList(given, 'json');
        const listed = jobs.list().slice(0, limit);
        return {
          text: [
            listed.length === 0 ? 'There are no jobs.' : `Jobs: ${listed.length}.`,
            ...listed.map((job) => `${job.startedAt} ${stateWords(job)}`),
          ].join('\n'),
          data: { jobs: listed.map(recordOf) },
        };
      },
    },
    {
      name: 'cancel_job',
      title: 'Cancel a job',
      description: 'Ends a job that runs, and removes its partial files.',
      inputSchema: CancelJob,
      outputSchema: jobAnswer(),
      group: 'jobs',
      usual: true,
      readOnly: false,
      replaces: false,
      async run(given) {
        return answerJob({ job: await jobs.cancel(parseCancel(given, 'json').job_id) });
      },
    },
  ];
}

/** A job for programs. */
const recordOf = ({
  id,
  call,
  status,
  progress,
  stage,
  estimatedSecondsLeft,
  startedAt,
  finishedAt,
  error,
}: LocalJob) => ({
  job_id: id,
  tool: call,
  status,
  progress,
  stage,
  estimatedSecondsLeft,
  startedAt,
  finishedAt,
  ...(error === null ? {} : { error }),
});

function stateWords({ id, call, status, progress, stage, estimatedSecondsLeft }: LocalJob): string {
  if (status !== 'running')
    return `${call} ${status === 'interrupted' || status === 'cancelled' ? 'was ' : ''}${status} (${id}).`;
  const left = estimatedSecondsLeft === null ? '' : `, about ${Math.ceil(estimatedSecondsLeft)} s left`;
  return `${call} is running (${id}): ${Math.round(progress * 100)} %, ${stage}${left}.`;
}

const nextWords: Readonly<Partial<Record<LocalJob['status'], string>>> = {
  running: ' It goes on by itself. Call get_job with this job_id to wait for it.',
  interrupted: ' The program that did it has ended; make the same call again.',
};

/** The state of a job, or what came out. */
export function answerJob({ job, picture }: Finished): AssistantAnswer {
  const { answer, error, status } = job;
  const record = recordOf(job);
  if (status !== 'succeeded' || answer === null)
    return {
      text: `${stateWords(job)}${nextWords[status] ?? ''}`,
      quoted: error === null ? '' : `${error.message}. ${error.nextAction}`,
      data: record,
    };
  const missing = missingFiles(answer).map((path) => `No longer there: ${path}`);
  return {
    ...answer,
    quoted: [answer.quoted ?? '', ...missing].join('\n').trim(),
    data: { ...record, ...answer.data },
    ...(picture === undefined ? {} : { picture }),
  };
}

/** As `answerJob`. @throws EarshotError what the job failed with */
export function answerCall(finished: Finished): AssistantAnswer {
  const { error } = finished.job;
  if (error !== null) throw EarshotError.fromJSON(error);
  return answerJob(finished);
}
