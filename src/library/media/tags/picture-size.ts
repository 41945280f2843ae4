// The size of a cover from its own header, without a picture decoder.

/** Width and height in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** The frame headers of JPEG (ITU-T T.81, table B.1): all SOFn except DHT, JPG and DAC in the same range. */
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Where a JPEG's frame header begins; null: it has none. */
function jpegFrame(data: Buffer): number | null {
  let at = 2;
  while (at + 9 <= data.length) {
    if (data[at] !== 0xff) return null;
    const marker = data[at + 1] as number;
    // Fill bytes, and markers without a length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (isFrameHeader(marker)) return at;
    else at += 2 + data.readUInt16BE(at + 2);
  }
  return null;
}

function jpegSize(data: Buffer): PictureSize | null {
  const at = jpegFrame(data);
  return at === null ? null : { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) };
}

/**
 * Does a JPEG or PNG have its end? A JPEG's is looked for behind the frame header, since a small picture in its EXIF
 * has an end of its own.
 */
export function isWholePicture(data: Buffer): boolean {
  if (data[0] === 0xff) return data.indexOf('\xff\xd9', jpegFrame(data) ?? data.length, 'latin1') > 0;
  return data.lastIndexOf('IEND', undefined, 'latin1') > 0;
}

function webpSize(data: Buffer): PictureSize | null {
  const kind = data.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: 1 + data.readUIntLE(24, 3), height: 1 + data.readUIntLE(27, 3) };
  if (kind === 'VP8 ') return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
  if (kind !== 'VP8L') return null;
  const bits = data.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** Of a JPEG, PNG, GIF, BMP or WebP; null for other formats and invalid headers. */
export function pictureSize(data: Buffer): PictureSize | null {
  let size: PictureSize | null = null;
  if (data.length < 30) return null;
  const magic = data.toString('latin1', 0, 4);
  if (magic.startsWith('\xff\xd8')) size = jpegSize(data);
  else if (magic === '\x89PNG') size = { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  else if (magic === 'GIF8') size = { width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
  else if (magic.startsWith('BM')) size = { width: data.readInt32LE(18), height: Math.abs(data.readInt32LE(22)) };
  else if (magic === 'RIFF' && data.toString('latin1', 8, 12) === 'WEBP') size = webpSize(data);
  if (size === null || !(size.width > 0) || !(size.height > 0) || Math.max(size.width, size.height) >= 2 ** 31)
    return null;
  return size;
}
