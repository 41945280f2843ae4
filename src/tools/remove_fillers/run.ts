import { notInThisVersion, toolUnavailable } from '../../contract/unavailable.ts';
import type { RunResult } from '../declare/run.ts';

export function run(): Promise<RunResult> {
  return Promise.reject(toolUnavailable('remove_fillers', notInThisVersion('remove_fillers')));
}
