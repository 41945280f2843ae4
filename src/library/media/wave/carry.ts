// What a WAV file holds beside sound and tags goes into its copy: broadcast metadata, marks, loops.
import type { Warning } from '../../core/progress/progress.ts';
import type { Chapter } from '../facts.ts';
import { firstSecond, isAllKept, momentsIn, type SourcePart } from '../kept.ts';
import { appendChunks } from './append-chunks.ts';
import { bextFields, isBext, movedBext, movedReference, type NewSound, replaceBext, roomForBext } from './bext.ts';
import { movedIxml } from './ixml.ts';
import { chaptersOfMarks, type Mark, markChunks, movedLoops, movedMark, nameOf, readMarks } from './markers.ts';
import { readWave, type WaveChunk, type WaveContents } from './read-chunks.ts';

export interface CarryInto {
  /** Can it hold chunks? */
  readonly isWave: boolean;
  readonly sampleRate: number;
  readonly channels: number;
  readonly bits: number;
  /** Did the samples change? */
  readonly isProcessed: boolean;
  readonly isEncoded: boolean;
}

type Tags = Readonly<Record<string, string>>;

export interface Carried {
  /** Marks that were cut away. */
  readonly warnings: readonly Warning[];
  /** Options and tags of a muxer that leaves room. */
  readonly room: { readonly options: Tags; readonly tags: Tags };
  /** Tags of the source, without those that are in a chunk; the samples since midnight are those of the new sound. */
  tags(tags: Tags): Record<string, string>;
  /** Chapters that the marks do not say already. */
  chapters(chapters: readonly Chapter[]): readonly Chapter[];
  /** Writes the rest into the finished file. */
  complete(path: string): void;
}

/** FFmpeg's names of the extension's fields; others of them are also usual tags. */
const bextTags = new Set(['originator_reference', 'time_reference', 'umid', 'coding_history']);
/** Without a place in time, or of other files' clocks. */
const copiedIds: readonly string[] = ['inst', 'umid', '_PMX'];
/** Times of sound objects, which no copy of another length has. */
const timedAttributes = [' rtime="', ' start="', ' duration="', ' end="'];
function named(marks: readonly Mark[]): string {
  const names = marks.map(nameOf).filter((name) => name !== '');
  const others = marks.length - Math.min(5, names.length);
  const count = others === 0 ? [] : [names.length === 0 ? `${others} without a name` : `${others} others`];
  return [...names.slice(0, 5), ...count].join(', ');
}

/** Timers of a radio programme's cart (AES46), in samples from the start. */
function movedCart(body: Buffer, moment: (seconds: number) => number | null, { fromRate, toRate }: NewSound): Buffer {
  const [timersAt, timers] = [684, 8];
  const moved = Buffer.from(body);
  for (let at = timersAt; at + 8 <= body.length && at < timersAt + timers * 8; at += 8) {
    if (body.readUInt32LE(at) === 0) continue;
    const seconds = moment(body.readUInt32LE(at + 4) / fromRate);
    if (seconds === null) moved.fill(0, at, at + 8);
    else moved.writeUInt32LE(Math.round(seconds * toRate), at + 4);
  }
  return moved;
}

/** What the copy has of the first source's chunks. */
function movedChunks(
  { chunks }: WaveContents,
  { facts, kept }: SourcePart,
  isWhole: boolean,
  sound: NewSound,
): WaveChunk[] {
  const moment = (seconds: number): number | null => momentsIn(kept, seconds)[0] ?? null;
  const keepsChannels = facts.audio?.channels === sound.channels;
  // Objects are of channels; with times of their own they are of this length, too.
  const isTimed = chunks.some(({ id, body }) => id === 'axml' && timedAttributes.some((name) => body.includes(name)));
  return chunks.flatMap(({ id, body }): WaveChunk[] => {
    if (id === 'iXML') return [{ id, body: movedIxml(body, sound, moment, keepsChannels) }];
    if (id === 'smpl') return [{ id, body: movedLoops(body, kept, sound.fromRate, sound.toRate) }];
    if (id === 'cart') return [{ id, body: movedCart(body, moment, sound) }];
    const isKept = id === 'axml' || id === 'chna' ? keepsChannels && (isWhole || !isTimed) : copiedIds.includes(id);
    return isKept ? [{ id, body }] : [];
  });
}

const marksRemoved = (lost: readonly Mark[]): Warning[] =>
  lost.length === 0
    ? []
    : [
        {
          code: 'marks_removed',
          message: `Marks in what was cut are not in the output: ${named(lost)}`,
        },
      ];

/** Are the chapters those that the marks are read as? */
const areSaid = (chapters: readonly Chapter[], marks: readonly Mark[], rate: number): boolean => {
  const said = chaptersOfMarks(marks, rate);
  return (
    said.length === chapters.length &&
    said.every(
      ({ startSeconds, title }, at) =>
        chapters[at]?.title === title && Math.abs((chapters[at]?.startSeconds ?? 0) - startSeconds) < 0.001,
    )
  );
};

/** @param sources of the copy: all their marks are in it, and the first one's other chunks */
export function carryWave(sources: readonly SourcePart[], into: CarryInto): Carried {
  const read = sources.map((part) => ({ part, contents: readWave(part.facts.path) }));
  const first = read[0];
  const isWhole = sources.length === 1 && isAllKept(first?.part.kept ?? []);
  const fromRate = first?.contents?.form.sampleRate ?? first?.part.facts.audio?.sampleRate ?? into.sampleRate;
  const sound: NewSound = {
    fromRate,
    toRate: into.sampleRate,
    channels: into.channels,
    bits: into.bits,
    firstSeconds: firstSecond(first?.part.kept ?? []),
    isChanged: into.isProcessed || !isWhole || fromRate !== into.sampleRate,
    isEncoded: into.isEncoded,
  };
  const extension = first?.contents?.chunks.find(({ id, body }) => id === 'bext' && isBext(body))?.body ?? null;
  const marks: Mark[] = [];
  const lost: Mark[] = [];
  for (const { part, contents } of read)
    for (const mark of contents ? readMarks(contents.chunks) : []) {
      const moved = movedMark(mark, part.kept, contents?.form.sampleRate ?? fromRate, into.sampleRate);
      if (moved.length === 0) lost.push(mark);
      else marks.push(...moved);
    }
  marks.sort((a, b) => a.frame - b.frame);
  const bext = extension && into.isWave ? movedBext(extension, sound) : null;
  const chunks = first?.contents && into.isWave ? movedChunks(first.contents, first.part, isWhole, sound) : [];
  return {
    warnings: marksRemoved(lost),
    room: bext
      ? { options: { write_bext: '1' }, tags: { coding_history: roomForBext(bext) } }
      : { options: {}, tags: {} },
    tags(tags) {
      const fields = extension && bextFields(extension);
      return Object.fromEntries(
        Object.entries(tags).flatMap(([key, value]) => {
          const name = key.toLowerCase();
          if (bext && fields) {
            const isField =
              (name === 'comment' && value === fields.description) ||
              (name === 'date' && value === fields.originationDate);
            if (isField || bextTags.has(name)) return [];
          }
          const isReference = name === 'time_reference' && /^\d{1,18}$/u.test(value);
          return [[key, isReference ? String(movedReference(BigInt(value), sound)) : value]];
        }),
      );
    },
    chapters: (chapters) => (into.isWave && areSaid(chapters, marks, into.sampleRate) ? [] : chapters),
    complete(path) {
      if (!into.isWave) return;
      if (bext) replaceBext(path, bext);
      appendChunks(path, 'wav', [...markChunks(marks), ...chunks]);
    },
  };
}
