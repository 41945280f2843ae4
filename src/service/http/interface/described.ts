/** What an interface adds to the document of another one: openapi.json is one for all. */
export interface Described {
  /** Operations by path and method, as OpenAPI 3.1 has them. */
  readonly paths: Readonly<Record<string, Record<string, unknown>>>;
  /** Shared schemas by name. */
  readonly schemas: Readonly<Record<string, Record<string, unknown>>>;
  /** Groups of operations, by the name that people read. */
  readonly tags: readonly string[];
}
