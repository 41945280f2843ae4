// iTunes' list of atoms in MP4, M4A and MOV ("ilst") as tags, and back.
import { type Box, boxesIn, child } from '../mp4/boxes.ts';
import { frontCover, mimeTypeOf, type Picture, type TagEntry, type Tags } from './model.ts';
import { isAtom, namesOf } from './names.ts';

/** Atoms whose value is a number, and of how many bytes. */
const numberBytes: Readonly<Record<string, number>> = {
  cpil: 1,
  pcst: 1,
  pgap: 1,
  hdvd: 1,
  rtng: 1,
  stik: 1,
  shwm: 1,
  tmpo: 2,
  '©mvi': 2,
  '©mvc': 2,
  tves: 4,
  tvsn: 4,
};
const pairs: readonly string[] = ['trkn', 'disk'];
const apple = 'com.apple.iTunes';
const kinds = { implicit: 0, utf8: 1, utf16: 2, jpeg: 13, png: 14, integer: 21, bmp: 27, gif: 12 } as const;
const pictureKinds: Readonly<Record<string, number>> = {
  'image/jpeg': kinds.jpeg,
  'image/png': kinds.png,
  'image/bmp': kinds.bmp,
  'image/gif': kinds.gif,
};
/** Can a list of atoms hold a picture of this kind? */
const isAtomPicture = ({ mimeType }: Picture): boolean => mimeType in pictureKinds;

interface Value {
  readonly kind: number;
  readonly data: Buffer;
}

const valuesIn = (data: Buffer, atom: Box): Value[] =>
  [...boxesIn(data, atom.body, atom.end)]
    .filter(({ type, body, end }) => type === 'data' && end - body >= 8)
    .map(({ body, end }) => ({ kind: data.readUInt32BE(body) & 0xff_ffff, data: data.subarray(body + 8, end) }));

const whole = (data: Buffer): string =>
  data.length > 0 && data.length <= 6 ? String(data.readIntBE(0, data.length)) : '';

/** Words of a value; null: it has none. */
function textOf(type: string, { kind, data }: Value): string | null {
  if (pairs.includes(type)) {
    if (data.length < 4) return null;
    const [first, total] = [data.readUInt16BE(2), data.length >= 6 ? data.readUInt16BE(4) : 0];
    return total > 0 ? `${first}/${total}` : String(first);
  }
  if (type in numberBytes) return whole(data);
  if (kind === kinds.utf16)
    return Buffer.from(data.subarray(0, data.length & ~1))
      .swap16()
      .toString('utf16le');
  const isText = kind === kinds.utf8 || (kind === kinds.implicit && (isAtom(type) || type === '----'));
  return isText ? data.toString('utf8') : null;
}

function entryOf(data: Buffer, atom: Box): TagEntry {
  const inside = (type: string): string => {
    const found = child(data, atom, type);
    return found && found.end - found.body > 4 ? data.toString('utf8', found.body + 4, found.end) : '';
  };
  const isFree = atom.type === '----';
  const values = valuesIn(data, atom).flatMap((value) => textOf(atom.type, value) ?? []);
  return {
    name: isFree ? inside('name') || '----' : namesOf(atom.type).vorbis,
    // Ids of Apple's shop are numbers that only mean something there.
    values,
    native: { family: 'mp4', id: atom.type, data: data.subarray(atom.start, atom.end) },
  };
}

/** Tags of a movie header. */
export function tagsOfMp4(data: Buffer, moov: Box): Tags {
  const entries: TagEntry[] = [];
  const pictures: Picture[] = [];
  const meta = metaOf(data, child(data, moov, 'udta'));
  const list = meta.get('ilst');
  const keys = keysIn(data, meta.get('keys'));
  for (const atom of list ? boxesIn(data, list.body, list.end) : []) {
    if (keys !== null) {
      // Its atoms are numbers of keys: copied as they are they would mean nothing.
      const name = keys[data.readUInt32BE(atom.start + 4) - 1];
      const values = valuesIn(data, atom).flatMap((value) => textOf(atom.type, value) ?? []);
      if (name !== undefined && values.length > 0) entries.push({ name, values });
    } else if (atom.type !== 'covr') {
      entries.push(entryOf(data, atom));
    } else
      for (const value of valuesIn(data, atom)) {
        const known = Object.keys(pictureKinds).find((mimeType) => pictureKinds[mimeType] === value.kind);
        const mimeType = mimeTypeOf(value.data) ?? known ?? 'image/jpeg';
        pictures.push({ type: frontCover, mimeType, description: '', data: value.data });
      }
  }
  return { entries, pictures };
}

