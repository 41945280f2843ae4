import type { JsonObject } from '../core/json.ts';
import type { FilesByField } from './tool-inputs.ts';
import type { ToolId } from './tool-ids.ts';

/** A client's request for a job: every field validated, every option parsed by the tool's declaration. */
export interface JobRequest {
  readonly tool: ToolId;
  /** File ids; fields that were not given are left out. */
  readonly inputs: FilesByField<string>;
  readonly options: JsonObject;
  readonly idempotencyKey: string | null;
  readonly maxCredits: number | null;
  /** undefined: see the matrix in the interface, "Keyed requests, paid or free choice". */
  readonly free: boolean | undefined;
}
