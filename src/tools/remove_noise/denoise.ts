import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import type { Warning } from '../../core/progress.ts';
import { type ChannelGroups, meterChannelGroups } from '../../dsp/denoise/channel-groups.ts';
import { createDenoiser } from '../../dsp/denoise/denoiser.ts';
import type { NoiseEngine } from '../../dsp/denoise/engines.ts';
import type { FanOut } from '../../core/fan-out.ts';
import { runHere } from '../../dsp/denoise/suppressor/pieces.ts';
import { createSampleWindow } from '../../dsp/denoise/suppressor/sample-window.ts';
import { suppressorRate } from '../../dsp/denoise/suppressor/suppressor.ts';
import { meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import { openAudio } from '../../media/read/decode.ts';
import { drive, type PassOptions } from '../../media/read/drive.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { createFormatConverter } from '../../media/ffmpeg/resample.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { compose } from '../../pcm/compose.ts';
import type { Emit } from '../../pcm/stage.ts';

export interface Recording {
  readonly path: string;
  readonly facts: MediaFacts;
  readonly format: AudioFormat;
  /** As decoding counts them. */
  readonly frames: number;
  readonly groups: ChannelGroups;
  /** null for silence. */
  readonly integratedLufs: number | null;
  readonly warnings: readonly Warning[];
}

/** Reads a file once and learns what the noise suppressor has to know. */
export async function inspect(path: string, options: PassOptions): Promise<Recording> {
  const source = openAudio(path);
  try {
    const meter = meterChannelGroups();
    const loudness = meterLoudness();
    const pipeline = compose([meter, loudness], source.format);
    try {
      const frames = await drive(source, (block) => pipeline.process(block, () => undefined), options);
      pipeline.flush(() => undefined);
      return {
        path,
        facts: source.facts,
        format: source.format,
        frames,
        groups: meter.result(),
        integratedLufs: loudness.result().integratedLufs,
        warnings: source.warnings,
      };
    } finally {
      pipeline.close();
    }
  } finally {
    source.close();
  }
}

export interface DenoiseOptions extends PassOptions {
  readonly engine: NoiseEngine;
  /** Share of the noise that stays, 0 to 1. */
  readonly dryShare: number;
  readonly parallelism: number;
  readonly fanOut: FanOut;
}

/** Shorter recordings are done before other threads have loaded the networks. */
const worthThreadsSeconds = 10;

/** Mixes the original back in, at its own rate, and makes the length exact. */
function createMixer(
  frames: number,
  channels: number,
  dryShare: number,
  emit: Emit,
): { dry(block: AudioBlock): void; wet: Emit; finish(): void } {
  const original = createSampleWindow(channels);
  let position = 0;
  const mixIn = (planes: readonly Float32Array[], count: number): void => {
    if (dryShare > 0) {
      for (const [channel, plane] of planes.entries()) {
        const dry = original.read(channel, position, position + count);
        for (let i = 0; i < count; i += 1)
          plane[i] = (plane[i] as number) * (1 - dryShare) + (dry[i] as number) * dryShare;
      }
    }
    position += count;
    original.discard(position);
    emit({ planes, frames: count });
  };
  return {
    dry(block) {
      if (dryShare > 0) original.append(block.planes, block.frames);
    },
    wet({ planes, frames: got }) {
      // Going to another rate and back may add or lose a frame at the end.
      const count = Math.min(got, frames - position);
      if (count > 0)
        mixIn(
          planes.map((plane) => plane.subarray(0, count)),
          count,
        );
    },
    finish() {
      const count = frames - position;
      if (count > 0)
        mixIn(
          Array.from({ length: channels }, () => new Float32Array(count)),
          count,
        );
    },
  };
}

/**
 * Reads a recording and emits it without its noise: same rate, channels and length, in step. The suppressors work at 48
 * kHz; sound at other rates goes there and back. What lies above 24 kHz in faster recordings is no voice and goes with
 * the noise.
 */
export async function denoise(recording: Recording, emit: Emit, options: DenoiseOptions): Promise<void> {
  const { engine, dryShare, parallelism, fanOut, signal, onProgress } = options;
  const { format, frames, groups } = recording;
  const seconds = frames / format.sampleRate;
  const alone = parallelism === 1 || seconds < worthThreadsSeconds;
  const source = openAudio(recording.path);
  const there = createFormatConverter(format, { sampleRate: suppressorRate, channels: format.channels });
  const back = createFormatConverter(
    { ...format, sampleRate: suppressorRate },
    { sampleRate: format.sampleRate, channels: format.channels },
  );
  try {
    const denoiser = createDenoiser({
      groups,
      createSuppressor: engine.createSuppressor,
      runner: fanOut,
      here: runHere(signal),
      cores: alone ? 1 : parallelism,
    });
    const mixer = createMixer(frames, format.channels, dryShare, (block) => {
      emit(block);
      done += block.frames;
      onProgress(Math.min(1, done / Math.max(1, frames)));
    });
    let done = 0;
    const homeward: Emit = (block) => {
      const converted = back.convert(block);
      if (converted) mixer.wet(converted);
    };
    for (let block = source.next(); block; block = source.next()) {
      mixer.dry(block);
      const converted = there.convert(block);
      if (converted) await denoiser.process(converted, homeward);
      await turn();
      throwIfAborted(signal);
    }
    const rest = there.flush();
    if (rest) await denoiser.process(rest, homeward);
    await denoiser.flush(homeward);
    const last = back.flush();
    if (last) mixer.wet(last);
    mixer.finish();
  } finally {
    back.close();
    there.close();
    source.close();
  }
}
