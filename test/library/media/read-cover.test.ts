// Covers from their files: pictures that ffmpeg and sharp wrote, and what is no picture.
import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { largestCoverBytes } from '../../../src/library/core/files/cover-pictures.ts';
import { beginsAsCover, readCover } from '../../../src/library/media/write/read-cover.ts';
import { scratch } from '../../fixtures/media/media.ts';

const at = scratch();
const red = sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } });
const written = (name: string, bytes: Uint8Array): string => {
  writeFileSync(at(name), bytes);
  return at(name);
};
const thrownBy = (path: string): string => {
  try {
    readCover(path);
    return 'nothing';
  } catch (thrown) {
    return (thrown as Error).message;
  }
};

it.for(['jpeg', 'png'] as const)('a whole %s is a cover, and each of its beginnings is not', async (kind) => {
  const whole = await red.clone().toFormat(kind).toBuffer();
  const path = written(`whole.${kind}`, whole);
  expect(beginsAsCover(path)).toBe(true);
  expect(readCover(path)).toMatchObject({ mimeType: `image/${kind}`, data: whole });
  for (let length = 12; length < whole.length - 12; length += 29) {
    const cut = written(`cut.${kind}`, whole.subarray(0, length));
    expect(thrownBy(cut)).toMatch(/Expected a (?:JPEG or PNG|whole picture) as cover/);
  }
});

it('a picture in the EXIF of a JPEG does not make it whole', async () => {
  const small = await red.clone().resize(8).jpeg().toBuffer();
  const whole = await red.clone().jpeg().toBuffer();
  const length = small.length + 2;
  const marker = Buffer.from([0xff, 0xe1, length >> 8, length & 0xff]);
  const nested = Buffer.concat([whole.subarray(0, 2), marker, small, whole.subarray(2)]);
  expect(thrownBy(written('nested.jpg', nested))).toBe('nothing');
  expect(thrownBy(written('nested-cut.jpg', nested.subarray(0, -20)))).toMatch(/is cut off/);
});

it('what is no picture, too large or too wide is refused with what was expected', async () => {
  expect(beginsAsCover(written('text.jpg', Buffer.from('no picture')))).toBe(false);
  expect(thrownBy(at('text.jpg'))).toMatch(/Expected a JPEG or PNG as cover but text.jpg is neither/);
  expect(beginsAsCover(written('empty.png', Buffer.alloc(0)))).toBe(false);
  const png = await red.clone().png().toBuffer();
  expect(thrownBy(written('large.png', Buffer.concat([png, Buffer.alloc(largestCoverBytes)])))).toMatch(/16 MiB/);
  const wide = Buffer.from(png);
  wide.writeUInt32BE(70_000, 16);
  expect(thrownBy(written('wide.png', wide))).toMatch(/at most 16384 pixels a side but wide.png has 70000 x 30/);
  expect(thrownBy(at('none.png'))).toMatch(/none.png/);
});
