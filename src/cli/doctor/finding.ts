// What `earshot doctor` says of one part.

/** fine: works. limited: works, with parts missing. broken: does not work. */
export type State = 'fine' | 'limited' | 'broken';

export interface Finding {
  readonly subject: string;
  readonly state: State;
  /** One line. */
  readonly says: string;
  /** What to do about it. */
  readonly nextAction?: string;
  /** Details for programs. */
  readonly facts?: object;
}

export const reason = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown);
