import { SoftwareResampleContext, avChannelLayoutDefault } from 'node-av/lib';
import { mixMatrix, usualLayout } from '../../core/channels.ts';
import type { Warning } from '../../core/progress/progress.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { ChannelTurner, joinBlocks } from '../../pcm/opposite-channels.ts';
import type { Stage } from '../../pcm/stage.ts';
import { expectOk } from './ffmpeg.ts';
import { convertToFloats, floatFormat, floatInput } from './fifo.ts';

/** Taps at the lower rate. */
const filterSize = 64;

/** Changes sample rate and channel count of a stream of blocks. */
export interface FormatConverter {
  readonly format: AudioFormat;
  /** null while the filter fills up. The block is valid until the next call. */
  convert(block: AudioBlock): AudioBlock | null;
  /** The rest in the filter; null when it is empty. */
  flush(): AudioBlock | null;
  /** Of what was converted, after `flush`: channels that would have cancelled in the mix, peaks that were lowered. */
  warnings(): readonly Warning[];
  close(): void;
}

/**
 * Windowed-sinc polyphase resampling by FFmpeg's libswresample: 64 taps at the lower rate, Kaiser window (beta 10).
 * Relative to the lower Nyquist frequency: flat within 0.05 dB to 0.88, -6 dB at 0.97, images and aliases below -100 dB
 * from 1.07 on. Zero delay, length `round(frames * to / from)` within one frame. Channel counts change by `mixMatrix`
 * (ITU-R BS.775-3 down-mix, which may exceed full scale: see `createFittingConverter`); channels that would cancel in a
 * mix are turned over before it.
 * @param windowSeconds sound that is mixed is late by up to so much; default 0.5
 */
export function createFormatConverter(
  from: AudioFormat,
  to: { sampleRate: number; channels: number },
  windowSeconds?: number,
): FormatConverter {
  const layout = to.channels === from.channels ? from.layout : usualLayout(to.channels);
  const format: AudioFormat = { sampleRate: to.sampleRate, channels: to.channels, layout };
  if (to.sampleRate === from.sampleRate && to.channels === from.channels) {
    return { format, convert: (block) => block, flush: () => null, warnings: () => [], close: () => undefined };
  }
  const resampler = new SoftwareResampleContext();
  const inLayout = avChannelLayoutDefault(from.channels);
  const outLayout = avChannelLayoutDefault(to.channels);
  expectOk(
    resampler.allocSetOpts2(
      outLayout,
      floatFormat(to.channels),
      to.sampleRate,
      inLayout,
      floatFormat(from.channels),
      from.sampleRate,
    ),
    'Setting up the sample rate conversion',
  );
  resampler.setOption('filter_size', filterSize);
  resampler.setOption('filter_type', 'kaiser');
  resampler.setOption('kaiser_beta', 10);
  resampler.setOption('cutoff', 0.97);
  let turner: ChannelTurner | null = null;
  if (to.channels !== from.channels) {
    const rows = mixMatrix(from.layout, from.channels, to.channels);
    if (to.channels < from.channels) turner = new ChannelTurner(from, rows, windowSeconds);
    expectOk(resampler.setMatrix(rows.flat(), from.channels), 'Setting the down-mix');
  }
  expectOk(resampler.init(), 'Starting the sample rate conversion');

  const room = (frames: number): number => Math.ceil((frames * to.sampleRate) / from.sampleRate) + 1024;
  let planes = Array.from({ length: to.channels }, () => new Float32Array(room(from.sampleRate)));
  let given = 0;
  let taken = 0;
  const run = (input: Buffer[] | null, frames: number): AudioBlock | null => {
    const size = room(frames);
    if (size > (planes[0]?.length ?? 0)) planes = planes.map(() => new Float32Array(size));
    const capacity = planes[0]?.length ?? 0;
    const got = expectOk(convertToFloats(resampler, planes, 0, capacity, input, frames), 'Converting the sample rate');
    taken += got;
    return got === 0 ? null : { planes: planes.map((plane) => plane.subarray(0, got)), frames: got };
  };
  const span = filterSize * Math.ceil(Math.max(1, from.sampleRate / to.sampleRate));
  const take = (block: AudioBlock): AudioBlock | null => {
    given += block.frames;
    return run(floatInput(block.planes, block.frames), block.frames);
  };
  const drain = (): AudioBlock | null => {
    // Of sound that is shorter than its filter, libswresample gives nothing back.
    if (given === 0 || given >= span || from.sampleRate === to.sampleRate) return run(null, 0);
    const frames = Math.max(1, Math.round((given * to.sampleRate) / from.sampleRate)) - taken;
    const silence = Array.from({ length: from.channels }, () => new Float32Array(2 * span));
    const block = run(floatInput(silence, 2 * span), 2 * span);
    return block && { planes: block.planes.map((plane) => plane.subarray(0, frames)), frames };
  };
  return {
    format,
    convert(block) {
      const turned = turner ? turner.process(block) : block;
      return turned && take(turned);
    },
    flush() {
      const rest = turner?.flush();
      // The filter's planes are used again by the second call.
      const last = rest ? copied(take(rest)) : null;
      return joined(last, drain());
    },
    warnings() {
      const turned = turner?.warning();
      return turned ? [turned] : [];
    },
    close: () => resampler.free(),
  };
}

const copied = (block: AudioBlock | null): AudioBlock | null =>
  block && { planes: block.planes.map((plane) => plane.slice()), frames: block.frames };

function joined(first: AudioBlock | null, second: AudioBlock | null): AudioBlock | null {
  if (!first || !second) return first ?? second;
  return joinBlocks(first, second);
}

/** The converter as a stage: to another rate, with the same channels. */
export function resampleTo(sampleRate: number): Stage {
  let converter: FormatConverter | null = null;
  return {
    latencyFrames: 0,
    open(format) {
      converter = createFormatConverter(format, { sampleRate, channels: format.channels });
      return converter.format;
    },
    process(block, emit) {
      const converted = converter?.convert(block);
      if (converted) emit(converted);
    },
    flush(emit) {
      const rest = converter?.flush();
      if (rest) emit(rest);
    },
    close() {
      converter?.close();
      converter = null;
    },
  };
}
