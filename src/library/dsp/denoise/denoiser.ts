import type { AsyncStage, Emit } from '../../pcm/stage.ts';
import type { ChannelGroups } from './channel-groups.ts';
import type { FanOut } from '../../core/machine/fan-out.ts';
import { createSampleWindow } from './suppressor/sample-window.ts';
import { type EmitPlanes, suppressorRate, type SuppressorFactory } from './suppressor/suppressor.ts';

export interface DenoiserOptions {
  readonly groups: ChannelGroups;
  readonly createSuppressor: SuppressorFactory;
  readonly runner: FanOut;
  readonly here: FanOut;
  /** Cores to use, at least 1. */
  readonly cores: number;
  readonly highPass?: boolean;
}

const nothing = new Float32Array();

/** Frames per output block. */
const blockFrames = suppressorRate;

/** Suppresses noise in sound at 48 kHz, each group of channels with its own suppressor, in parallel. */
export function createDenoiser({
  groups,
  createSuppressor,
  runner,
  here,
  cores,
  highPass = true,
}: DenoiserOptions): AsyncStage {
  const siblings = groups.groups.length;
  const parts = groups.groups.map((channels) => ({
    channels,
    suppressor: createSuppressor({
      channels: channels.length === 2 ? 2 : 1,
      group: channels,
      runner,
      here,
      cores,
      siblings,
      highPass,
    }),
    done: createSampleWindow(channels.length),
  }));
  const kept = groups.untouched.map((channel) => ({ channels: [channel], done: createSampleWindow(1) }));
  const outlets = [...parts, ...kept];
  const channelCount = outlets.reduce((sum, { channels }) => sum + channels.length, 0);
  let emitted = 0;

  /** Divides long stretches into blocks. */
  const inBlocks =
    (emit: Emit): EmitPlanes =>
    (planes, frames) => {
      for (let at = 0; at < frames; at += blockFrames) {
        const to = Math.min(frames, at + blockFrames);
        emit({ planes: planes.map((plane) => plane.subarray(at, to)), frames: to - at });
      }
    };
  const [only] = parts;
  // One group of all channels in order: nothing to wait for or to combine.
  const direct =
    only && outlets.length === 1 && only.channels.every((channel, index) => channel === index) ? only.suppressor : null;

  const handOn = (emit: Emit): void => {
    const ready = Math.min(...outlets.map(({ done }) => done.end));
    while (emitted < ready) {
      const to = Math.min(ready, emitted + blockFrames);
      const planes = Array.from({ length: channelCount }, () => nothing);
      for (const { channels, done } of outlets) {
        for (const [index, channel] of channels.entries()) planes[channel] = done.read(index, emitted, to);
        done.discard(to);
      }
      emit({ planes, frames: to - emitted });
      emitted = to;
    }
  };

  return {
    asynchronous: true,
    latencyFrames: 0,
    open(format) {
      if (format.sampleRate !== suppressorRate || format.channels !== channelCount)
        throw new RangeError(
          `Expected ${channelCount} channels at ${suppressorRate} Hz but got ${format.channels} at ` +
            `${format.sampleRate} Hz`,
        );
      return format;
    },
    async process({ planes, frames }, emit) {
      if (direct) return direct.push(planes, frames, inBlocks(emit));
      for (const { channels, done } of kept)
        done.append(
          channels.map((channel) => planes[channel] as Float32Array),
          frames,
        );
      await Promise.all(
        parts.map(({ channels, suppressor, done }) =>
          suppressor.push(
            channels.map((channel) => planes[channel] as Float32Array),
            frames,
            done.append,
          ),
        ),
      );
      handOn(emit);
    },
    async flush(emit) {
      if (direct) return direct.flush(inBlocks(emit));
      await Promise.all(parts.map(({ suppressor, done }) => suppressor.flush(done.append)));
      handOn(emit);
    },
    close: () => undefined,
  };
}
