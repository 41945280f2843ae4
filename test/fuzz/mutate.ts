// Damage as it happens and as it is made: bits, holes, cuts, pieces of other files, numbers that lie, parts in the
// wrong order, at the wrong length, twice or not at all.

type Random = () => number;

const below = (random: Random, n: number): number => Math.floor(random() * n);
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[below(random, items.length)] as Item;

/** What counts and lengths never are, and what overflows when something is added or multiplied. */
const extremes = [0, 1, 2, 7, 0xff, 0x7fff, 0xffff, 0xff_ffff, 0x7fff_fff0, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/** A 32-bit number that may well be a length: it ends within the file, not at once. */
interface Length {
  readonly at: number;
  readonly value: number;
  readonly bigEndian: boolean;
}

/** Of the first 64 KiB: most headers. */
function lengthsIn(bytes: Buffer): Length[] {
  const found: Length[] = [];
  for (let at = 0; at + 8 <= Math.min(bytes.length, 65_536); at += 1)
    for (const bigEndian of [true, false]) {
      const value = bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
      // A name of four letters beside it, as in RIFF, MP4, AIFF, FLAC's and Ogg's inner headers, ID3.
      const named = [at - 4, at + 4].some(
        (from) => from >= 0 && /^[\w .©-]{4}$/.test(bytes.toString('latin1', from, from + 4)),
      );
      if (named && value >= 4 && at + value <= bytes.length + 8) found.push({ at, value, bigEndian });
    }
  return found;
}

const write32 = (bytes: Buffer, { at, bigEndian }: Length, value: number): void => {
  if (bigEndian) bytes.writeUInt32BE(value >>> 0, at);
  else bytes.writeUInt32LE(value >>> 0, at);
};

/** Lies about a length, or takes, repeats or moves the part that it describes. */
function mutatePart(bytes: Buffer, random: Random): Buffer {
  const lengths = lengthsIn(bytes);
  if (lengths.length === 0) return bytes;
  const one = pick(random, lengths);
  const from = Math.max(0, one.at - 4);
  const to = Math.min(bytes.length, from + 8 + one.value);
  const part = bytes.subarray(from, to);
  switch (below(random, 5)) {
    case 0:
      write32(
        bytes,
        one,
        random() < 0.5 ? pick(random, extremes) : one.value + pick(random, [-9, -8, -4, -1, 1, 4, 8]),
      );
      return bytes;
    case 1:
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    case 2: {
      // Many times over: tables of tables, chapters, tags.
      const times = Math.min(1 + below(random, 200), Math.floor(200_000 / Math.max(1, part.length)) + 1);
      return Buffer.concat([bytes.subarray(0, to), ...Array<Buffer>(times).fill(part), bytes.subarray(to)]);
    }
    case 3: {
      const rest = Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
      const place = below(random, rest.length + 1);
      return Buffer.concat([rest.subarray(0, place), part, rest.subarray(place)]);
    }
    default: {
      // The part within itself.
      const inner = Math.min(bytes.length, from + 8 + below(random, 16));
      return Buffer.concat([bytes.subarray(0, inner), part, bytes.subarray(inner)]);
    }
  }
}

function mutateBytes(bytes: Buffer, other: Buffer, random: Random): Buffer {
  // Half of all damage goes where the headers are.
  const place = (): number => below(random, random() < 0.5 ? Math.min(bytes.length, 600) : bytes.length);
  switch (below(random, 7)) {
    case 0:
      for (let n = 1 + below(random, 20); n > 0; n -= 1) {
        const i = place();
        bytes[i] = (bytes[i] ?? 0) ^ (1 << below(random, 8));
      }
      return bytes;
    case 1:
      return bytes.subarray(0, Math.max(1, below(random, bytes.length)));
    case 2: {
      const cut = below(random, Math.min(2000, other.length));
      return Buffer.concat([other.subarray(0, cut), bytes.subarray(Math.min(bytes.length - 1, cut))]);
    }
    case 3:
      return bytes.fill(random() < 0.5 ? 0 : 255, place(), Math.min(bytes.length, place() + below(random, 2000)));
    case 4: {
      const from = place();
      const piece = bytes.subarray(from, from + below(random, 8000));
      const to = place();
      return Buffer.concat([bytes.subarray(0, to), piece, bytes.subarray(to)]);
    }
    case 5: {
      const from = place();
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + below(random, 500))]);
    }
    default: {
      const from = Math.min(bytes.length - 4, place());
      if (from >= 0) bytes.writeUInt32BE(random() < 0.8 ? pick(random, extremes) : below(random, 2 ** 32), from);
      return bytes;
    }
  }
}

/** A damaged copy: one to three kinds of damage, by these random numbers alone. */
export function mutate(original: Buffer, other: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let round = 1 + below(random, 3); round > 0; round -= 1) {
    bytes = random() < 0.35 ? mutatePart(bytes, random) : mutateBytes(bytes, other, random);
    if (bytes.length === 0) bytes = Buffer.from([0]);
  }
  return bytes;
}
