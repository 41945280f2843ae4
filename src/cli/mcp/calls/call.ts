import type { AssistantAnswer } from '../../../library/contract/assistant-answers.ts';
import { badValue } from '../../../library/core/checks/schema.ts';
import type { GroupedCall } from '../../../library/tools/assistant-groups.ts';
import type { UntypedEngine } from '../../../library/runtime/engine/engine-types.ts';
import type { AllowedFolders } from './allowed-folders.ts';
import { type LocalJobs, mostWaitSeconds } from '../jobs/local-jobs.ts';
import type { OnProgress } from '../../../library/core/progress/progress.ts';

/** Context of a call. */
export interface LocalContext {
  /** Aborted when the client gives the call up; a job that it started goes on. */
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** What calls work with. */
export interface LocalDeps {
  readonly engine: UntypedEngine;
  readonly folders: AllowedFolders;
  readonly jobs: LocalJobs;
}

/** A call of an assistant on this machine. */
export interface LocalCall extends GroupedCall {
  readonly title: string;
  readonly description: string;
  /** What a model is shown; some fields that every tool takes are only in the server's instructions. */
  readonly inputSchema: object;
  /** Of its `data`. */
  readonly outputSchema: object;
  readonly readOnly: boolean;
  /** Can it replace a file? */
  readonly replaces: boolean;
  run(given: Given, context: LocalContext): Promise<AssistantAnswer>;
}

export type Given = Readonly<Record<string, unknown>>;

/** @throws EarshotError bad_request */
export function pathOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= 4096) return value;
  throw badValue(name, 'path', value);
}

/** @throws EarshotError bad_request */
export function flagOf(name: string, value: unknown, usual: boolean): boolean {
  if (value === undefined) return usual;
  if (typeof value === 'boolean') return value;
  throw badValue(name, 'true or false', value);
}

/** Seconds until a call answers in any case. */
export const waitField = { type: 'number', minimum: 0, maximum: mostWaitSeconds } as const;

/** @throws EarshotError bad_request */
export function waitOf(value: unknown): number | undefined {
  if (value === undefined || (typeof value === 'number' && value >= 0 && value <= mostWaitSeconds)) return value;
  throw badValue('wait', `number from 0 to ${mostWaitSeconds}`, value);
}
