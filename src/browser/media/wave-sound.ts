// The sound of WAV files, whose samples are read where they lie.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { usualLayout } from '../../library/core/channels.ts';
import { isStatedSize, readWaveForm, type WaveForm, waveTags } from '../../library/media/ffmpeg/wave-form.ts';
import { mostSampleRate } from '../../library/media/ffmpeg/sound-decoder.ts';
import type { Samples } from './samples.ts';
import { layoutOfMask } from './wave-layout.ts';

type ToFloat = (bytes: DataView, at: number) => number;

interface Form {
  /** FFmpeg's name. */
  readonly codec: string;
  readonly toFloat: ToFloat;
}

const two31 = 2 ** 31;

/** By tag and bits of the container. */
const forms: Readonly<Record<string, Form>> = {
  [`${waveTags.pcm}/8`]: { codec: 'pcm_u8', toFloat: (bytes, at) => (bytes.getUint8(at) - 128) / 128 },
  [`${waveTags.pcm}/16`]: { codec: 'pcm_s16le', toFloat: (bytes, at) => bytes.getInt16(at, true) / 32_768 },
  [`${waveTags.pcm}/24`]: {
    codec: 'pcm_s24le',
    toFloat: (bytes, at) => ((bytes.getInt8(at + 2) << 16) | bytes.getUint16(at, true)) / 8_388_608,
  },
  [`${waveTags.pcm}/32`]: { codec: 'pcm_s32le', toFloat: (bytes, at) => bytes.getInt32(at, true) / two31 },
  [`${waveTags.float}/32`]: { codec: 'pcm_f32le', toFloat: (bytes, at) => bytes.getFloat32(at, true) },
  [`${waveTags.float}/64`]: { codec: 'pcm_f64le', toFloat: (bytes, at) => bytes.getFloat64(at, true) },
};

const formOf = ({ tag, bits, channels, blockAlign, sampleRate }: WaveForm): Form | null => {
  const isPossible = channels > 0 && sampleRate > 0 && sampleRate <= mostSampleRate;
  return isPossible && blockAlign === (channels * bits) / 8 ? (forms[`${tag}/${bits}`] ?? null) : null;
};

/** A WAV file as its header describes it, as far as the file goes. */
export interface WaveSound {
  readonly form: WaveForm;
  readonly codec: string;
  readonly layout: string;
  /** There are so many. */
  readonly frames: number;
  /** The header says so; null: it does not say. */
  readonly statedFrames: number | null;
  readonly sizeBytes: number;
}

function look(handle: number): WaveSound | null {
  const bytes = (at: number, size: number): Buffer => {
    const read = Buffer.alloc(size);
    return read.subarray(0, readSync(handle, read, 0, size, at));
  };
  const form = readWaveForm(bytes);
  const known = form && formOf(form);
  if (form === null || known === null) return null;
  const { dataAt, dataBytes, blockAlign, channels } = form;
  const sizeBytes = fstatSync(handle).size;
  const isStated = isStatedSize(dataBytes);
  const there = Math.max(0, sizeBytes - dataAt);
  return {
    form,
    codec: known.codec,
    layout: layoutOfMask(form, bytes) ?? usualLayout(channels),
    frames: Math.floor((isStated ? Math.min(dataBytes, there) : there) / blockAlign),
    statedFrames: isStated ? Math.floor(dataBytes / blockAlign) : null,
    sizeBytes,
  };
}

/** @returns null: no WAV, or one whose samples are coded */
export function lookAtWave(path: string): WaveSound | null {
  const handle = openSync(path, 'r');
  try {
    return look(handle);
  } finally {
    closeSync(handle);
  }
}

export function openWave(path: string, { form, frames, layout }: WaveSound): Samples {
  const { channels, sampleRate, blockAlign, dataAt } = form;
  const { toFloat } = formOf(form) as Form;
  const width = blockAlign / channels;
  const handle = openSync(path, 'r');
  let buffer = new Uint8Array(0);
  return {
    format: { sampleRate, channels, layout },
    frames,
    read(from, count, planes) {
      const size = count * blockAlign;
      if (buffer.length < size) buffer = new Uint8Array(size);
      const got = readSync(handle, buffer, 0, size, dataAt + from * blockAlign);
      // The file became shorter while it was read.
      buffer.fill(0, got, size);
      const bytes = new DataView(buffer.buffer, 0, size);
      for (const [channel, plane] of planes.entries())
        for (let at = 0, place = channel * width; at < count; at += 1, place += blockAlign)
          plane[at] = toFloat(bytes, place);
    },
    close: () => closeSync(handle),
  };
}
