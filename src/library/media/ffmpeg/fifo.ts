// Takes frames of any sample format and returns planar float32 of any length. FFmpeg's resampler is the buffer, so that
// no JS buffer is made per frame.
import { type Frame, SoftwareResampleContext, avChannelLayoutDescribe } from 'node-av/lib';
import { AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP, type AVSampleFormat } from 'node-av/constants';
import type { ChannelLayout } from 'node-av/lib';
import { mixMatrix } from '../../core/channels.ts';
import { EarshotError } from '../../core/errors/errors.ts';
import type { Warning } from '../../core/progress/progress.ts';

/** A change before is none. */
const firstSeconds = 0.5;

export interface Fifo {
  /** Frames available to read. */
  readonly buffered: number;
  /** Returns FFmpeg's code: negative when the frame was refused. */
  writeFrame(frame: Frame, frames: number): number;
  /** Says that the sound changes its rate or its channels, and when; null: it does not. */
  readonly changed: Warning | null;
  /** For a frame whose format differs from the first one's: converts it. */
  writeChangedFrame(frame: Frame, layout: ChannelLayout, sampleRate: number, sampleFormat: AVSampleFormat): void;
  writeSilence(frames: number): void;
  /** Reads up to `frames` frames into the planes from `offset` on; returns how many. */
  read(planes: readonly Float32Array[], offset: number, frames: number): number;
  close(): void;
}

const bytesOf = (plane: Float32Array, offset: number, frames: number): Buffer =>
  Buffer.from(plane.buffer, plane.byteOffset + offset * 4, frames * 4);

/**
 * node-av passes at most eight planes to FFmpeg, loses the ninth and crashes on many more, so sound with more channels
 * uses one interleaved plane.
 */
const mostPlanes = 8;

/** The resampler's float format for this number of channels: planar, or interleaved when there are too many planes. */
export const floatFormat = (channels: number): AVSampleFormat =>
  channels > mostPlanes ? AV_SAMPLE_FMT_FLT : AV_SAMPLE_FMT_FLTP;

/** Planes as the input of a resampler in `floatFormat`. */
export function floatInput(planes: readonly Float32Array[], frames: number): Buffer[] {
  const channels = planes.length;
  if (channels <= mostPlanes) return planes.map((plane) => bytesOf(plane, 0, frames));
  const together = new Float32Array(frames * channels);
  for (const [channel, plane] of planes.entries())
    for (let frame = 0; frame < frames; frame += 1) together[frame * channels + channel] = plane[frame] as number;
  return [bytesOf(together, 0, together.length)];
}

/**
 * Runs a resampler with output in `floatFormat` into the planes from `offset` on; returns frames or FFmpeg's error
 * code.
 */
function convertToFloats(
  resampler: SoftwareResampleContext,
  planes: readonly Float32Array[],
  offset: number,
  room: number,
  input: Buffer[] | null,
  inputFrames: number,
): number {
  const channels = planes.length;
  if (channels <= mostPlanes)
    return resampler.convertSync(
      planes.map((plane) => bytesOf(plane, offset, room)),
      room,
      input,
      inputFrames,
    );
  const together = new Float32Array(room * channels);
  const got = resampler.convertSync([bytesOf(together, 0, together.length)], room, input, inputFrames);
  for (const [channel, plane] of planes.entries())
    for (let frame = 0; frame < got; frame += 1) plane[offset + frame] = together[frame * channels + channel] as number;
  return got;
}

function openResampler(
  layout: ChannelLayout,
  rate: number,
  format: AVSampleFormat,
  outLayout = layout,
  outRate = rate,
): SoftwareResampleContext {
  const resampler = new SoftwareResampleContext();
  // Layout, rate and format come from the file; impossible values mean that it is damaged.
  const allocated = resampler.allocSetOpts2(
    outLayout,
    floatFormat(outLayout.nbChannels),
    outRate,
    layout,
    format,
    rate,
  );
  const matrix = mixMatrix(avChannelLayoutDescribe(layout) ?? '', layout.nbChannels, outLayout.nbChannels);
  if (
    allocated < 0 ||
    (layout.nbChannels !== outLayout.nbChannels && resampler.setMatrix(matrix.flat(), layout.nbChannels) < 0) ||
    resampler.init() < 0
  ) {
    resampler.free();
    throw new EarshotError(
      'file_invalid',
      `The file declares ${layout.nbChannels} channels at ${rate} Hz in a layout or sample format that ` +
        'does not exist; the file is damaged',
    );
  }
  return resampler;
}

