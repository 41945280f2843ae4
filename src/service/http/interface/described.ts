/** The part of a dialect in the shared openapi.json. */
export interface Described {
  /** OpenAPI 3.1 operations by path and method. */
  readonly paths: Readonly<Record<string, Record<string, unknown>>>;
  /** Shared schemas by name. */
  readonly schemas: Readonly<Record<string, Record<string, unknown>>>;
  /** Display names of the groups of operations. */
  readonly tags: readonly string[];
}
