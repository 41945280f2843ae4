// What the service worker is told.

/** What one release serves. */
export interface Release {
  /** Of all that it has. */
  readonly version: string;
  /** Paths of scripts, styles and fonts, and what all of them begin with. */
  readonly assets: readonly string[];
  readonly assetsAt: string;
  /** What paths of pages that may be kept begin with. */
  readonly pagesAt: string;
}

/** What a page says: it was visited, in this language. */
export interface Visited {
  readonly path: string;
  readonly language: string;
}
