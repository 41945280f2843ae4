import { notInThisVersion, toolUnavailable } from '../../contract/unavailable.ts';
import type { RunResult } from '../declare/run.ts';

export function run(): Promise<RunResult> {
  return Promise.reject(toolUnavailable('transcribe_audio', notInThisVersion('transcribe_audio')));
}
