// Sound in a program's own memory, and what is asked of it: the same for files made of it and for work on it in place.
import { usualLayout } from '../core/channels.ts';
import { badInput, badValue } from '../core/checks/schema.ts';
import type { AudioBlock, AudioFormat } from './block.ts';

/** Sound in memory: float32, full scale 1.0. */
export interface Sound {
  /** An array for each channel, in the order of WAV (left, right, …), all equally long. */
  readonly samples: readonly Float32Array[];
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
}

/**
 * Sound or a part of it, float32, full scale 1.0: an array for each channel, or one array with all channels frame by
 * frame ("interleaved").
 */
export type SampleBlock = readonly Float32Array[] | Float32Array;

/** An `AudioBuffer` of Web Audio, or what looks like one. */
export interface AudioBufferLike {
  /** Frames per second, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64. */
  readonly numberOfChannels: number;
  /** The samples of a channel, counted from 0; full scale 1.0. */
  getChannelData(channel: number): Float32Array;
}

/** Sound that is held whole. */
export interface HeldSamples {
  /** An array for each channel, all equally long, or one array with all channels frame by frame. */
  readonly samples: SampleBlock;
  /** Frames per second, whole, 1 to 768000. */
  readonly sampleRate: number;
  /** 1 to 64. Default: the number of arrays, one for a single array. */
  readonly channels?: number;
}

const mostRate = 768_000;
const mostChannels = 64;

/** Also of another realm, as test runners and `vm` have them. */
const isFloats = (value: unknown): value is Float32Array<ArrayBuffer> =>
  ArrayBuffer.isView(value) && (value as Partial<Float32Array>)[Symbol.toStringTag] === 'Float32Array';

const typeName = (value: unknown): string =>
  value === null ? 'null' : typeof value === 'object' ? (value.constructor?.name ?? 'object') : typeof value;

export const isAudioBuffer = (value: object): value is AudioBufferLike =>
  typeof (value as Partial<AudioBufferLike>).getChannelData === 'function';

/** @throws EarshotError bad_request */
export function requireSampleRate(sampleRate: unknown): number {
  if (Number.isInteger(sampleRate) && Number(sampleRate) >= 1 && Number(sampleRate) <= mostRate)
    return sampleRate as number;
  throw badValue('sampleRate', `whole frames per second between 1 and ${mostRate}`, sampleRate);
}

/** @throws EarshotError bad_request */
export function requireChannels(channels: unknown): number {
  if (Number.isInteger(channels) && Number(channels) >= 1 && Number(channels) <= mostChannels)
    return channels as number;
  throw badValue('channels', `integer between 1 and ${mostChannels}`, channels);
}

/** As a WAV file of so many channels is read, which names no loudspeakers. */
export const formatOf = (sampleRate: number, channels: number): AudioFormat => ({
  sampleRate,
  channels,
  layout: usualLayout(channels),
});

/**
 * Channels of sound whose caller need not name them.
 * @param given undefined: as many as there are arrays, one for a single array
 * @throws EarshotError bad_request
 */
export function channelsOf(block: unknown, given: number | undefined): number {
  return requireChannels(given ?? (Array.isArray(block) ? block.length : 1));
}

/**
 * The channels of a block; interleaved ones are copied apart.
 * @param fromFrame frames before the block, for messages
 * @throws EarshotError bad_request for what is no float32, for another number of channels, for lengths that differ, and
 *   for samples that are no numbers
 */
export function planesOfBlock(block: unknown, channels: number, fromFrame = 0): Float32Array[] {
  const planes = isFloats(block) ? apart(block, channels) : asPlanes(block, channels);
  const [first] = planes as [Float32Array];
  for (const [channel, plane] of planes.entries()) {
    if (plane.length !== first.length)
      throw badInput('samples', 'equally long channels', `${first.length} and ${plane.length} frames`);
    const at = brokenAt(plane);
    if (at >= 0)
      throw badInput(
        'samples',
        'numbers (full scale is 1)',
        `${plane[at]} at frame ${fromFrame + at} of channel ${channel + 1}`,
      );
  }
  return planes;
}

