import { EarshotError } from '../../../library/core/errors/errors.ts';
import { shownName } from '../../../library/core/checks/names.ts';
import type { JsonObject } from '../../../library/core/json.ts';
import type { JobRequest } from '../../../library/contract/job-request.ts';
import type { ToolFacts } from '../../../library/contract/tool-facts.ts';
import type { JobStore } from './job-store.ts';
import type { InputFiles } from './inputs.ts';

/**
 * Refuses ids that no dry run has listed, before the job is queued. If no dry run is on record (it has expired, or ran
 * elsewhere), the job itself checks them.
 * @throws EarshotError bad_request with the first unknown id
 */
export async function requireListedIds(
  jobs: Pick<JobStore, 'dryRunResults'>,
  accountId: string,
  tool: ToolFacts,
  inputs: InputFiles,
  { options }: Pick<JobRequest, 'options'>,
): Promise<void> {
  for (const [option, { input, result }] of Object.entries(tool.listedIds ?? {})) {
    const asked = options[option];
    const file = inputs[input]?.[0];
    if (!Array.isArray(asked) || file === undefined) continue;
    const { id: fileId, sourceJobId } = file;
    const lists = (await jobs.dryRunResults(accountId, tool.id, { field: input, fileId, sourceJobId })).map((answer) =>
      idsIn(answer[result]),
    );
    if (lists.length === 0) continue;
    const known = new Set(lists.flat());
    const unknown = asked.find((id) => typeof id === 'string' && !known.has(id));
    if (typeof unknown !== 'string') continue;
    const received = shownName(unknown);
    throw new EarshotError(
      'bad_request',
      `Expected ${option} from a dry run with this ${input} but received ${received}`,
      {
        nextAction: `Take ids from ${result} in the result of the dry run.`,
        details: { tool: tool.id, field: option, expected: `one of ${known.size} ids`, received },
      },
    );
  }
}

const idsIn = (list: JsonObject[string] | undefined): readonly unknown[] =>
  Array.isArray(list)
    ? list.flatMap((entry) => (entry !== null && typeof entry === 'object' && 'id' in entry ? [entry['id']] : []))
    : [];
