import type { JsonObject } from '../../../library/core/json.ts';
import type { FilesByField } from '../../../library/contract/tool-inputs.ts';
import type { ToolId } from '../../../library/contract/tool-ids.ts';
import type { JobBilling } from './stored-job.ts';

/** A request whose files are still being received or checked. `placeOrder` makes a job of it. */
export interface PendingOrder {
  /** Also the id of its job, if one is created: "job_...". */
  readonly id: string;
  /** null: a visitor's. */
  readonly accountId: string | null;
  /** The owner of the free uses: the account's id, or the keyed hash of the address. */
  readonly visitor: string;
  readonly tool: ToolId;
  readonly request: PendingRequest;
}

/** The client's request. */
export interface PendingRequest {
  /** Ids of the files by input field, in order. */
  readonly inputs: FilesByField<string>;
  readonly options: JsonObject;
  /** null: depends on the balance; see the contract's table of keyed requests. */
  readonly free: boolean | null;
  /** Most credits that it may cost; null: no cap. */
  readonly maxCredits: number | null;
  /** null when the client sent no key. */
  readonly idempotency: {
    /** The client's own, from the Idempotency-Key header. */
    readonly key: string;
    /** SHA-256, hex, of the files' bytes and the options; file ids differ with every upload. */
    readonly requestHash: string;
  } | null;
  /** As in `OrderJob`. */
  readonly billedSeconds?: number;
}

/** The price of the whole files and its basis. */
export interface WholePrice {
  readonly credits: number;
  readonly billing: JobBilling;
}