function asPlanes(block: unknown, channels: number): Float32Array[] {
  const expected = 'a Float32Array, or one for each channel';
  if (!Array.isArray(block))
    throw badInput(
      'samples',
      expected,
      ArrayBuffer.isView(block) ? `${typeName(block)} (PCM of another kind is { raw, format })` : typeName(block),
    );
  const other = block.findIndex((plane) => !isFloats(plane));
  if (other >= 0) throw badInput('samples', expected, `${typeName(block[other])} as channel ${other + 1}`);
  if (block.length !== channels)
    throw badInput('samples', `${channels} ${channels === 1 ? 'array' : 'arrays'}`, String(block.length));
  return block as Float32Array[];
}

function apart(block: Float32Array, channels: number): Float32Array[] {
  if (channels === 1) return [block];
  const frames = block.length / channels;
  if (!Number.isInteger(frames))
    throw badInput('samples', `a multiple of ${channels} samples (channels)`, `${block.length} samples`);
  const planes = Array.from({ length: channels }, () => new Float32Array(frames));
  for (const [channel, plane] of planes.entries())
    for (let frame = 0; frame < frames; frame += 1) plane[frame] = block[frame * channels + channel] as number;
  return planes;
}

/** Where the first sample is NaN or infinite; -1: nowhere. */
export function brokenAt(samples: Float32Array): number {
  // Their difference to themselves is no number.
  for (let at = 0; at < samples.length; at += 1) if ((samples[at] as number) - (samples[at] as number) !== 0) return at;
  return -1;
}

/**
 * The channels of an AudioBuffer.
 * @throws EarshotError bad_request as `planesOfBlock`
 */
export function planesOfBuffer(buffer: AudioBufferLike): Float32Array[] {
  const channels = requireChannels(buffer.numberOfChannels);
  const planes = Array.from({ length: channels }, (_, channel) => buffer.getChannelData(channel));
  return planesOfBlock(planes, channels);
}

/** Sound with its format, in blocks as files are read. */
export interface OpenedSound {
  readonly format: AudioFormat;
  readonly frames: number;
  /** Views of a second each. */
  blocks(): Iterable<AudioBlock>;
}

/** @throws EarshotError bad_request as `planesOfBlock`, and for a rate or channels out of range */
export function openSound(sound: HeldSamples | AudioBufferLike): OpenedSound {
  if (typeof sound !== 'object' || sound === null)
    throw badInput('sound', '{ samples, sampleRate } or an AudioBuffer', typeName(sound));
  const planes = isAudioBuffer(sound)
    ? planesOfBuffer(sound)
    : planesOfBlock(sound.samples, channelsOf(sound.samples, sound.channels));
  const format = formatOf(requireSampleRate(sound.sampleRate), planes.length);
  const frames = (planes[0] as Float32Array).length;
  return {
    format,
    frames,
    *blocks() {
      for (let from = 0; from < frames; from += format.sampleRate) {
        const to = Math.min(frames, from + format.sampleRate);
        yield { planes: planes.map((plane) => plane.subarray(from, to)), frames: to - from };
      }
    },
  };
}

/** Frames that are interleaved at a time. */
const interleavedFrames = 16_384;

/** The frames of planes one behind the other, in pieces; each is valid until the next is asked for. */
export function* interleaved(planes: readonly Float32Array[]): Generator<Float32Array> {
  const [first] = planes;
  if (first === undefined || first.length === 0) return;
  if (planes.length === 1) {
    yield first;
    return;
  }
  const { length: channels } = planes;
  const piece = new Float32Array(Math.min(first.length, interleavedFrames) * channels);
  for (let from = 0; from < first.length; from += interleavedFrames) {
    const frames = Math.min(interleavedFrames, first.length - from);
    for (const [channel, plane] of planes.entries())
      for (let frame = 0; frame < frames; frame += 1) piece[frame * channels + channel] = plane[from + frame] as number;
    yield piece.subarray(0, frames * channels);
  }
}
