import type { AssistantAnswer } from '../../../../library/contract/assistant-answers.ts';
import type { GroupedCall } from '../../../../library/tools/assistant-groups.ts';
import type { Account } from '../../../rules/accounts/account.ts';

/** A question for the user of the assistant. */
export interface Question {
  readonly message: string;
}

/** Context of a call. */
export interface CallContext {
  readonly account: Account;
  /** Aborted when the client disconnects or cancels the call, or the service stops. */
  readonly signal: AbortSignal;
  /** @param fraction 0 to 1 */
  progress(fraction: number, message: string): void;
  /**
   * Asks the user. 'unable': the client does not support questions, or no answer came in time.
   * @throws Asking, which ends this call; the client calls again with the answer
   */
  ask(question: Question): Promise<'yes' | 'no' | 'unable'>;
}

/** Thrown to end a call with a question. */
export class Asking extends Error {
  readonly question: Question;

  constructor(question: Question) {
    super(question.message);
    this.question = question;
  }
}

/** One of the tools of the protocol. */
export interface Call extends GroupedCall {
  readonly title: string;
  readonly description: string;
  /** JSON Schema: an object without combinators at the root. */
  readonly inputSchema: object;
  /** Of its `data`. */
  readonly outputSchema: object;
  readonly annotations: {
    /** Default: false. */
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    /** Does it access anything outside this service? */
    readonly openWorldHint: boolean;
  };
  /** @throws EarshotError; Asking */
  run(given: Readonly<Record<string, unknown>>, context: CallContext): Promise<AssistantAnswer>;
}

/** A call that changes nothing. */
export const reading = { readOnlyHint: true, openWorldHint: false } as const;
/** A call that creates something and removes nothing. */
export const making = {
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
