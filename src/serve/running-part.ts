/** What runs in a child of the launcher; `stop` finishes what is under way. */
export interface RunningPart {
  /** Where the API listens; null for the supervisor. */
  readonly address: string | null;
  stop(): Promise<void>;
}
