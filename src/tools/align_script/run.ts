import { notInThisVersion, toolUnavailable } from '../../contract/unavailable.ts';
import type { RunResult } from '../declare/run.ts';

export function run(): Promise<RunResult> {
  return Promise.reject(toolUnavailable('align_script', notInThisVersion('align_script')));
}
