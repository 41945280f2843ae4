// Plays ranges of a recording softer whose samples float32 cannot hold: in a copy of the file, sample by sample.
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../core/abort.ts';
import type { Warning } from '../core/progress/progress.ts';
import type { MediaFacts } from '../media/facts.ts';
import { plainPlace, type PlainPlace } from '../media/read/plain-samples.ts';
import { copyWhole } from '../media/write/copy-whole.ts';
import type { OutputPlan } from '../media/write/output.ts';
import type { Filling } from './filling.ts';
import { fadeWithin, gainWithin, type SoftRange } from './soften.ts';

/** A form of samples; values have a full scale of 1. */
interface WideForm {
  readonly bits: number;
  read(bytes: Buffer, at: number): number;
  write(bytes: Buffer, value: number, at: number): void;
}

const integer32 = 2 ** 31;
const toInteger32 = (value: number): number =>
  Math.max(-integer32, Math.min(integer32 - 1, Math.round(value * integer32)));

/** By FFmpeg's names. */
const wideForms: Readonly<Record<string, WideForm>> = {
  pcm_s32le: {
    bits: 32,
    read: (bytes, at) => bytes.readInt32LE(at) / integer32,
    write: (bytes, value, at) => void bytes.writeInt32LE(toInteger32(value), at),
  },
  pcm_s32be: {
    bits: 32,
    read: (bytes, at) => bytes.readInt32BE(at) / integer32,
    write: (bytes, value, at) => void bytes.writeInt32BE(toInteger32(value), at),
  },
  pcm_f64le: {
    bits: 64,
    read: (bytes, at) => bytes.readDoubleLE(at),
    write: (bytes, value, at) => void bytes.writeDoubleLE(value, at),
  },
  pcm_f64be: {
    bits: 64,
    read: (bytes, at) => bytes.readDoubleBE(at),
    write: (bytes, value, at) => void bytes.writeDoubleBE(value, at),
  },
};

/** Changed at once. */
const chunkFrames = 2 ** 15;

interface SoftenOptions {
  /** In order, not overlapping. */
  readonly ranges: readonly SoftRange[];
  readonly fadeFrames: number;
  /** As for `soften`. */
  readonly filling: Filling | null;
  readonly signal: AbortSignal;
}

/**
 * Copies a WAV or AIFF file of 32-bit integers or 64-bit floats and plays ranges of the copy softer, as `soften` does:
 * all other bytes of the samples are those of the input.
 * @param target path of the copy
 * @returns warnings of the copy; null where the recording has another form, and no file is left then
 * @throws EarshotError as `probe`; AbortError
 */
export async function softenInPlace(
  facts: MediaFacts,
  plan: OutputPlan,
  target: string,
  options: SoftenOptions,
): Promise<readonly Warning[] | null> {
  const form = wideForms[facts.audio?.codec ?? ''];
  if (form === undefined || facts.hasVideo || plan.kind === 'video') return null;
  const warnings = await copyWhole(facts, plan, target, options.signal);
  if (warnings === null) return null;
  const file = openSync(target, 'r+');
  try {
    const place = plainPlace((at, size) => {
      const bytes = Buffer.alloc(size);
      return bytes.subarray(0, readSync(file, bytes, 0, size, at));
    });
    const isIt = place?.bits === form.bits && place.align === (place.channels * form.bits) / 8;
    if (isIt && place.channels === facts.audio?.channels) {
      await change(file, place, form, options);
      return warnings;
    }
  } finally {
    closeSync(file);
  }
  rmSync(target);
  return null;
}

async function change(
  file: number,
  { at, size, align, channels }: PlainPlace,
  form: WideForm,
  { ranges, fadeFrames, filling, signal }: SoftenOptions,
): Promise<void> {
  const frames = Math.floor(size / align);
  const buffer = Buffer.alloc(chunkFrames * align);
  for (const range of ranges) {
    const fade = fadeWithin(range, fadeFrames);
    const end = Math.min(frames, range.end);
    for (let from = Math.max(0, range.start); from < end; from += chunkFrames) {
      const count = Math.min(chunkFrames, end - from);
      const bytes = buffer.subarray(0, count * align);
      readSync(file, bytes, 0, bytes.length, at + from * align);
      const added = filling?.next(channels, from - range.start, count);
      for (let frame = 0; frame < count; frame += 1) {
        const gain = gainWithin(range, fade, from + frame);
        for (let channel = 0; channel < channels; channel += 1) {
          const place = frame * align + (channel * form.bits) / 8;
          const other = added === undefined ? 0 : (1 - gain) * added[channel]![frame]!;
          // A float that is no number would stay where it is multiplied.
          form.write(bytes, (gain === 0 ? 0 : gain * form.read(bytes, place)) + other, place);
        }
      }
      writeSync(file, bytes, 0, bytes.length, at + from * align);
      await turn();
      throwIfAborted(signal);
    }
  }
}
