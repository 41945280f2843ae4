import { mixMatrix, usualLayout } from '../../core/channels.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { mixInto } from '../../kernels/ops.ts';
import { createRateConverter, type RateConverter } from '../../kernels/rate-converter.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { ChannelTurner, joinBlocks } from '../../pcm/opposite-channels.ts';
import type { Stage } from '../../pcm/stage.ts';

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

/** Planes that are used again: a block is valid until the next one. */
class Planes {
  private readonly channels: number;
  private readonly least: number;
  private planes: Float32Array[] = [];

  /** @param least frames of the first ones; default: as many as are asked for */
  constructor(channels: number, least = 0) {
    this.channels = channels;
    this.least = least;
  }

  of(frames: number): readonly Float32Array[] {
    if (this.planes.length === 0 || (this.planes[0] as Float32Array).length < frames)
      this.planes = Array.from({ length: this.channels }, () => new Float32Array(Math.max(frames, this.least)));
    return this.planes.map((plane) => plane.subarray(0, frames));
  }
}

type Mix = (block: AudioBlock) => AudioBlock;

/** Each channel of the output as shares of the input's. */
function mixOf(rows: readonly (readonly number[])[]): Mix {
  const out = new Planes(rows.length);
  return ({ planes, frames }) => {
    const mixed = out.of(frames);
    for (const [to, row] of rows.entries()) {
      const target = [(mixed[to] as Float32Array).fill(0)];
      for (const [from, share] of row.entries())
        if (share !== 0) mixInto(target, [planes[from] as Float32Array], share, frames);
    }
    return { planes: mixed, frames };
  };
}

const unmixed: Mix = (block) => block;

/** Blocks at another rate; null where nothing comes out yet. */
class RateChange {
  private readonly converter: RateConverter;
  private readonly out: Planes;

  constructor(fromRate: number, toRate: number, channels: number) {
    this.converter = createRateConverter({ fromRate, toRate, channels });
    // Blocks are about a second long.
    this.out = new Planes(channels, toRate);
  }

  convert({ planes, frames }: AudioBlock): AudioBlock | null {
    const made = this.converter.ready(frames);
    const to = this.out.of(made);
    this.converter.process(planes, to, frames);
    return made === 0 ? null : { planes: to, frames: made };
  }

  flush(): AudioBlock | null {
    const made = this.converter.rest();
    const to = this.out.of(made);
    this.converter.flush(to);
    return made === 0 ? null : { planes: to, frames: made };
  }

  close(): void {
    this.converter.close();
  }
}

/**
 * Another sample rate by `createRateConverter`: no delay, length `round(frames * to / from)`. Channel counts change by
 * `mixMatrix` (ITU-R BS.775-3 down-mix, which may exceed full scale: see `createFittingConverter`); channels that would
 * cancel in a mix are turned over before it.
 * @param windowSeconds sound that is mixed is late by up to so much; default 0.5
 */
export function createFormatConverter(
  from: AudioFormat,
  to: { sampleRate: number; channels: number },
  windowSeconds?: number,
): FormatConverter {
  const layout = to.channels === from.channels ? from.layout : usualLayout(to.channels);
  const format: AudioFormat = { sampleRate: to.sampleRate, channels: to.channels, layout };
  const rows = to.channels === from.channels ? null : mixMatrix(from.layout, from.channels, to.channels);
  const turner = rows && to.channels < from.channels ? new ChannelTurner(from, rows, windowSeconds) : null;
  const mix = rows ? mixOf(rows) : unmixed;
  const fewest = Math.min(from.channels, to.channels);
  const rate = to.sampleRate === from.sampleRate ? null : new RateChange(from.sampleRate, to.sampleRate, fewest);
  const take = (block: AudioBlock): AudioBlock | null => {
    // The rate of as few channels as there are on either side.
    if (to.channels <= from.channels) return rate ? rate.convert(mix(block)) : mix(block);
    const converted = rate ? rate.convert(block) : block;
    return converted && mix(converted);
  };
  return {
    format,
    convert(block) {
      const turned = turner ? turner.process(block) : block;
      return turned && take(turned);
    },
    flush() {
      const held = turner?.flush();
      const last = held ? take(held) : null;
      if (!rate) return last;
      // Its planes are used again by the second call.
      const kept = last && { planes: last.planes.map((plane) => plane.slice()), frames: last.frames };
      const rest = rate.flush();
      const end = rest && to.channels > from.channels ? mix(rest) : rest;
      return kept && end ? joinBlocks(kept, end) : (kept ?? end);
    },
    warnings() {
      const turned = turner?.warning();
      return turned ? [turned] : [];
    },
    close: () => rate?.close(),
  };
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