export function createFifo(layout: ChannelLayout, sampleRate: number, sampleFormat: AVSampleFormat): Fifo {
  // A change of format in mid-stream adds another buffer after those that still hold sound.
  const parts = [{ resampler: openResampler(layout, sampleRate, sampleFormat), buffered: 0 }];
  let total = 0;
  let formChanged: Warning | null = null;
  let written = 0;
  const noteForm = (channels: number, rate: number): void => {
    if (formChanged !== null || (channels === layout.nbChannels && rate === sampleRate)) return;
    // Decoders find out the form of some codecs within their first packets.
    if (written < firstSeconds * sampleRate) return;
    const form = (count: number, hz: number): string =>
      `${count === 1 ? '1 channel' : `${count} channels`} at ${hz} Hz`;
    formChanged = {
      code: 'form_changed',
      message:
        `The sound has ${form(channels, rate)} from ${(written / sampleRate).toFixed(2)} s on; all of it was given ` +
        `the form of its beginning, ${form(layout.nbChannels, sampleRate)}`,
    };
  };
  let changed: { key: string; resampler: SoftwareResampleContext } | null = null;
  const last = (): (typeof parts)[number] => parts[parts.length - 1] as (typeof parts)[number];
  const added = (frames: number): void => {
    last().buffered += frames;
    total += frames;
    written += frames;
  };

  return {
    get buffered() {
      return total;
    },
    get changed() {
      return formChanged;
    },
    writeFrame(frame, frames) {
      // After a change of format, the last buffer takes float only; frames go through the converter.
      if (changed) return -1668179713;
      const code = last().resampler.convertFrame(null, frame);
      if (code >= 0) added(frames);
      return code;
    },
    writeChangedFrame(frame, frameLayout, frameRate, frameFormat) {
      const key = `${frameLayout.nbChannels} ${frameLayout.mask} ${frameRate} ${frameFormat}`;
      if (changed?.key !== key) {
        noteForm(frameLayout.nbChannels, frameRate);
        if (!changed)
          parts.push({ resampler: openResampler(layout, sampleRate, floatFormat(layout.nbChannels)), buffered: 0 });
        changed?.resampler.free();
        changed = { key, resampler: openResampler(frameLayout, frameRate, frameFormat, layout, sampleRate) };
      }
      const room = Math.ceil((frame.nbSamples * sampleRate) / frameRate) + 256;
      const planes = Array.from({ length: layout.nbChannels }, () => new Float32Array(room));
      if (changed.resampler.convertFrame(null, frame) < 0) return;
      const got = convertToFloats(changed.resampler, planes, 0, room, null, 0);
      if (got <= 0) return;
      if (last().resampler.convertSync(null, 0, floatInput(planes, got), got) >= 0) added(got);
    },
    writeSilence(frames) {
      if (last().resampler.injectSilence(frames) >= 0) added(frames);
    },
    read(planes, offset, frames) {
      let done = 0;
      while (done < frames && total > 0) {
        const part = parts[0] as (typeof parts)[number];
        if (part.buffered === 0 && parts.length > 1) {
          part.resampler.free();
          parts.shift();
          continue;
        }
        const want = Math.min(frames - done, part.buffered);
        const start = offset + done;
        const got = convertToFloats(part.resampler, planes, start, want, null, 0);
        if (got <= 0) {
          total -= part.buffered;
          part.buffered = 0;
          if (parts.length === 1) break;
          continue;
        }
        part.buffered -= got;
        total -= got;
        done += got;
      }
      return done;
    },
    close() {
      for (const part of parts) part.resampler.free();
      changed?.resampler.free();
    },
  };
}
