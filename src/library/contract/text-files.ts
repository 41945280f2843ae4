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

/** Formats of further files: ASS, TTML (EBU-TT-D), DOCX, RTTM (speakers alone). */
export const captionKinds = ['ass', 'ttml', 'docx', 'rttm'] as const;

export const isCaptionKind = (format: string): boolean => captionKinds.some((kind) => kind === format);

/** What captions are for; `shorts`: one to three words at a time. */
export const captionProfiles = ['standard', 'broadcast', 'youtube', 'shorts'] as const;
