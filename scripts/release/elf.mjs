// Reads what a program or library for Linux asks of the system that it runs on (ELF, 64 bit, little-endian).

const sectionTypes = { dynamic: 6, dynsym: 11, verneed: 0x6ffffffe, versym: 0x6fffffff };
const tags = { needed: 1, rpath: 15, runpath: 29 };

/**
 * @param {Buffer} bytes of the file
 * @returns `machine` ("x64", "arm64"), `libraries` that it is linked with, `searched`: folders in which it looks for
 * them
 *   before the system does, `versions` of symbols ("GLIBC_2.17"), `exported` names, `asked`: names that it takes from
 *   whatever process loads it, without a version and not weak
 * @throws Error when it is no such file
 */
export function readElf(bytes) {
  if (bytes.length < 64 || bytes.toString('latin1', 0, 6) !== '\x7fELF\x02\x01')
    throw new Error('Expected an ELF file of 64 bit, little-endian');
  const machine = { 62: 'x64', 183: 'arm64' }[bytes.readUInt16LE(18)] ?? `number ${bytes.readUInt16LE(18)}`;
  const u64 = (at) => Number(bytes.readBigUInt64LE(at));
  const text = (at) => bytes.toString('utf8', at, bytes.indexOf(0, at));

  const [from, size, count] = [u64(40), bytes.readUInt16LE(58), bytes.readUInt16LE(60)];
  const sections = Array.from({ length: count }, (_, index) => {
    const at = from + index * size;
    return {
      type: bytes.readUInt32LE(at + 4),
      start: u64(at + 24),
      length: u64(at + 32),
      link: bytes.readUInt32LE(at + 40),
      entries: bytes.readUInt32LE(at + 44),
    };
  });
  const section = (type) => sections.find((each) => each.type === type);
  /** Names of a section lie in the one that it is linked with. */
  const nameIn = (owner, offset) => text(sections[owner.link].start + offset);
  const dynamic = section(sectionTypes.dynamic);
  const symbols = section(sectionTypes.dynsym);
  if (!dynamic || !symbols) throw new Error('Expected a dynamically linked file with its sections');

  const entries = Array.from({ length: dynamic.length / 16 }, (_, index) => {
    const at = dynamic.start + 16 * index;
    return { tag: u64(at), value: u64(at + 8) };
  });
  const named = (...wanted) =>
    entries.filter(({ tag }) => wanted.includes(tag)).map(({ value }) => nameIn(dynamic, value));

  const versions = new Set();
  const needs = section(sectionTypes.verneed);
  for (let at = needs?.start ?? 0, left = needs?.entries ?? 0; left > 0; left--) {
    let each = at + bytes.readUInt32LE(at + 8);
    for (let more = bytes.readUInt16LE(at + 2); more > 0; more--) {
      versions.add(nameIn(needs, bytes.readUInt32LE(each + 8)));
      each += bytes.readUInt32LE(each + 12);
    }
    at += bytes.readUInt32LE(at + 12);
  }

  const versionOf = section(sectionTypes.versym);
  const exported = [];
  const asked = [];
  for (let index = 1; index < symbols.length / 24; index++) {
    const at = symbols.start + 24 * index;
    const name = nameIn(symbols, bytes.readUInt32LE(at));
    const binding = bytes[at + 4] >> 4;
    const [local, weak] = [binding === 0, binding === 2];
    const defined = bytes.readUInt16LE(at + 6) !== 0;
    // 0 and 1 are "local" and "any"; the others are of the list above.
    const versioned = versionOf !== undefined && bytes.readUInt16LE(versionOf.start + 2 * index) > 1;
    if (defined && !local) exported.push(name);
    else if (!defined && !weak && !versioned) asked.push(name);
  }
  return {
    machine,
    libraries: named(tags.needed),
    searched: named(tags.rpath, tags.runpath),
    versions: [...versions],
    exported,
    asked,
  };
}
