// The container of office documents: ZIP (APPNOTE 6.3.3) with members as they are, so that browsers write it, too.

/** 1980-01-01, the earliest date of the format: the same content gives the same bytes. */
const dosDate = 0x21;
/** Version 2.0 of the format; names are UTF-8. */
const version = 20;
const utf8Names = 0x0800;

/** CRC-32 (ISO 3309), a bit at a time: documents are small. */
function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return (rest ^ 0xffffffff) >>> 0;
}

/** Numbers of so many bytes, the lowest byte first. */
const fields = (...numbers: readonly (readonly [value: number, bytes: number])[]): number[] =>
  numbers.flatMap(([value, bytes]) => Array.from({ length: bytes }, (_, at) => (value >>> (8 * at)) & 0xff));

function joined(parts: readonly (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param members contents by name, below 4 GiB together */
export function zip(members: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts: (Uint8Array | readonly number[])[] = [];
  const entries: (Uint8Array | readonly number[])[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(members)) {
    const [data, title] = [encoder.encode(content), encoder.encode(name)];
    const facts = fields(
      [version, 2],
      [utf8Names, 2],
      [0, 4],
      [dosDate, 2],
      [crc32(data), 4],
      [data.length, 4],
      [data.length, 4],
      [title.length, 2],
      [0, 2],
    );
    parts.push([0x50, 0x4b, 3, 4, ...facts], title, data);
    entries.push([0x50, 0x4b, 1, 2, ...fields([version, 2]), ...facts, ...fields([0, 2], [0, 4], [0, 4], [offset, 4])]);
    entries.push(title);
    offset += 4 + facts.length + title.length + data.length;
  }
  const size = entries.reduce((sum, { length }) => sum + length, 0);
  const count = entries.length / 2;
  const end = fields([0, 4], [count, 2], [count, 2], [size, 4], [offset, 4], [0, 2]);
  return joined([...parts, ...entries, [0x50, 0x4b, 5, 6, ...end]]);
}
