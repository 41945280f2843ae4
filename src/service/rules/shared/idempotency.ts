/** An idempotent request: repeating the key with the same request returns the first result. */
export interface Idempotency {
  /** The client's key, from the Idempotency-Key header. */
  readonly key: string;
  /**
   * SHA-256, hex, of the canonical request.
   * @throws (from the store) EarshotError idempotency_key_reused when it differs
   */
  readonly requestHash: string;
}
