// Files laid out byte by byte after RFC 9559, in ways in which ffmpeg writes none.
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readMatroskaChapters } from '../../../../src/library/media/chapters/matroska.ts';
import { scratch } from '../../../fixtures/media/media.ts';

const at = scratch();

const hex = (id: string): Buffer => Buffer.from(id, 'hex');
const uint = (value: number, bytes = 8): Buffer =>
  hex(
    BigInt(value)
      .toString(16)
      .padStart(2 * bytes, '0'),
  );
/** An element with a size of four bytes. */
const element = (id: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x1000_0000 + body.length);
  return Buffer.concat([hex(id), size, body]);
};

const chapter = (title: string, startSeconds: number, endSeconds: number): Buffer =>
  element(
    'b6',
    element('73c4', uint(1, 1)),
    element('91', uint(startSeconds * 1e9)),
    element('92', uint(endSeconds * 1e9)),
    element('80', element('85', Buffer.from(title)), element('437c', Buffer.from('und'))),
  );
const edition = (...chapters: Buffer[]): Buffer => element('45b9', ...chapters);
const chapters = (...editions: Buffer[]): Buffer => element('1043a770', ...editions);
const header = element('1a45dfa3', element('4282', Buffer.from('matroska')));
const information = element('1549a966', element('2ad7b1', uint(1_000_000, 4)));
const cluster = element('1f43b675', element('e7', uint(0, 1)), element('ec', Buffer.alloc(3000)));
/** Positions count from the first byte of the segment's body. */
const seekHead = (entries: Readonly<Record<string, number>>): Buffer =>
  element(
    '114d9b74',
    ...Object.entries(entries).map(([id, position]) =>
      element('4dbb', element('53ab', hex(id)), element('53ac', uint(position, 4))),
    ),
  );

function chaptersOf(name: string, ...segment: Buffer[]): ReturnType<typeof readMatroskaChapters> {
  writeFileSync(at(name), Buffer.concat([header, element('18538067', ...segment)]));
  return readMatroskaChapters(at(name));
}

const film = [
  { startSeconds: 0, endSeconds: 60, title: 'One' },
  { startSeconds: 60, endSeconds: 90.5, title: 'Two' },
];
const asWritten = edition(...film.map((one) => chapter(one.title, one.startSeconds, one.endSeconds)));

describe('chapters of Matroska', () => {
  it('behind the clusters are found by the SeekHead', () => {
    const length = seekHead({ '1549a966': 0, '1043a770': 0 }).length;
    const end = length + information.length + cluster.length;
    const head = seekHead({ '1549a966': length, '1043a770': end });
    expect(chaptersOf('end.mkv', head, information, cluster, chapters(asWritten))).toEqual(film);
  });

  it.each([
    ['elsewhere', 1],
    ['past the end', 1_000_000],
  ])('are none where the SeekHead points %s', (name, off) => {
    const length = seekHead({ '1043a770': 0 }).length;
    const head = seekHead({ '1043a770': length + cluster.length + off });
    expect(chaptersOf(`${name}.mkv`, head, cluster, chapters(asWritten))).toEqual([]);
  });

  it('are those of the first edition that has any: others are other ways to cut the same film', () => {
    const other = edition(chapter('Long cut', 0, 7200));
    expect(chaptersOf('two.mkv', information, chapters(asWritten, other), cluster)).toEqual(film);
    expect(chaptersOf('empty-first.mkv', information, chapters(edition(), asWritten, other), cluster)).toEqual(film);
  });
});
