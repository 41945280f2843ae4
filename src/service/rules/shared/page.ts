/** Which page of a list is requested. */
export interface PageRequest {
  /** From the previous page; null: the first. @throws EarshotError bad_request when it is not one of ours */
  readonly cursor: string | null;
  /** 1 to 100. */
  readonly limit: number;
}

/** One page of a list, with the cursor of the next. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** For the next request; null: this was the last page. */
  readonly nextCursor: string | null;
}
