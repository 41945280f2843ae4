// Marks in a WAV file: cue points with their labels (the list "adtl"), and loops of samplers.
import { type Kept, momentsIn, stretchesIn } from '../kept.ts';
import { chunkBytes, partsOf, type WaveChunk } from './read-chunks.ts';

/** A cue point, or a region where a text states a length. */
export interface Mark {
  readonly frame: number;
  /** 0: a point. */
  readonly frames: number;
  /** What the list says of it: "labl", "note", "ltxt", without its number. */
  readonly texts: readonly WaveChunk[];
}

/** More marks than this, or texts of one of them, are no work of people. */
const mostMarks = 10_000;
const mostTexts = 16;
const pointBytes = 24;
const regionTexts: readonly string[] = ['ltxt'];
const ownTexts: readonly string[] = ['labl', 'note', ...regionTexts];

/** The chunks that marks are in. */
export const markIds: readonly string[] = ['cue ', 'adtl'];

/** Marks by time; those of a play list have no time of their own. */
export function readMarks(chunks: readonly WaveChunk[]): Mark[] {
  const points = chunks.find(({ id }) => id === 'cue ')?.body;
  if (!points || points.length < 4) return [];
  const texts = new Map<number, WaveChunk[]>();
  for (const list of chunks.filter(({ id }) => id === 'adtl'))
    for (const { id, body } of partsOf(list.body)) {
      if (!ownTexts.includes(id) || body.length < 4) continue;
      const number = body.readUInt32LE(0);
      const own = texts.get(number) ?? [];
      if (own.length < mostTexts) own.push({ id, body: body.subarray(4) });
      texts.set(number, own);
    }
  const count = Math.min(points.readUInt32LE(0), Math.floor((points.length - 4) / pointBytes), mostMarks);
  return Array.from({ length: count }, (_, index) => {
    const point = points.subarray(4 + index * pointBytes);
    const own = texts.get(point.readUInt32LE(0)) ?? [];
    const region = own.find(({ id, body }) => regionTexts.includes(id) && body.length >= 8);
    return { frame: point.readUInt32LE(20), frames: region?.body.readUInt32LE(0) ?? 0, texts: own };
  }).toSorted((a, b) => a.frame - b.frame);
}

const readable = (body: Buffer): string => {
  const end = body.indexOf(0);
  const text = end < 0 ? body : body.subarray(0, end);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch {
    return text.toString('latin1');
  }
};

/** Its label, or the text of its region; empty without one. */
export function nameOf({ texts }: Mark): string {
  const label = texts.find(({ id }) => id === 'labl');
  if (label) return readable(label.body);
  const region = texts.find(({ id, body }) => regionTexts.includes(id) && body.length > 16);
  return region ? readable(region.body.subarray(16)) : '';
}

/**
 * Marks with a name, as chapters: others may be anything, such as the loops of an instrument. Only regions have an end.
 */
export const chaptersOfMarks = (
  marks: readonly Mark[],
  rate: number,
): { startSeconds: number; title: string; endSeconds?: number }[] =>
  marks.flatMap((mark) => {
    const title = nameOf(mark);
    const startSeconds = mark.frame / rate;
    if (title === '') return [];
    return [{ startSeconds, title, ...(mark.frames > 0 ? { endSeconds: startSeconds + mark.frames / rate } : {}) }];
  });

/** A mark in the copy; a region of which parts are kept apart is as many regions. */
export function movedMark(mark: Mark, kept: readonly Kept[], fromRate: number, toRate: number): Mark[] {
  const start = mark.frame / fromRate;
  if (mark.frames === 0)
    return momentsIn(kept, start).map((seconds) => ({ ...mark, frame: Math.round(seconds * toRate) }));
  return stretchesIn(kept, { startSeconds: start, endSeconds: start + mark.frames / fromRate }).map(
    ({ startSeconds, endSeconds }) => {
      const frame = Math.round(startSeconds * toRate);
      return { ...mark, frame, frames: Math.round(endSeconds * toRate) - frame };
    },
  );
}

/** Marks as chunks: the points and what is said of them. */
export function markChunks(marks: readonly Mark[]): WaveChunk[] {
  const sorted = marks.filter(({ frame }) => frame < 2 ** 32).toSorted((a, b) => a.frame - b.frame);
  if (sorted.length === 0) return [];
  const points = Buffer.alloc(4 + sorted.length * pointBytes);
  points.writeUInt32LE(sorted.length, 0);
  const texts: Buffer[] = [];
  for (const [index, { frame, frames, texts: own }] of sorted.entries()) {
    const at = 4 + index * pointBytes;
    points.writeUInt32LE(index + 1, at);
    points.writeUInt32LE(frame, at + 4);
    points.write('data', at + 8, 'latin1');
    points.writeUInt32LE(frame, at + 20);
    const number = Buffer.alloc(4);
    number.writeUInt32LE(index + 1, 0);
    for (const { id, body } of own) {
      const text = Buffer.from(body);
      if (regionTexts.includes(id) && text.length >= 4) text.writeUInt32LE(frames, 0);
      texts.push(chunkBytes({ id, body: Buffer.concat([number, text]) }));
    }
  }
  const list = { id: 'LIST', body: Buffer.concat([Buffer.from('adtl'), ...texts]) };
  return [{ id: 'cue ', body: points }, ...(texts.length > 0 ? [list] : [])];
}

const loopsAt = 36;
const loopBytes = 24;

/** A sampler's chunk for the copy, with the loops that are whole there. */
export function movedLoops(body: Buffer, kept: readonly Kept[], fromRate: number, toRate: number): Buffer {
  if (body.length < loopsAt) return body;
  const count = Math.min(body.readUInt32LE(28), Math.floor((body.length - loopsAt) / loopBytes));
  const loops: Buffer[] = [];
  for (let index = 0; index < count; index += 1) {
    const loop = Buffer.from(body.subarray(loopsAt + index * loopBytes, loopsAt + (index + 1) * loopBytes));
    // The last sample of a loop belongs to it.
    const [from, to] = [loop.readUInt32LE(8) / fromRate, (loop.readUInt32LE(12) + 1) / fromRate];
    const [stretch] = stretchesIn(kept, { startSeconds: from, endSeconds: to });
    if (!stretch || Math.abs(stretch.endSeconds - stretch.startSeconds - (to - from)) > 0.5 / fromRate) continue;
    loop.writeUInt32LE(Math.round(stretch.startSeconds * toRate), 8);
    loop.writeUInt32LE(Math.max(0, Math.round(stretch.endSeconds * toRate) - 1), 12);
    loops.push(loop);
  }
  const head = Buffer.from(body.subarray(0, loopsAt));
  head.writeUInt32LE(Math.round(1e9 / toRate), 8);
  head.writeUInt32LE(loops.length, 28);
  const behind = body.subarray(loopsAt + count * loopBytes);
  return Buffer.concat([head, ...loops, behind]);
}
