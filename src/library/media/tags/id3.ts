// ID3v2 frames as tags, and tags as frames of ID3v2.4.
import { decoded, encodedTexts, endOfText, type Id3Frame, id3Frame, type Id3Tag, textsIn } from './id3-frames.ts';
import { mimeTypeOf, type NativeEntry, type Picture, type TagEntry, type Tags } from './model.ts';
import { asShown, isFrame, namesOf } from './names.ts';
import { creditFrames, creditsOf } from './id3-credits.ts';

const musicBrainz = 'http://musicbrainz.org';
const wordless = (frame: Id3Frame): TagEntry => ({ name: frame.id, values: [], native: nativeOf(frame) });
const nativeOf = ({ id, data }: Id3Frame): NativeEntry => ({ family: 'id3', id, data });

/** Text that says Latin-1 and is not plain ASCII may be UTF-8: it is written anew, with the encoding that it has. */
const isSafe = (data: Buffer): boolean => data[0] !== 0 || data.every((byte) => byte < 0x80);

function textFrame(frame: Id3Frame): TagEntry {
  const { id, data } = frame;
  const encoding = data[0] ?? 0;
  const native = isSafe(data) ? { native: nativeOf(frame) } : {};
  if (id !== 'TXXX') return { name: namesOf(id).vorbis, values: textsIn(data, 1, encoding), ...native };
  const [name = '', ...values] = textsIn(data, 1, encoding);
  return { name: name === '' ? 'TXXX' : name, values, ...native };
}

/** COMM and USLT: a language, what kind of text it is, the text. */
function describedFrame(frame: Id3Frame): TagEntry {
  const { id, data } = frame;
  const encoding = data[0] ?? 0;
  const { end, next } = endOfText(data, 4, encoding);
  return {
    name: namesOf(id).vorbis,
    values: textsIn(data, next, encoding),
    description: decoded(data.subarray(4, end), encoding),
    language: data
      .toString('latin1', 1, 4)
      .replaceAll(/[^a-zA-Z]/gu, '')
      .toLowerCase(),
    ...(isSafe(data) ? { native: nativeOf(frame) } : {}),
  };
}

/** A link has no encoding; one of a kind of its own has a description before it, which has. */
function linkFrame(frame: Id3Frame): TagEntry {
  const { id, data } = frame;
  const native = nativeOf(frame);
  const link = (from: number): string => textsIn(data, from, 0)[0] ?? '';
  if (id !== 'WXXX') return { name: namesOf(id).vorbis, values: [link(0)], native };
  const encoding = data[0] ?? 0;
  const { end, next } = endOfText(data, 1, encoding);
  return { name: 'WWW', values: [link(next)], description: decoded(data.subarray(1, end), encoding), native };
}

function uniqueId(frame: Id3Frame): TagEntry {
  const { end, next } = endOfText(frame.data, 0, 0);
  if (frame.data.toString('latin1', 0, end) !== musicBrainz) return wordless(frame);
  return {
    name: 'MUSICBRAINZ_TRACKID',
    values: [frame.data.toString('latin1', next)],
    native: nativeOf(frame),
  };
}

/** null: it is a link to a picture, or damaged. */
function pictureOf({ data }: Id3Frame): Picture | null {
  const encoding = data[0] ?? 0;
  const mime = endOfText(data, 1, 0);
  const description = endOfText(data, mime.next + 1, encoding);
  const mimeType = data.toString('latin1', 1, mime.end).toLowerCase();
  if (mimeType === '-->' || description.next >= data.length) return null;
  const picture = data.subarray(description.next);
  return {
    type: data[mime.next] ?? 0,
    mimeType: mimeTypeOf(picture) ?? mimeType,
    description: decoded(data.subarray(mime.next + 1, description.end), encoding),
    data: picture,
  };
}

/** Year, day and time of ID3v2.3 as one date of 2.4. */
function oldDate(frames: readonly Id3Frame[]): TagEntry[] {
  const text = (id: string): string | undefined => {
    const frame = frames.find((one) => one.id === id);
    return frame && textsIn(frame.data, 1, frame.data[0] ?? 0)[0];
  };
  const [year, day, time] = [text('TYER'), text('TDAT'), text('TIME')];
  if (year === undefined) return [];
  const date = /^\d{4}$/u.test(day ?? '') ? `-${day?.slice(2)}-${day?.slice(0, 2)}` : '';
  const clock = date !== '' && /^\d{4}$/u.test(time ?? '') ? `T${time?.slice(0, 2)}:${time?.slice(2)}` : '';
  return [{ name: 'DATE', values: [year + date + clock] }];
}