/** Boxes in the "meta" of a user data box, which has four bytes before them. */
function metaOf(data: Buffer, udta: Box | null): ReadonlyMap<string, Box> {
  const meta = udta && child(data, udta, 'meta');
  return new Map(meta ? Array.from(boxesIn(data, meta.body + 4, meta.end), (each) => [each.type, each]) : []);
}

/** Names of a QuickTime list of keys, which FFmpeg writes too (`use_metadata_tags`); null: there is none. */
function keysIn(data: Buffer, keys: Box | undefined): string[] | null {
  if (keys === undefined) return null;
  const names: string[] = [];
  for (let at = keys.body + 8; at + 8 <= keys.end;) {
    const bytes = data.readUInt32BE(at);
    if (bytes < 8) break;
    names.push(data.toString('utf8', at + 8, Math.min(keys.end, at + bytes)));
    at += bytes;
  }
  return names;
}

export function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length, 0);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

function dataBox(kind: number, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(kind, 0);
  return box('data', head, data);
}

const noFlags = Buffer.alloc(4);

/** An entry with a name of its own; FFmpeg, iTunes, TagLib and mutagen read it. */
const freeForm = (name: string, values: readonly string[]): Buffer =>
  box(
    '----',
    box('mean', noFlags, Buffer.from(apple)),
    box('name', noFlags, Buffer.from(name, 'utf8')),
    ...values.map((value) => dataBox(kinds.utf8, Buffer.from(value, 'utf8'))),
  );

function numberAtom(type: string, bytes: number, value: string): Buffer | null {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number >= 2 ** (8 * bytes - 1)) return null;
  const data = Buffer.alloc(bytes);
  data.writeIntBE(number, 0, bytes);
  return box(type, dataBox(kinds.integer, data));
}

/** "3/12", or number and total apart. */
function pairAtom(type: string, value: string, total: string | undefined): Buffer | null {
  const parts = /^\s*(\d{1,5})(?:\s*\/\s*(\d{1,5}))?\s*$/u.exec(value);
  const data = Buffer.alloc(type === 'trkn' ? 8 : 6);
  const [first, of] = [Number(parts?.[1]), Number(parts?.[2] ?? (/^\d{1,5}$/u.test(total ?? '') ? total : 0))];
  if (!parts || first > 0xffff || of > 0xffff) return null;
  data.writeUInt16BE(first, 2);
  data.writeUInt16BE(of, 4);
  return box(type, dataBox(kinds.implicit, data));
}

const totals: Readonly<Record<string, string>> = { trkn: 'TRACKTOTAL', disk: 'DISCTOTAL' };

/** What an atom cannot hold goes into a free-form one of the tag's name. */
function atomOf(mp4: string, values: readonly string[], groups: ReadonlyMap<string, readonly string[]>): Buffer {
  const first = values[0] ?? '';
  const bytes = numberBytes[mp4];
  const total = totals[mp4];
  if (total !== undefined) return pairAtom(mp4, first, groups.get(total)?.[0]) ?? freeForm(namesOf(mp4).vorbis, values);
  if (bytes !== undefined) return numberAtom(mp4, bytes, first) ?? freeForm(namesOf(mp4).vorbis, values);
  if (!isAtom(mp4)) return freeForm(mp4, values);
  return box(mp4, ...values.map((value) => dataBox(kinds.utf8, Buffer.from(value, 'utf8'))));
}

/** The list of all tags and pictures. */
export function listBox({ entries, pictures }: Tags): Buffer {
  const atoms: Buffer[] = [];
  const groups = new Map<string, readonly string[]>();
  for (const { name, values, description = '', native } of entries) {
    if (native?.family === 'mp4') atoms.push(native.data);
    else if (values.length > 0) {
      const { mp4 } = namesOf(name);
      // Links of one kind only have the one name; comments and lyrics are read one after the other.
      const key = description !== '' && mp4 === 'WWW' ? `${mp4}:${description}` : mp4;
      groups.set(key, [...new Set([...(groups.get(key) ?? []), ...values])]);
    }
  }
  for (const [mp4, values] of groups) {
    const holder = Object.keys(totals).find((type) => totals[type] === mp4);
    if (holder === undefined || !groups.has(holder)) atoms.push(atomOf(mp4, values, groups));
  }
  const covers = pictures.filter(isAtomPicture);
  if (covers.length > 0)
    atoms.push(box('covr', ...covers.map(({ mimeType, data }) => dataBox(pictureKinds[mimeType] as number, data))));
  return box('ilst', ...atoms);
}

/** The box that FFmpeg, iTunes and others look for a list in. */
export const metaBox = (list: Buffer): Buffer =>
  box('meta', noFlags, box('hdlr', Buffer.alloc(8), Buffer.from('mdirappl'), Buffer.alloc(9)), list);
