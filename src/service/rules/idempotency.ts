/** An idempotent request: the same key with the same request returns the result of the first one. */
export interface Idempotency {
  /** The client's own, from the Idempotency-Key header. */
  readonly key: string;
  /**
   * SHA-256, hex, of the canonical request.
   * @throws (from the store) EarshotError idempotency_key_reused when it differs
   */
  readonly requestHash: string;
}