function entriesOf(frame: Id3Frame): TagEntry[] {
  const { id } = frame;
  if (['TYER', 'TDAT', 'TIME', 'TRDA', 'CHAP', 'CTOC', 'APIC'].includes(id)) return [];
  if (['TIPL', 'TMCL', 'IPLS'].includes(id)) return creditsOf(frame);
  if (id === 'TORY') return [{ name: 'ORIGINALDATE', values: textFrame(frame).values }];
  if (id === 'COMM' || id === 'USLT') return [describedFrame(frame)];
  if (id === 'UFID') return [uniqueId(frame)];
  if (id === 'PCST') return [{ name: 'PODCAST', values: ['1'], native: nativeOf(frame) }];
  if (id.startsWith('T') || id === 'MVNM' || id === 'MVIN' || id === 'GRP1') return [textFrame(frame)];
  return [id.startsWith('W') ? linkFrame(frame) : wordless(frame)];
}

export function tagsOfId3({ frames }: Id3Tag): Tags {
  const dates = frames.some(({ id }) => id === 'TDRC') ? [] : oldDate(frames);
  const pictures = frames.filter(({ id }) => id === 'APIC').map((frame) => ({ frame, picture: pictureOf(frame) }));
  const links = pictures.filter(({ picture }) => picture === null).map(({ frame }) => wordless(frame));
  return {
    entries: [...frames.flatMap(entriesOf), ...dates, ...links],
    pictures: pictures.flatMap(({ picture }) => picture ?? []),
  };
}

const link = (url: string): Buffer => Buffer.from(url, 'utf8');

export const linkFrameOf = (description: string, url: string): Buffer =>
  id3Frame('WXXX', encodedTexts([description, '']), link(url));

export const pictureFrame = ({ type, mimeType, description, data }: Picture): Buffer => {
  const before = Buffer.from(`${mimeType}\0${String.fromCharCode(type)}`, 'latin1');
  return id3Frame('APIC', encodedTexts([description, ''], before), data);
};

/** One frame, from all values of its name. */
function frameOf(id3: string, entries: readonly TagEntry[]): Buffer[] {
  const values = [...new Set(entries.flatMap((entry) => entry.values))];
  const first = values[0] ?? '';
  if (id3 === 'COMM' || id3 === 'USLT')
    return entries.flatMap(({ values: texts, description = '', language }, at) =>
      texts.map((text, n) => {
        // Two frames of the same language and description would be one.
        const kind = description === '' && at + n > 0 ? String(at + n + 1) : description;
        const spoken = /^[a-z]{3}$/u.test(language ?? '') ? (language as string) : 'eng';
        return id3Frame(id3, encodedTexts([kind, text], Buffer.from(spoken)));
      }),
    );
  if (id3 === 'WXXX')
    return entries.flatMap((entry) => entry.values.map((url) => linkFrameOf(entry.description ?? '', url)));
  if (id3 === 'PCST') return first === '0' ? [] : [id3Frame('PCST', Buffer.alloc(4))];
  if (id3 === 'MUSICBRAINZ_TRACKID') return [id3Frame('UFID', Buffer.from(`${musicBrainz}\0${first}`, 'latin1'))];
  if (!isFrame(id3)) return [id3Frame('TXXX', encodedTexts([asShown(id3, namesOf(id3)), ...values]))];
  return id3.startsWith('W') ? values.map((url) => id3Frame(id3, link(url))) : [id3Frame(id3, encodedTexts(values))];
}

/** Numbers that ID3 has together with their total: "3/12". */
const totals: Readonly<Record<string, string>> = { TRACKTOTAL: 'TRCK', DISCTOTAL: 'TPOS', MOVEMENTTOTAL: 'MVIN' };

/** Frames of all tags and pictures. */
export function framesOf({ entries, pictures }: Tags): Buffer[] {
  const natives = entries.flatMap(({ native }) => (native?.family === 'id3' ? id3Frame(native.id, native.data) : []));
  const groups = new Map<string, TagEntry[]>();
  const { credits, others } = creditFrames(entries.filter(({ native }) => native?.family !== 'id3'));
  for (const entry of others) {
    if (entry.values.length === 0) continue;
    const { id3 } = namesOf(entry.name);
    groups.set(id3, [...(groups.get(id3) ?? []), entry]);
  }
  for (const [total, number] of Object.entries(totals)) {
    const of = groups.get(total)?.[0]?.values[0];
    const [entry] = groups.get(number) ?? [];
    if (of === undefined || (entry === undefined && number === 'MVIN')) continue;
    groups.delete(total);
    const value = entry?.values[0] ?? '0';
    groups.set(number, [{ name: number, values: [value.includes('/') ? value : `${value}/${of}`] }]);
  }
  return [
    ...natives,
    ...[...groups].flatMap(([id3, group]) => frameOf(id3, group)),
    ...credits,
    ...pictures.map(pictureFrame),
  ];
}
