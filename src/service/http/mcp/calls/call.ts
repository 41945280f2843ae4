import type { AssistantAnswer } from '../../../../library/contract/assistant-answers.ts';
import type { Account } from '../../../rules/records.ts';

/** A question for the person behind the assistant. */
export interface Question {
  readonly message: string;
}

/** The call's surroundings. */
export interface CallContext {
  readonly account: Account;
  /** Aborted when the client has gone, has cancelled the call, or the service stops. */
  readonly signal: AbortSignal;
  /** @param fraction 0 to 1 */
  progress(fraction: number, message: string): void;
  /**
   * Asks the person. 'unable': the client cannot ask.
   * @throws Asking, which ends this call; the client calls again with the answer
   */
  ask(question: Question): 'yes' | 'no' | 'unable';
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
export interface Call {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema, an object without combinators at its root. */
  readonly inputSchema: object;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    /** Does it reach beyond this service? */
    readonly openWorldHint: boolean;
  };
  /** @throws EarshotError; Asking */
  run(given: Readonly<Record<string, unknown>>, context: CallContext): Promise<AssistantAnswer>;
}

/** It changes nothing. */
export const reading = { readOnlyHint: true, openWorldHint: false } as const;
/** It makes something new and takes nothing away. */
export const making = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
