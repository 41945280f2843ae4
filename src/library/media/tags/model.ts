// What a file says of itself, in one form for all formats.

/** How a family of formats stores tags. */
export type Family = 'id3' | 'vorbis' | 'mp4';

/** An entry as its file has it: written again as it is into files of its family. */
export interface NativeEntry {
  readonly family: Family;
  /** Frame or atom. */
  readonly id: string;
  /** Payload of a frame; a comment with its name; an atom with its header. */
  readonly data: Buffer;
}

/** A tag. Without values it has no words, and only its own family can hold it. */
export interface TagEntry {
  /** As its file calls it; see `namesOf`. */
  readonly name: string;
  readonly values: readonly string[];
  /** Of a comment, lyrics or a link: what kind it is. */
  readonly description?: string;
  /** Of a comment or lyrics: ISO 639-2. */
  readonly language?: string;
  readonly native?: NativeEntry;
}

export interface Picture {
  /** As ID3 and FLAC number them: 3 is the front cover. */
  readonly type: number;
  readonly mimeType: string;
  readonly description: string;
  readonly data: Buffer;
}

export interface Tags {
  readonly entries: readonly TagEntry[];
  readonly pictures: readonly Picture[];
}

export const frontCover = 3;

const magics: readonly (readonly [magic: string, mimeType: string])[] = [
  ['\xff\xd8\xff', 'image/jpeg'],
  ['\x89PNG', 'image/png'],
  ['GIF8', 'image/gif'],
  ['BM', 'image/bmp'],
];

/** By its first bytes, since programs write "image/jpg", "JPG" or the name of another format. */
export function mimeTypeOf(picture: Buffer): string | null {
  const head = picture.toString('latin1', 0, 12);
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp';
  return magics.find(([magic]) => head.startsWith(magic))?.[1] ?? null;
}
