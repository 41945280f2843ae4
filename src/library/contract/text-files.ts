import { contentTypes } from '../core/files/content-types.ts';

/** Text that users upload: scripts to align, and transcripts. By file name extension, without the dot. */
export const textFormats = {
  txt: { contentType: contentTypes.txt, maxBytes: 2 * 1024 * 1024 },
  srt: { contentType: contentTypes.srt, maxBytes: 2 * 1024 * 1024 },
  vtt: { contentType: contentTypes.vtt, maxBytes: 2 * 1024 * 1024 },
  /** Ten hours of words with times are about 15 MB. */
  json: { contentType: contentTypes.json, maxBytes: 64 * 1024 * 1024 },
} as const;

export type TextFormat = keyof typeof textFormats;

export const isTextFormat = (extension: string): extension is TextFormat => Object.hasOwn(textFormats, extension);
