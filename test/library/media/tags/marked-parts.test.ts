// What AIFF, CAF and FLAC files hold beside their sound: marks with names are chapters, the rest is named where it is
// lost.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { probe } from '../../../../src/library/media/read/probe.ts';
import { lostChunks } from '../../../../src/library/media/write/lost-chunks.ts';
import { scratch, writeAll } from '../../../fixtures/media/media.ts';

const at = scratch();
const rate = 8000;
const frames = 3 * rate;

const number = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, Math.max(0, bytes - 6), Math.min(6, bytes));
  return buffer;
};
const double = (value: number): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleBE(value);
  return buffer;
};
const chunk = (id: string, body: Buffer, lengthBytes: number): Buffer =>
  Buffer.concat([Buffer.from(id), number(body.length, lengthBytes), body]);

/** @param marks with their second; what follows them is of no use to a copy */
function aiff(marks: readonly (readonly [second: number, name: string])[]): Buffer {
  const common = Buffer.concat([
    number(1, 2),
    number(frames, 4),
    number(16, 2),
    // 8000 as a number of 80 bits.
    Buffer.from([0x40, 0x0b, 0xfa, 0, 0, 0, 0, 0, 0, 0]),
  ]);
  const listed = marks.map(([second, name], n) => {
    const text = Buffer.concat([Buffer.from([name.length]), Buffer.from(name)]);
    return Buffer.concat([number(n + 1, 2), number(second * rate, 4), text, Buffer.alloc(text.length % 2)]);
  });
  const chunks = [
    chunk('COMM', common, 4),
    chunk('MARK', Buffer.concat([number(marks.length, 2), ...listed]), 4),
    chunk('INST', Buffer.alloc(20), 4),
    chunk('SSND', Buffer.alloc(8 + 2 * frames), 4),
  ];
  return chunk('FORM', Buffer.concat([Buffer.from('AIFF'), ...chunks]), 4);
}

function caf(marks: readonly (readonly [second: number, name: string])[]): Buffer {
  const description = Buffer.concat([double(rate), Buffer.from('lpcm'), ...[0, 2, 1, 1, 16].map((n) => number(n, 4))]);
  const points = marks.map(([second], n) =>
    Buffer.concat([number(0, 4), double(second * rate), number(n + 1, 4), Buffer.alloc(12)]),
  );
  const names = marks.map(([, name]) => Buffer.from(`${name}\0`));
  const places = names.map((_, n) =>
    Buffer.concat([number(n + 1, 4), number(Buffer.concat(names.slice(0, n)).length, 8)]),
  );
  return Buffer.concat([
    Buffer.from('caff'),
    number(0x1_0000, 4),
    chunk('desc', description, 8),
    chunk('mark', Buffer.concat([number(0, 4), number(marks.length, 4), ...points]), 8),
    chunk('strg', Buffer.concat([number(marks.length, 4), ...places, ...names]), 8),
    chunk('regn', Buffer.alloc(8), 8),
    chunk('data', Buffer.alloc(4 + 2 * frames), 8),
  ]);
}

function flac(starts: readonly number[]): Buffer {
  const path = at('plain.flac');
  writeAll(path, [new Float32Array(frames)], rate, { format: 'flac' });
  const tracks = [...starts.map((second, n) => [second, n + 1] as const), [frames / rate, 255] as const].map(
    ([second, track]) =>
      Buffer.concat([number(second * rate, 8), number(track, 1), Buffer.alloc(26), number(1, 1), Buffer.alloc(12)]),
  );
  const sheet = Buffer.concat([Buffer.alloc(395), number(tracks.length, 1), ...tracks]);
  const block = (kind: number, body: Buffer): Buffer => Buffer.concat([number(kind, 1), number(body.length, 3), body]);
  const bytes = readFileSync(path);
  const others = [block(5, sheet), block(2, Buffer.from('riff....'))];
  return Buffer.concat([bytes.subarray(0, 42), ...others, bytes.subarray(42)]);
}

it.for([
  [
    'aiff',
    aiff([
      [0, 'Intro'],
      [1, 'Middle'],
    ]),
    ['Intro', 'Middle'],
    ['INST'],
  ],
  [
    'caf',
    caf([
      [0, 'Intro'],
      [1, 'Middle'],
    ]),
    ['Intro', 'Middle'],
    ['regn'],
  ],
  ['flac', flac([0, 1]), ['Track 1', 'Track 2'], ['APPLICATION (riff)']],
] as const)(
  '%s: marks are chapters, other parts are named where a copy has them not',
  ([kind, bytes, titles, lost]) => {
    const path = at(`marked.${kind}`);
    writeFileSync(path, bytes);
    const { chapters, durationSeconds } = probe(path);
    expect(durationSeconds).toBe(3);
    expect(chapters).toEqual([
      { startSeconds: 0, endSeconds: 1, title: titles[0] },
      { startSeconds: 1, endSeconds: 3, title: titles[1] },
    ]);
    const copy = at('copy.wav');
    writeAll(copy, [new Float32Array(frames)], rate, { format: 'wav' });
    expect(lostChunks(path, copy)).toMatchObject({ names: lost, hasPlace: false });
    expect(lostChunks(path, path)).toMatchObject({ names: [], hasPlace: true });
  },
);

it('marks without a name are counted, and damaged ones read as far as they go', () => {
  const path = at('damaged.aiff');
  const bytes = aiff([
    [0, 'Intro'],
    [1, ''],
    [2, ''],
  ]);
  writeFileSync(path, bytes);
  writeFileSync(at('other.aiff'), aiff([]));
  expect(lostChunks(path, at('other.aiff'))?.names).toEqual(['2 marks without a name']);
  const mark = bytes.indexOf('MARK');
  bytes.writeUInt16BE(60_000, mark + 8);
  writeFileSync(path, bytes);
  expect(probe(path).chapters.map(({ title }) => title)).toEqual(['Intro']);
});
