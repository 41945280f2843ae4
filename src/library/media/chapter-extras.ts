// Links and pictures of podcasts' chapters. They travel with a chapter under a key of their own: not in JSON, not in
// the types of results, and copied with the chapter.

export interface ChapterExtras {
  /** The frames of a chapter of ID3v2 but for its title. Pictures may be large: read when a file is written. */
  frames(): readonly { readonly id: string; readonly data: Buffer }[];
  readonly hasPicture: boolean;
  /** null: none. */
  readonly link: string | null;
}

const key = Symbol('extras');

export const extrasOf = (chapter: object): ChapterExtras | null =>
  (chapter as { readonly [key]?: ChapterExtras })[key] ?? null;

export const withExtras = <Chapter extends object>(chapter: Chapter, extras: ChapterExtras | null): Chapter =>
  extras === null ? chapter : { ...chapter, [key]: extras };
