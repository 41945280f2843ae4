import { moduleUrl } from '../../core/running-files.ts';
import { tools } from '../../tools/registry.ts';
import type { JobGroups } from '../confine/job-groups.ts';
import type { Engine, EngineOptions, ToolSource, UntypedEngine } from './engine-types.ts';
import { ProcessEngine } from './process-engine.ts';

const workOf = (toolId: string): string => moduleUrl(`library/tools/${toolId}/run`);

/**
 * The public tools: the work of each lies beside its declaration, in a folder named by its id. The two that are loaded
 * ahead bring along what nearly all tools are made of: decoding, encoding, meters, the limiter.
 */
export const publicTools: ToolSource = {
  tools,
  runModuleUrl: workOf,
  preloadUrls: [workOf('analyze_audio'), workOf('adjust_loudness')],
  compiledUrls: tools.map(({ id }) => workOf(id)),
};

/**
 * @throws EarshotError bad_request for an option out of range; tool_unavailable where there is no Node for runs, and in
 *   a process that was started for one
 */
export function createEngine(options: EngineOptions = {}): Engine {
  // The declarations prove that each tool's work answers the result of its type.
  return createProcessEngine(options) as Engine;
}

/** `createEngine` for callers who learn at run time which tool they run. */
export const createUntypedEngine: (options?: EngineOptions) => UntypedEngine = createProcessEngine;

function createProcessEngine(options: EngineOptions = {}): ProcessEngine {
  return new ProcessEngine(publicTools, { runsPerProcess: 50, ...options }, null);
}

/** @param groups gives processes control groups of their own, which only a service has; default: none */
export function createEngineWith(
  source: ToolSource,
  options: EngineOptions = {},
  groups: JobGroups | null = null,
): UntypedEngine {
  return new ProcessEngine(source, options, groups);
}
