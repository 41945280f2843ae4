// A picture from its file, as a cover: JPEG or PNG, whole, and not larger than players show.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { EarshotError } from '../../core/errors/errors.ts';
import { pathError } from '../../core/errors/file-errors.ts';
import { largestCoverBytes } from '../../core/files/cover-pictures.ts';
import { mimeTypeOf, type Picture } from '../tags/model.ts';
import { isWholePicture, pictureSize } from '../tags/picture-size.ts';
import { coverOf } from './cover.ts';

/** A longer side is no cover: JPEG's own limit is 65,535, and a decoder would take 16 GB for it. */
const longestSide = 16_384;

/** Does the file begin as a JPEG or PNG does? */
export function beginsAsCover(path: string): boolean {
  const head = Buffer.alloc(12);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  return ['image/jpeg', 'image/png'].includes(mimeTypeOf(head) ?? '');
}

/** @throws EarshotError bad_request for what is no JPEG or PNG, is cut off or too large; errors of the file */
export function readCover(path: string): Picture {
  const refused = (expected: string, received: string): EarshotError =>
    new EarshotError('bad_request', `Expected ${expected} but ${basename(path)} ${received}`);
  let data: Buffer;
  try {
    const { size } = statSync(path);
    if (size > largestCoverBytes)
      throw refused(`a cover of at most ${largestCoverBytes / 2 ** 20} MiB`, `has ${(size / 2 ** 20).toFixed(1)} MiB`);
    data = readFileSync(path);
  } catch (thrown) {
    throw thrown instanceof EarshotError ? thrown : pathError(thrown, path, 'cover');
  }
  const cover = coverOf(data);
  if (cover === null) throw refused('a JPEG or PNG as cover', 'is neither');
  const { width, height } = pictureSize(data) ?? { width: 0, height: 0 };
  if (Math.max(width, height) > longestSide)
    throw refused(`a cover of at most ${longestSide} pixels a side`, `has ${width} x ${height} pixels`);
  if (!isWholePicture(data)) throw refused('a whole picture as cover', 'is cut off');
  return cover;
}
