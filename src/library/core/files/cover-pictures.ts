import { contentTypes } from './content-types.ts';

/** Pictures that users upload as covers, by FFmpeg's name of their codec: what players show. */
export const pictureFormats = {
  jpeg: { extensions: ['jpg', 'jpeg'], contentType: contentTypes.jpg },
  png: { extensions: ['png'], contentType: contentTypes.png },
} as const;

/** Players do not show larger ones. */
export const largestCoverBytes = 16 * 2 ** 20;

/** Is it the format of a picture that was checked? */
export const isPictureFormat = (format: string | null): format is keyof typeof pictureFormats =>
  format !== null && Object.hasOwn(pictureFormats, format);
