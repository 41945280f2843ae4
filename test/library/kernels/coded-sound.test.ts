// Coded streams by the headers that their standards give, at the very ends of memory: what hostile files look like.
import { describe, expect, it } from 'vitest';
import { holdsCodedSound } from '../../../src/library/kernels/coded-sound.ts';
import { seeded } from './signals.ts';

/** A buffer of its own that ends where the bytes end, so that a sanitizer sees a step beyond. */
const exact = (...parts: readonly (readonly number[])[]): Uint8Array => Uint8Array.from(parts.flat());
const frame = (header: readonly number[], length: number): number[] => [
  ...header,
  ...Array.from({ length: length - header.length }, () => 0x55),
];
/** The last frame of a row needs its header only. */
const row = (header: readonly number[], length: number, count: number): number[][] => [
  ...Array.from({ length: count - 1 }, () => frame(header, length)),
  frame(header, 8),
];
const swapped = (bytes: Uint8Array): Uint8Array => bytes.map((_, index) => bytes[index ^ 1] ?? 0);

/** 192 kbit/s at 48 kHz: 384 words of 16 bits (ETSI TS 102 366, table 4.13). */
const ac3 = [0x0b, 0x77, 0, 0, 0x14, 0x40, 0, 0];
/** Frame size field 383: 768 bytes. */
const eac3 = [0x0b, 0x77, 0x01, 0x7f, 0x30, 0x80, 0, 0];
/** AAC-LC, 48 kHz, 2 channels, 200 bytes. */
const adts = [0xff, 0xf1, 0x4c, 0x80, 200 >> 3, (200 & 7) << 5, 0, 0];
/** 97 bytes behind the header of three. */
const loas = [0x56, 0xe0, 97, 0, 0, 0, 0, 0];
/** Layer III, 128 kbit/s at 44.1 kHz: 417 bytes; MPEG-2 layer III, 64 kbit/s at 24 kHz: 192. */
const mp3 = [0xff, 0xfb, 0x90, 0x64, 0, 0, 0, 0];
const lowMp3 = [0xff, 0xf3, 0x84, 0x64, 0, 0, 0, 0];
/** Layer II, 192 kbit/s at 48 kHz: 576; layer I, 32 kbit/s at 32 kHz: 48. */
const mp2 = [0xff, 0xfd, 0xa4, 0, 0, 0, 0, 0];
const mp1 = [0xff, 0xff, 0x18, 0, 0, 0, 0, 0];

const rows = [
  ['AC-3', ac3, 768, 2],
  ['E-AC-3', eac3, 768, 2],
  ['AAC in ADTS', adts, 200, 3],
  ['AAC in LOAS', loas, 100, 3],
  ['MP3', mp3, 417, 4],
  ['MP3 of MPEG-2', lowMp3, 192, 4],
  ['MP2', mp2, 576, 4],
  ['MP1', mp1, 48, 4],
] as const;

describe('coded sound', () => {
  it.each(rows)('%s is so many frames in a row, and not one fewer', (_name, header, length, count) => {
    const whole = exact(...row(header, length, count));
    expect(holdsCodedSound(whole)).toBe(true);
    expect(holdsCodedSound(exact([0, 0, 0], ...row(header, length, count)))).toBe(true);
    // Cut off within the last header, and one frame that begins a byte late.
    expect(holdsCodedSound(whole.slice(0, -1))).toBe(false);
    expect(holdsCodedSound(exact(...row(header, length + 1, count)))).toBe(false);
    expect(holdsCodedSound(exact(...row(header, length, count - 1)))).toBe(false);
  });

  it.each([ac3, eac3])('words of the other byte order are AC-3, too', (...header) => {
    expect(holdsCodedSound(swapped(exact(...row(header, 768, 2))))).toBe(true);
  });

  it.each([
    [0x7f, 0xfe, 0x80, 0x01],
    [0xfe, 0x7f, 0x01, 0x80],
    [0x1f, 0xff, 0xe8, 0x00],
    [0xff, 0x1f, 0x00, 0xe8],
    [0xf8, 0x72, 0x6f, 0xba],
    [0x72, 0xf8, 0x1f, 0x4e],
  ])('a sync word %i %i %i %i counts by itself, but for a broken one', (...word) => {
    const rest = [0, 0, 0, 0];
    expect(holdsCodedSound(exact([1, 2, 3], word, rest))).toBe(true);
    expect(holdsCodedSound(exact([1, 2, 3], word, rest.slice(1)))).toBe(false);
    expect(holdsCodedSound(exact([1, 2, 3], word.with(3, word[3] ^ 0x10), rest))).toBe(false);
  });

  it('fields that no stream has are none, and no length takes it out of the bytes', () => {
    const impossible = [
      ac3.with(4, 0xc0),
      ac3.with(4, 0x26),
      ac3.with(5, 0x88),
      adts.with(2, 0x74),
      // A frame shorter than its header.
      adts.with(4, 0).with(5, 6 << 5),
      loas.with(2, 0),
      mp3.with(1, 0xeb),
      mp3.with(1, 0xf9),
      mp3.with(2, 0x00),
      mp3.with(2, 0xf0),
      mp3.with(2, 0x9c),
    ];
    for (const header of impossible) {
      const whole = exact(...Array.from({ length: 600 }, () => header));
      expect(holdsCodedSound(whole), header.join(' ')).toBe(false);
    }
    // The longest frames that the fields can say.
    for (const header of [eac3.with(2, 0x07).with(3, 0xff), adts.with(3, 0x83).with(4, 0xff), loas.with(1, 0xff)])
      for (let length = 0; length < 40; length += 1)
        expect(
          holdsCodedSound(
            exact(
              header,
              Array.from({ length }, () => header[length % 8] as number),
            ),
          ),
        ).toBe(false);
  });

  it('PCM is none: silence, full scale, and noise; nor is anything too short', () => {
    for (let length = 0; length < 8; length += 1) expect(holdsCodedSound(exact(ac3.slice(0, length)))).toBe(false);
    expect(holdsCodedSound(new Uint8Array(100_000))).toBe(false);
    expect(holdsCodedSound(new Uint8Array(100_000).fill(0xff))).toBe(false);
    const random = seeded(1);
    expect(holdsCodedSound(Uint8Array.from({ length: 300_000 }, () => 256 * random()))).toBe(false);
  });

  it('takes headers in any place and at any end, the same in a view', () => {
    const random = seeded(2);
    for (let round = 0; round < 3000; round += 1) {
      const [, header] = rows[Math.floor(random() * rows.length)]!;
      const bytes = Uint8Array.from({ length: Math.floor(24 * random()) }, () => 256 * random());
      const from = Math.floor(random() * (bytes.length + 1));
      bytes.set(header.slice(0, bytes.length - from), from);
      const view = new Uint8Array(bytes.length + 9).subarray(5, 5 + bytes.length);
      view.set(bytes);
      expect(holdsCodedSound(view)).toBe(holdsCodedSound(bytes));
    }
  });

  it('refuses what is no bytes', () => {
    for (const thing of [undefined, null, 'RIFF', [1, 2], new Float32Array(4), {}])
      expect(() => holdsCodedSound(thing as Uint8Array)).toThrow(TypeError);
  });
});
