/** What runs in a child of the launcher; `stop` finishes what is under way. */
export interface RunningPart {
  /** Where the API listens; null for the supervisor. */
  readonly address: string | null;
  /** Where the older API listens alone; null: nowhere. */
  readonly legacyAddress: string | null;
  /** Takes nothing new, waits for what is under way or hands it back, and closes all connections. */
  stop(): Promise<void>;
}
