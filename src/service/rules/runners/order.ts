// What a runner gets: a job, and links for the parts of its outputs.
import type { JsonObject } from '../../../library/core/json.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { KnownVoice, VoiceReference } from '../../../library/contract/voice-print.ts';
import type { StepWriting } from '../jobs/stored-job.ts';
import type { RunnerInput } from './input-links.ts';

/** A job for a runner, with everything it needs and nothing else. */
export interface RunnerOrder {
  /** The credential for this job alone. */
  readonly token: string;
  readonly tool: ToolId;
  readonly options: JsonObject;
  /** Voices that the options may name. Absent: none. */
  readonly knownVoices?: readonly KnownVoice[];
  /** People to be named in this job alone. Absent: none. */
  readonly voiceReferences?: readonly VoiceReference[];
  readonly windowSeconds: number | null;
  /** By field, in order; of `modelField`: the file whose form the outputs take. */
  readonly inputs: readonly RunnerInput[];
  /** How a step of a chain writes; null: no step. */
  readonly writes: StepWriting | null;
  /** Limit for all outputs together, bytes. */
  readonly maxOutputBytes: number;
  /** Estimated size, for reserving disk space. */
  readonly outputBytes: number;
  readonly maxSeconds: number;
  /** After this time without a report, the job goes to another machine. */
  readonly leaseSeconds: number;
  /** No other job may run on the runner at the same time. */
  readonly alone: boolean;
  /** Equal for the jobs of one account, which may share warm processes; null: do not share. */
  readonly owner: string | null;
}

/** A link for one PUT of a part. */
export interface RunnerPart {
  readonly part: number;
  readonly url: string;
  readonly sizeBytes: number;
}
