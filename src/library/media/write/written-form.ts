// How a run writes what is otherwise written as its input: between the steps of a chain as floating point without loss,
// at its end as the file that went in. Set for a run as a whole, since an output is planned in many places.
import type { MediaFacts } from '../facts.ts';

/** What of a file's facts decides how its edited copy is written. */
export interface FileForm {
  /** Container by FFmpeg's or our own name, such as "mp3". */
  readonly format: string;
  /** Of the sound, by FFmpeg's name; null: the format's usual one. */
  readonly codec: string | null;
  /** Bits of a sample, of PCM and lossless codecs; null for lossy ones. */
  readonly bitsPerSample: number | null;
  /** Of the sound, bits per second; null: the format's usual one. */
  readonly bitRateBps: number | null;
  /** Is it an audiobook (`.m4b`)? */
  readonly isBook: boolean;
}

/** 'working': 32-bit float in WAV; a video as MOV or Matroska with its picture as it is. */
export type WrittenForm = 'working' | FileForm;

/** The form of a file, which the run finds out by itself. */
export interface LikeForm {
  /** Path of the file; it need not be an input of the run. */
  readonly like: string;
  /** The file's name, where its path has another. Default: the path's. */
  readonly name?: string;
  /** Another container by its extension, such as "mp3", a lossless one with the file's own bits; null: the file's. */
  readonly format: string | null;
}

let form: WrittenForm | null = null;

/** @param wanted null: outputs are written as their inputs */
export function writeAs(wanted: WrittenForm | null): void {
  form = wanted;
}

/** Is the run's form another than its input's, or may it be? */
export const isFormGiven = (): boolean => form !== null;

export const isWorkingForm = (): boolean => form === 'working';

/** Containers of one family hold the same tags, tracks and matrices. */
const likeMov = new Set(['mp4', 'mov', 'm4v', '3gp']);

/** The container that a video in `format` is written in. */
export function writtenContainer(format: string): string {
  if (form === null) return format;
  return form === 'working' ? (likeMov.has(format) ? 'mov' : 'mkv') : form.format;
}

const working = { codec: 'pcm_f32le', bitsPerSample: 32, bitRateBps: null };

/** The facts that an output is planned by: the input's own, or what the run's form puts in their place. */
export function asWritten(facts: MediaFacts): MediaFacts {
  if (form === null) return facts;
  const format = facts.hasVideo ? writtenContainer(facts.format) : form === 'working' ? 'wav' : form.format;
  const { codec, bitsPerSample, bitRateBps } = form === 'working' ? working : form;
  const audio = facts.audio && { ...facts.audio, codec: codec ?? format, bitsPerSample, bitRateBps };
  const isBook = form !== 'working' && form.isBook;
  return { ...facts, format, audio, ...(isBook ? { tags: { ...facts.tags, major_brand: 'M4B ' } } : {}) };
}

/** Bits per second of the sound. Of Opus no file states them: where it is alone they are the file's. null: unknown. */
export const soundRateBps = ({
  audio,
  streams,
  bitRateBps,
}: Pick<MediaFacts, 'audio' | 'streams' | 'bitRateBps'>): number | null =>
  audio?.bitRateBps ?? (audio?.codec === 'opus' && streams.length === 1 ? bitRateBps : null);
