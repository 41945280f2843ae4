import { tools } from '../../../library/tools/registry.ts';
import type { LocalCall } from './call.ts';
import { fileCalls } from './files.ts';
import { jobCalls } from './jobs.ts';
import { type LocalDeps, toolCall } from './tools.ts';

/** All calls. */
export const localCalls = (deps: LocalDeps): readonly LocalCall[] => [
  ...tools.map((tool) => toolCall(tool, deps)),
  ...fileCalls(deps.folders),
  ...jobCalls(deps.jobs),
];
