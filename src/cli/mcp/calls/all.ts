import { tools } from '../../../library/tools/registry.ts';
import { lenientValues } from '../../../library/tools/lenient-values.ts';
import type { LocalCall, LocalDeps } from './call.ts';
import { episodeCalls } from './episode.ts';
import { fileCalls } from './files.ts';
import { jobCalls } from './jobs.ts';
import { labelCalls } from './labels.ts';
import { toolCall } from './tools.ts';

/** All calls, of which a setting chooses. */
export const localCalls = (deps: LocalDeps): readonly LocalCall[] =>
  [
    ...episodeCalls(deps),
    ...tools.map((tool) => toolCall(tool, deps)),
    ...labelCalls(deps),
    ...fileCalls(deps.folders),
    ...jobCalls(deps.jobs),
  ].map(lenient);

/** Values may come as models write them. */
function lenient(call: LocalCall): LocalCall {
  const { properties = {} } = call.inputSchema as { readonly properties?: Readonly<Record<string, unknown>> };
  return { ...call, run: (given, context) => call.run(lenientValues(properties, given), context) };
}
