/** The API or the supervisor in a child of the launcher. */
export interface RunningPart {
  /** Address of the API; null for the supervisor. */
  readonly address: string | null;
  /** Address of the older API's separate port; null: none. */
  readonly legacyAddress: string | null;
  /** Accepts no new work, finishes or requeues the current one, and closes all connections. */
  stop(): Promise<void>;
}
