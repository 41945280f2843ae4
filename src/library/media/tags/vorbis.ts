// Vorbis comments (Ogg Vorbis, Opus, Speex, FLAC) and FLAC's pictures (RFC 9639, section 8.8) as tags, and back.
import { frontCover, mimeTypeOf, type Picture, type TagEntry, type Tags } from './model.ts';
import { asShown, namesOf, squashed } from './names.ts';
import { pictureSize } from './picture-size.ts';

/** Where a block's comments begin, with their names in upper case; the vendor's name is before them. */
export function* commentsIn(block: Buffer): Generator<{ name: string; value: Buffer; data: Buffer }> {
  if (block.length < 8) return;
  let at = 4 + block.readUInt32LE(0);
  if (at + 4 > block.length) return;
  const count = block.readUInt32LE(at);
  at += 4;
  for (let n = 0; n < count && at + 4 <= block.length; n += 1) {
    const length = block.readUInt32LE(at);
    at += 4;
    if (at + length > block.length) return;
    const data = block.subarray(at, at + length);
    const equals = data.indexOf('=');
    if (equals > 0) yield { name: data.toString('latin1', 0, equals), value: data.subarray(equals + 1), data };
    at += length;
  }
}

/** A FLAC picture block; null for damaged ones and links. */
export function flacPicture(block: Buffer): Picture | null {
  if (block.length < 32) return null;
  const mimeEnd = 8 + block.readUInt32BE(4);
  if (mimeEnd + 4 > block.length) return null;
  const textEnd = mimeEnd + 4 + block.readUInt32BE(mimeEnd);
  if (textEnd + 20 > block.length) return null;
  const mimeType = block.toString('latin1', 8, mimeEnd);
  const data = block.subarray(textEnd + 20, textEnd + 20 + block.readUInt32BE(textEnd + 16));
  if (mimeType === '-->' || data.length === 0) return null;
  return {
    type: Math.min(255, block.readUInt32BE(0)),
    mimeType: mimeTypeOf(data) ?? mimeType,
    description: block.toString('utf8', mimeEnd + 4, textEnd),
    data,
  };
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A picture as a FLAC block, without the block's header. */
export function flacPictureBlock({ type, mimeType, description, data }: Picture): Buffer {
  const texts = [mimeType, description].map((text) => Buffer.from(text, 'utf8'));
  const size = pictureSize(data) ?? { width: 0, height: 0 };
  const facts = [size.width, size.height, 24, 0, data.length].map(number);
  return Buffer.concat([number(type), ...texts.flatMap((text) => [number(text.length), text]), ...facts, data]);
}

/** Comments that are read with the chapters. */
const isChapterComment = (name: string): boolean => /^CHAPTER\d{1,3}(?:NAME|URL)?$/iu.test(name);
const isPictureComment = (name: string): boolean => /^(?:METADATA_BLOCK_PICTURE|COVERART|COVERARTMIME)$/iu.test(name);

/** Names whose kind is behind a colon: "COMMENT:Songs". */
const describedPattern = /^(COMMENT|LYRICS|WWW):(.+)$/isu;

/** Tags of a block of comments, with the pictures of FLAC's own blocks. */
export function tagsOfVorbis(block: Buffer, pictures: readonly Picture[]): Tags {
  const entries: TagEntry[] = [];
  const found = [...pictures];
  const comments = [...commentsIn(block)];
  // FFmpeg writes a comment as a description.
  const isOfFfmpeg = /^.{4}(?:ffmpeg|Lavf)/su.test(block.toString('latin1', 0, 10));
  const isComment = isOfFfmpeg && !comments.some(({ name }) => /^COMMENT$/iu.test(name)) ? /^DESCRIPTION$/iu : null;
  for (const { name, value, data } of comments) {
    if (isChapterComment(name)) continue;
    if (isPictureComment(name)) {
      const bytes = Buffer.from(value.toString('latin1'), 'base64');
      const isBare = name.toUpperCase() === 'COVERART' && mimeTypeOf(bytes) !== null;
      const picture = isBare
        ? { type: frontCover, mimeType: mimeTypeOf(bytes) as string, description: '', data: bytes }
        : flacPicture(bytes);
      if (picture) found.push(picture);
      continue;
    }
    const [, base, description] = describedPattern.exec(name) ?? [];
    entries.push({
      name: isComment?.test(name) === true ? 'COMMENT' : (base ?? name),
      values: [value.toString('utf8')],
      ...(description === undefined ? {} : { description }),
      native: { family: 'vorbis', id: name, data },
    });
  }
  return { entries, pictures: found };
}

/** The characters of a name: ASCII without "=". */
const isCommentName = (name: string): boolean => /^[\u0020-\u003c\u003e-\u007d]+$/u.test(name);
const asciiName = (name: string): string => name.replaceAll(/[^\u0020-\u003c\u003e-\u007d]/gu, '') || 'TAG';

/** Numbers with their totals are two comments. */
const totals: Readonly<Record<string, string>> = {
  TRACKNUMBER: 'TRACKTOTAL',
  DISCNUMBER: 'DISCTOTAL',
  MOVEMENT: 'MOVEMENTTOTAL',
};

function commentsOf(entry: TagEntry, others: ReadonlySet<string>): Buffer[] {
  if (entry.native?.family === 'vorbis') return [entry.native.data];
  const names = namesOf(entry.name);
  const { vorbis } = names;
  const kind = entry.description ?? '';
  const name = kind !== '' && isCommentName(kind) ? `${vorbis}:${kind}` : asciiName(asShown(vorbis, names));
  const total = totals[vorbis];
  return entry.values.flatMap((value) => {
    const [, first, second] = (total !== undefined && /^([^/]*)\/([^/]*)$/u.exec(value)) || [];
    if (total === undefined || first === undefined || second === undefined) return [Buffer.from(`${name}=${value}`)];
    return [
      ...(first === '0' ? [] : [Buffer.from(`${name}=${first}`)]),
      ...(others.has(squashed(total)) ? [] : [Buffer.from(`${total}=${second}`)]),
    ];
  });
}

/** All tags as comments, without the pictures. */
export function vorbisComments({ entries }: Tags): Buffer[] {
  const names = new Set(entries.map(({ name }) => squashed(namesOf(name).vorbis)));
  return entries.flatMap((entry) => commentsOf(entry, names));
}

const vendor = Buffer.from('Earshot');

/** A block of comments. */
export function commentBlock(comments: readonly Buffer[]): Buffer {
  const length = (value: number): Buffer => number(value).swap32();
  return Buffer.concat([
    length(vendor.length),
    vendor,
    length(comments.length),
    ...comments.flatMap((comment) => [length(comment.length), comment]),
  ]);
}

export const pictureComment = (picture: Picture): Buffer =>
  Buffer.from(`METADATA_BLOCK_PICTURE=${flacPictureBlock(picture).toString('base64')}`);
