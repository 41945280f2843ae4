// Frames of FLAC (RFC 9639, section 9) as they are numbered, and the description of a stream of them (section 8.2).

/** The polynomials of a frame's two checksums, most significant bit first. */
const [polynomial8, polynomial16] = [0x07, 0x8005];
const footerBytes = 2;

function crc8(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x80 ? (crc << 1) ^ polynomial8 : crc << 1) & 0xff;
  }
  return crc;
}

const pushed16 = (crc: number): number => (crc & 0x8000 ? (crc << 1) ^ polynomial16 : crc << 1) & 0xffff;

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = pushed16(crc);
  }
  return crc;
}

/** What 1, 2, 4, ... bytes of zero behind it make of each bit of a checksum. */
const zeros: Uint16Array[] = [];

function applied(matrix: Uint16Array, crc: number): number {
  let sum = 0;
  for (let bit = 0; bit < 16; bit += 1) if (crc & (1 << bit)) sum ^= matrix[bit] as number;
  return sum;
}

/** A checksum after so many bytes of zero. */
function crcBehind(crc: number, bytes: number): number {
  let changed = crc;
  for (let [power, left] = [0, bytes]; left > 0; power += 1, left >>>= 1) {
    const before = zeros[power - 1];
    const matrix = (zeros[power] ??= Uint16Array.from({ length: 16 }, (_, bit) => {
      let one = 1 << bit;
      if (before) return applied(before, applied(before, one));
      for (let count = 0; count < 8; count += 1) one = pushed16(one);
      return one;
    }));
    if (left & 1) changed = applied(matrix, changed);
  }
  return changed;
}

export interface FlacHead {
  /** Samples per channel. */
  readonly frames: number;
  /** Bytes of the coded number, behind the first four. */
  readonly numberBytes: number;
  /** With its own checksum. */
  readonly headBytes: number;
}

/** The head of a frame; null: these bytes are none. */
export function readFlacHead(data: Uint8Array): FlacHead | null {
  const [first = 0, second = 0, sizes = 0, , lead = 0] = data;
  if (first !== 0xff || (second & 0xfe) !== 0xf8) return null;
  const [block, rate] = [sizes >> 4, sizes & 15];
  const numberBytes = lead < 0x80 ? 1 : Math.clz32(~(lead << 24));
  const [blockBytes, rateBytes] = [block === 6 ? 1 : block === 7 ? 2 : 0, rate === 12 ? 1 : rate > 12 ? 2 : 0];
  const headBytes = 4 + numberBytes + blockBytes + rateBytes + 1;
  if (block === 0 || rate === 15 || numberBytes > 7 || data.length < headBytes + footerBytes) return null;
  const at = 4 + numberBytes;
  const frames =
    block === 1
      ? 192
      : block < 6
        ? 576 << (block - 2)
        : block === 6
          ? (data[at] as number) + 1
          : block === 7
            ? (((data[at] as number) << 8) | (data[at + 1] as number)) + 1
            : 256 << (block - 8);
  return crc8(data.subarray(0, headBytes - 1)) === data[headBytes - 1] ? { frames, numberBytes, headBytes } : null;
}

/** A number of up to 36 bits as UTF-8 would have it. */
function codedNumber(number: number): number[] {
  if (number < 0x80) return [number];
  const bytes: number[] = [];
  let rest = number;
  // The lead byte has one bit less for each byte that follows it.
  for (let room = 6; rest >= 2 ** room; room -= 1) {
    bytes.unshift(0x80 | (rest % 64));
    rest = Math.floor(rest / 64);
  }
  const lead = (0xff00 >> (bytes.length + 1)) & 0xff;
  return [lead | rest, ...bytes];
}

let room = new Uint8Array(0);

/**
 * A frame with another number, valid until the next call. Its sound is not looked at: where it is damaged, the checksum
 * still says so.
 * @param number of the frame, or of its first sample in a stream whose blocks have several lengths
 */
export function renumbered(data: Uint8Array, { numberBytes, headBytes }: FlacHead, number: number, isFixed: boolean) {
  const [first = 0, , sizes = 0, form = 0] = data;
  const rest = data.subarray(4 + numberBytes, headBytes - 1);
  const head = Uint8Array.from([first, isFixed ? 0xf8 : 0xf9, sizes, form, ...codedNumber(number), ...rest]);
  const fresh = head.length + 1;
  const size = data.length - headBytes + fresh;
  if (room.length < size) room = new Uint8Array(2 * size);
  const made = room.subarray(0, size);
  made.set(head);
  made[fresh - 1] = crc8(head);
  made.set(data.subarray(headBytes), fresh);
  // A checksum of bytes is the sum of those of its parts, each with zeros in place of what follows.
  const change = crc16(data.subarray(0, headBytes)) ^ crc16(made.subarray(0, fresh));
  const view = new DataView(made.buffer, 0, size);
  const footer = made.length - footerBytes;
  view.setUint16(footer, view.getUint16(footer) ^ crcBehind(change, footer - fresh));
  return made;
}

/** What a stream's description says of all of it. */
export interface FlacStream {
  /** Samples per channel in blocks, the last one left out. */
  readonly leastBlock: number;
  readonly mostBlock: number;
  readonly frames: number;
}

/** Length of the description, and where its sizes of frames, its rate and form, and its checksum of samples begin. */
const [descriptionBytes, frameSizesAt, formAt, md5At] = [34, 4, 10, 18];

/** The part of a stream's description that decoders are set up by: rate, channels, bits. */
export function flacForm(description: Buffer): Buffer {
  const form = Buffer.from(description.subarray(formAt, formAt + 4));
  form[3] = (form[3] ?? 0) & 0xf0;
  return form;
}

/** A stream's description for other frames of it: sizes of frames and the checksum of all samples are not known. */
export function describedFlac(description: Buffer, { leastBlock, mostBlock, frames }: FlacStream): Buffer {
  const made = Buffer.from(description.subarray(0, descriptionBytes));
  made.writeUInt16BE(leastBlock, 0);
  made.writeUInt16BE(mostBlock, 2);
  made.fill(0, frameSizesAt, formAt);
  made.fill(0, md5At);
  made[formAt + 3] = ((made[formAt + 3] as number) & 0xf0) | Math.floor(frames / 2 ** 32);
  made.writeUInt32BE(frames % 2 ** 32, formAt + 4);
  return made;
}
