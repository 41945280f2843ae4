// Reads what an addon for macOS asks of the system that it runs on (Mach-O, 64 bit, one processor), and checks its
// signature. Structures: <mach-o/loader.h>, <mach-o/nlist.h>, <kern/cs_blobs.h> of Apple's open sources.
import { createHash } from 'node:crypto';

const commands = {
  symbols: 0x2,
  library: 0xc,
  weakLibrary: 0x80000018,
  passedOn: 0x8000001f,
  searched: 0x8000001c,
  signature: 0x1d,
  minimum: 0x24,
  build: 0x32,
  dyldInfo: 0x80000022,
  exports: 0x80000033,
};
const dynamicLookup = 0xfe;

/** 0x000b0000: "11.0". */
const versionOf = (packed) =>
  [packed >>> 16, (packed >>> 8) & 0xff, packed & 0xff].filter((each, at) => at < 2 || each > 0).join('.');

/** Names lie in a tree of prefixes: a node has what it says of its own name, then its edges. */
function namesInTrie(trie) {
  const number = (at) => {
    let [value, shift, next] = [0, 0, at];
    for (;;) {
      const byte = trie.readUInt8(next++);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return [value, next];
      shift += 7;
    }
  };
  const names = [];
  const seen = new Set();
  const pending = trie.length > 0 ? [[0, '']] : [];
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    const [node, prefix] = each;
    if (seen.has(node)) throw new Error('The list of exported names goes round in circles');
    seen.add(node);
    const [own, start] = number(node);
    if (own > 0) names.push(prefix);
    let at = start + own;
    for (let left = trie.readUInt8(at++); left > 0; left--) {
      const end = trie.indexOf(0, at);
      const edge = trie.toString('utf8', at, end);
      const [child, next] = number(end + 1);
      pending.push([child, prefix + edge]);
      at = next;
    }
  }
  return names;
}

/**
 * @param {Buffer} file
 * @param {number} start of the signature in it
 * @returns what is wrong with it, a line for each
 */
function faultsOfSignature(file, start) {
  const blob = file.subarray(start);
  if (blob.readUInt32BE(0) !== 0xfade0cc0) return ['has a signature that is none'];
  const parts = Array.from({ length: blob.readUInt32BE(8) }, (_, index) => ({
    kind: blob.readUInt32BE(12 + 8 * index),
    at: blob.readUInt32BE(16 + 8 * index),
  }));
  // The directory of the code, and others of it with other hashes.
  const directories = parts.filter(({ kind }) => kind === 0 || (kind >= 0x1000 && kind < 0x1006));
  if (directories.length === 0) return ['has a signature without a list of hashes'];
  return directories.flatMap(({ at }) => {
    const directory = blob.subarray(at);
    const [hashes, pages, limit] = [16, 28, 32].map((field) => directory.readUInt32BE(field));
    const [size, kind, pageBits] = [36, 37, 39].map((field) => directory.readUInt8(field));
    const algorithm = { 1: 'sha1', 2: 'sha256', 3: 'sha256' }[kind];
    if (!algorithm) return [`has a signature with hashes of kind ${kind}`];
    if (limit !== start) return [`has a signature of ${limit} of its ${start} bytes`];
    const page = 2 ** pageBits;
    if (pages !== Math.ceil(limit / page))
      return [`has a signature of ${pages} pages, expected ${Math.ceil(limit / page)}`];
    const wrong = Array.from({ length: pages }, (_, index) => index).filter((index) => {
      const code = file.subarray(index * page, Math.min((index + 1) * page, limit));
      const expected = directory.subarray(hashes + index * size, hashes + (index + 1) * size);
      return !createHash(algorithm).update(code).digest().subarray(0, size).equals(expected);
    });
    return wrong.length > 0 ? [`was changed after it was signed (page ${wrong[0]} of ${pages})`] : [];
  });
}

/**
 * @param {Buffer} bytes of the file
 * @returns `machine` ("x64", "arm64"), `minimum`: the oldest macOS ("11.0"; null when it says none), `libraries` that
 * it is
 *   linked with, `searched`: folders in which it looks for them, `exported` names, `fromSystem`: names that it takes
 * from
 *   its libraries, `asked`: names that it takes from whatever process loads it, `coalesced`: does the process swap any
 * of
 *   its own functions for others of that name?, `signature`: what is wrong with it, a line for each. Names are as in C,
 *   without the "_" in front
 * @throws Error when it is no such file
 */
export function readMacho(bytes) {
  if (bytes.length < 32 || bytes.readUInt32LE(0) !== 0xfeedfacf)
    throw new Error('Expected a Mach-O file of 64 bit for one processor');
  const cpu = bytes.readUInt32LE(4);
  const machine = { 0x1000007: 'x64', 0x100000c: 'arm64' }[cpu] ?? `number ${cpu}`;
  const text = (at) => bytes.toString('utf8', at, bytes.indexOf(0, at));
  const inC = (name) => name.replace(/^_/, '');

  let at = 32;
  const all = Array.from({ length: bytes.readUInt32LE(16) }, () => {
    const command = { kind: bytes.readUInt32LE(at), at, field: (offset) => bytes.readUInt32LE(command.at + offset) };
    at += Math.max(8, command.field(4));
    return command;
  });
  const find = (...kinds) => all.find(({ kind }) => kinds.includes(kind));
  const named = (...kinds) =>
    all.filter(({ kind }) => kinds.includes(kind)).map((each) => text(each.at + each.field(8)));

  const fromSystem = [];
  const asked = [];
  const table = find(commands.symbols);
  if (!table) throw new Error('Expected a Mach-O file with its symbols');
  for (let index = 0; index < table.field(12); index++) {
    const entry = table.field(8) + 16 * index;
    const type = bytes.readUInt8(entry + 4);
    // Debugging, or defined here.
    if ((type & 0xe0) !== 0 || (type & 0x0e) !== 0) continue;
    const name = inC(text(table.field(16) + bytes.readUInt32LE(entry)));
    const library = bytes.readUInt16LE(entry + 6) >> 8;
    (library === dynamicLookup ? asked : fromSystem).push(name);
  }

  const info = find(commands.dyldInfo);
  const trie = find(commands.exports);
  const [from, size] = trie ? [trie.field(8), trie.field(12)] : info ? [info.field(40), info.field(44)] : [0, 0];
  const minimum = find(commands.build)?.field(12) ?? find(commands.minimum)?.field(8);
  const signature = find(commands.signature);
  return {
    machine,
    minimum: minimum === undefined ? null : versionOf(minimum),
    libraries: named(commands.library, commands.weakLibrary, commands.passedOn),
    searched: named(commands.searched),
    exported: namesInTrie(bytes.subarray(from, from + size)).map(inC),
    fromSystem,
    asked,
    coalesced: (info?.field(28) ?? 0) > 0,
    signature: signature ? faultsOfSignature(bytes, signature.field(8)) : ['is not signed'],
  };
}
