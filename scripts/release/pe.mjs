// Reads what an addon for Windows asks of the system that it runs on (PE, 64 bit). Structures: Microsoft's "PE Format".

const folders = { exports: 0, imports: 1, debug: 6, delayed: 13 };

/**
 * @param {Buffer} bytes of the file
 * @returns `machine` ("x64", "arm64"), `minimum`: the oldest Windows by its own number ("6.0"), `imports`: pairs of a
 * library
 *   and the names that it takes from it when it is loaded, `delayed`: the same, when they are called first, `exported`
 *   names, `protections` that it goes without, `symbols`: where it says that its debugging symbols lie
 * @throws Error when it is no such file
 */
export function readPe(bytes) {
  const head = bytes.length >= 64 && bytes.toString('latin1', 0, 2) === 'MZ' ? bytes.readUInt32LE(60) : bytes.length;
  if (bytes.length < head + 24 + 240 || bytes.toString('latin1', head, head + 4) !== 'PE\0\0')
    throw new Error('Expected a PE file of 64 bit');
  const optional = head + 24;
  if (bytes.readUInt16LE(optional) !== 0x20b) throw new Error('Expected a PE file of 64 bit');
  const kind = bytes.readUInt16LE(head + 4);
  const machine = { 0x8664: 'x64', 0xaa64: 'arm64' }[kind] ?? `number ${kind}`;

  const firstSection = optional + bytes.readUInt16LE(head + 20);
  const sections = Array.from({ length: bytes.readUInt16LE(head + 6) }, (_, index) => {
    const at = firstSection + 40 * index;
    return {
      start: bytes.readUInt32LE(at + 12),
      length: bytes.readUInt32LE(at + 16),
      file: bytes.readUInt32LE(at + 20),
    };
  });
  /** Addresses are those of the file as it lies in memory. */
  const inFile = (address) => {
    const home = sections.find(({ start, length }) => address >= start && address < start + length);
    if (!home) throw new Error(`The file has nothing at address ${address}`);
    return address - home.start + home.file;
  };
  const u32 = (address) => bytes.readUInt32LE(inFile(address));
  const text = (address) => bytes.toString('utf8', inFile(address), bytes.indexOf(0, inFile(address)));
  const folder = (index) => ({
    start: bytes.readUInt32LE(optional + 112 + 8 * index),
    length: bytes.readUInt32LE(optional + 116 + 8 * index),
  });

  /** Lists of 64-bit words that end with 0; the highest bit says that it is a number and no name. */
  const namesAt = (list) => {
    const names = [];
    for (let at = inFile(list); bytes.readBigUInt64LE(at) !== 0n; at += 8) {
      const word = bytes.readBigUInt64LE(at);
      names.push(word >> 63n ? `number ${word & 0xffffn}` : text(Number(word) + 2));
    }
    return names;
  };
  const librariesIn = (index, size, fields) => {
    const libraries = [];
    const { start, length } = folder(index);
    if (length === 0) return libraries;
    for (let at = start; u32(at + fields.name) !== 0; at += size)
      libraries.push([text(u32(at + fields.name)), namesAt(u32(at + fields.names))]);
    return libraries;
  };

  const exported = [];
  const exports = folder(folders.exports);
  if (exports.length > 0)
    for (let index = 0; index < u32(exports.start + 24); index++)
      exported.push(text(u32(u32(exports.start + 32) + 4 * index)));

  const symbols = [];
  const debug = folder(folders.debug);
  for (let at = debug.start; at < debug.start + debug.length; at += 28) {
    // CodeView: "RSDS", an identity of 16 bytes, a count, a path.
    const record = u32(at + 12) === 2 ? u32(at + 20) : 0;
    const path =
      record && bytes.toString('latin1', inFile(record), inFile(record) + 4) === 'RSDS' ? text(record + 24) : '';
    if (path) symbols.push(path);
  }

  const traits = bytes.readUInt16LE(optional + 70);
  return {
    machine,
    minimum: `${bytes.readUInt16LE(optional + 48)}.${bytes.readUInt16LE(optional + 50)}`,
    imports: librariesIn(folders.imports, 20, { name: 12, names: 0 }),
    delayed: librariesIn(folders.delayed, 32, { name: 4, names: 16 }),
    exported,
    protections: Object.entries({ 'addresses chosen at random': 0x40, 'data that cannot be run': 0x100 })
      .filter(([, bit]) => (traits & bit) === 0)
      .map(([what]) => what),
    symbols,
  };
}
