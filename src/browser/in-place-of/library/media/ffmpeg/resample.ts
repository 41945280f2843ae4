// In place of media/ffmpeg/resample.ts: changes channels. Other rates wait for a resampler that is a kernel of ours.
import { mixMatrix, usualLayout } from '../../../../../library/core/channels.ts';
import type { FormatConverter } from '../../../../../library/media/ffmpeg/resample.ts';
import type { AudioBlock, AudioFormat } from '../../../../../library/pcm/block.ts';
import { ChannelTurner } from '../../../../../library/pcm/opposite-channels.ts';
import type { Stage } from '../../../../../library/pcm/stage.ts';
import { notHere } from '../../../../media/not-here.ts';

export type { FormatConverter };

/** As FFmpeg mixes: products and sums are 32-bit floats, in the order of the channels. */
function mixed({ planes, frames }: AudioBlock, rows: readonly (readonly number[])[]): AudioBlock {
  const out = rows.map((row) => {
    const parts = row.flatMap((gain, channel) => (gain === 0 ? [] : [[Math.fround(gain), planes[channel]] as const]));
    const plane = new Float32Array(frames);
    for (const [gain, from] of parts)
      for (let at = 0; at < frames; at += 1)
        plane[at] = (plane[at] as number) + Math.fround(gain * ((from as Float32Array)[at] as number));
    return plane;
  });
  return { planes: out, frames };
}

export function createFormatConverter(
  from: AudioFormat,
  to: { sampleRate: number; channels: number },
  windowSeconds?: number,
): FormatConverter {
  if (to.sampleRate !== from.sampleRate)
    throw notHere(`${from.sampleRate} Hz are not changed to ${to.sampleRate} Hz yet`);
  const layout = to.channels === from.channels ? from.layout : usualLayout(to.channels);
  const format: AudioFormat = { ...to, layout };
  if (to.channels === from.channels)
    return { format, convert: (block) => block, flush: () => null, warnings: () => [], close: () => undefined };
  const rows = mixMatrix(from.layout, from.channels, to.channels);
  const turner = to.channels < from.channels ? new ChannelTurner(from, rows, windowSeconds) : null;
  const take = (block: AudioBlock | null): AudioBlock | null => block && mixed(block, rows);
  return {
    format,
    convert: (block) => take(turner ? turner.process(block) : block),
    flush: () => take(turner?.flush() ?? null),
    warnings() {
      const turned = turner?.warning();
      return turned ? [turned] : [];
    },
    close: () => undefined,
  };
}

export function resampleTo(sampleRate: number): Stage {
  return {
    latencyFrames: 0,
    open(format) {
      createFormatConverter(format, { sampleRate, channels: format.channels }).close();
      return format;
    },
    process: (block, emit) => emit(block),
    flush: () => undefined,
    close: () => undefined,
  };
}
