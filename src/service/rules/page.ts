/** Which part of a list is wanted. */
export interface PageRequest {
  /** From the previous page; null: the first. @throws EarshotError bad_request for one that we did not make */
  readonly cursor: string | null;
  /** 1 to 100. */
  readonly limit: number;
}

/** One page of a list, and where the next one starts. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** For the next page's request; null: this was the last one. */
  readonly nextCursor: string | null;
}
