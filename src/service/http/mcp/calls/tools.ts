import { createHash } from 'node:crypto';
import { badValue } from '../../../../library/core/checks/schema.ts';
import type { JobRequest } from '../../../../library/contract/job-request.ts';
import type { AnyTool } from '../../../../library/tools/declare/define.ts';
import type { OfferedTool } from '../../../offers/offers.ts';
import { isPassage, passageName } from '../../../../library/contract/passage-order.ts';
import { keepEncodingName } from '../../../../library/tools/declare/keep-encoding.ts';
import { soundTrackName } from '../../../../library/tools/declare/sound-track.ts';
import { describeForAssistants, flatSchema } from '../../../../library/tools/assistant-tool.ts';
import { lenientValues } from '../../../../library/tools/lenient-values.ts';
import { requestSchema } from '../../../../library/tools/request-schema.ts';
import { splitBody } from '../../interface/rest-body.ts';
import { canonicalJson } from '../../../rules/jobs/request-hash.ts';
import type { JobView } from '../../../rules/jobs/jobs.ts';
import { type Call, type CallContext, making, reading } from './call.ts';
import { requireConsent } from './consent.ts';
import { jobAnswer } from './answer-schemas.ts';
import { answerJob, waitForJob } from './jobs.ts';
import { mostWaitSeconds, usualWaitSeconds } from './waiting.ts';
import type { DialectDeps } from '../../interface/dialect-deps.ts';

/**
 * Fields of every call that starts a paid job. Short, because every tool repeats them; `instructions` explains them,
 * and idempotency_key, the sound track and keep_encoding, which a call takes too: the track alone was 1.4 KB of a
 * session's schemas.
 */
const paidFields = {
  max_credits: { type: 'integer' },
  free: { type: 'boolean' },
} as const;
/** In `instructions` as well. */
const passageField = { [passageName]: { type: 'number' } };
/** Its bounds are in `instructions`, once for all tools. */
const waitSchema = { type: 'number' } as const;

/** How many times an identical call that failed gets a new idempotency key. */
const mostTries = 100;

/** A call for each tool: it starts a job and waits a while for its end. */
export function toolCalls(deps: DialectDeps): readonly Call[] {
  return deps.tools.map((tool) => toolCall(deps, tool));
}

function toolCall({ service, config }: DialectDeps, tool: OfferedTool): Call {
  const schema = flatSchema(tool);
  const { properties: all } = requestSchema(tool);
  const { [soundTrackName]: _track, [keepEncodingName]: _kept, ...fields } = schema.properties;
  const start = async (given: Readonly<Record<string, unknown>>, context: CallContext): Promise<JobView> => {
    const ownKey = given['idempotency_key'] !== undefined;
    for (let tries = 1; ; tries += 1) {
      const body = { ...given, tool: tool.id };
      const key = ownKey || !tool.jobFields ? null : keyOf(tool, given, tries);
      const request = splitBody(tool, body, key);
      if (tries === 1) await confirmPrice(request, context);
      const view = await service.jobs.create(context.account, request);
      // A repeated call returns the same job, unless that job failed or was cancelled.
      const cameToNothing = view.job.status === 'failed' || view.job.status === 'cancelled';
      if (key === null || !cameToNothing || tries === mostTries) return view;
    }
  };

  /** A price above the setting needs the user's consent. */
  async function confirmPrice(request: JobRequest, context: CallContext): Promise<void> {
    const { inputs, maxCredits, free, options } = request;
    if (free === true || maxCredits !== null || tool.alwaysFree || isPassage(options)) return;
    const { credits } = await service.tools.quote(context.account, tool.id, Object.values(inputs).flat());
    await requireConsent(config, context, { title: tool.title, credits, hasFree: true });
  }

  return {
    name: tool.id,
    title: tool.title,
    description: describeForAssistants(tool),
    inputSchema: {
      ...schema,
      properties: {
        ...fields,
        ...(tool.jobFields ? paidFields : {}),
        ...(passageName in fields ? passageField : {}),
        wait: waitSchema,
      },
    },
    outputSchema: jobAnswer(tool.id),
    group: tool.shown.purpose,
    usual: tool.shown.usualForAssistants ?? false,
    annotations: tool.alwaysFree ? reading : making,
    async run(asked, context) {
      const { wait, ...given } = lenientValues({ ...all, ...paidFields, wait: waitSchema }, asked, tool.optionRules);
      const waitSeconds = wait === undefined ? usualWaitSeconds : readWait(wait);
      const { job } = await start(given, context);
      return answerJob(service, await waitForJob(service, job.id, waitSeconds, context), context);
    },
  };
}

function readWait(value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= mostWaitSeconds) return value;
  throw badValue('wait', `number from 0 to ${mostWaitSeconds}`, value);
}

/** Models and clients repeat calls whose response was lost, so the same call gets the same job. */
const keyOf = (tool: AnyTool, given: Readonly<Record<string, unknown>>, tries: number): string =>
  `mcp-${createHash('sha256')
    .update(canonicalJson({ tool: tool.id, given: given as never, tries }))
    .digest('hex')
    .slice(0, 40)}`;
