import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { createSampleWindow } from '../../dsp/denoise/suppressor/sample-window.ts';
import { openGroups } from '../../dsp/voice/channels.ts';
import { voiceStages } from '../../dsp/voice/chain.ts';
import { suppressionShare, type VoicePresence } from '../../dsp/voice/presence.ts';
import { voiceRate } from '../../dsp/voice/spectral-stage.ts';
import { openAudio } from '../../media/read/decode.ts';
import type { PassOptions } from '../../media/read/drive.ts';
import { createFormatConverter } from '../../media/ffmpeg/resample.ts';
import type { AudioBlock } from '../../pcm/block.ts';
import type { Spool } from '../../pcm/spool.ts';
import type { Emit } from '../../pcm/stage.ts';
import type { Prepared, Recording } from './prepare.ts';
import { readRestored } from './restore.ts';

export interface EnhanceOptions extends PassOptions {
  /** Share of the regenerated voice, 0 to 1. */
  readonly share: number;
  /** Of the output, Hz. */
  readonly sampleRate: number;
  /** Copies of voices, by group, whose highs a network has restored; null: made here. */
  readonly restored: readonly (Spool | null)[];
}

/**
 * Mixes two blocks of the same moment: `wet` gets its share, which follows where the recording has a voice; written
 * into `wet`.
 */
export function mixBlocks(
  wet: readonly Float32Array[],
  dry: readonly Float32Array[],
  fromFrame: number,
  frames: number,
  share: number,
  presence: VoicePresence,
): void {
  const hopFrames = presence.hopSeconds * voiceRate;
  const { length } = presence.share;
  const at = (hop: number): number => presence.share[Math.min(length - 1, Math.max(0, hop))] ?? 1;
  for (const [channel, plane] of wet.entries()) {
    const original = dry[channel] as Float32Array;
    let hop = -2;
    let [left, right] = [1, 1];
    for (let i = 0; i < frames; i += 1) {
      // Shares stand in the middle of their hops.
      const place = (fromFrame + i) / hopFrames - 0.5;
      const here = Math.floor(place);
      if (here !== hop) {
        hop = here;
        [left, right] = [at(hop), at(hop + 1)];
      }
      const weight = left === right ? share * left : share * (left + (right - left) * (place - here));
      if (weight !== 1) plane[i] = (plane[i] as number) * weight + (original[i] as number) * (1 - weight);
    }
  }
}

/**
 * Second pass: what noise suppression left goes through the voice's stages, is mixed with the original at 48 kHz, to
 * the sample in step with it, and brought to the output's rate. Emits exactly the input's length.
 */
export async function enhance(
  recording: Recording,
  { clean, plans, presence }: Prepared,
  emit: Emit,
  options: EnhanceOptions,
): Promise<void> {
  const { share, sampleRate, restored, signal, onProgress } = options;
  const { channels } = recording.format;
  const frames = Math.round((recording.frames * sampleRate) / recording.format.sampleRate);
  const denoised = suppressionShare(presence.snrDb);
  const original = openAudio(recording.path, { rate: voiceRate });
  const source = clean.read();
  const stages = openGroups(recording.groups.groups, channels, (group) => {
    const [plan, copy] = [plans[group], restored[group]];
    return plan ? voiceStages(plan, copy ? () => readRestored(copy) : null) : [];
  });
  const back = createFormatConverter({ ...recording.format, sampleRate: voiceRate }, { sampleRate, channels });
  const dry = createSampleWindow(channels);
  let [read, mixed, written] = [0, 0, 0];

  const write = (block: AudioBlock | null): void => {
    // Going to another rate and back may add or lose a frame at the end.
    const count = Math.min(block?.frames ?? 0, frames - written);
    if (!block || count <= 0) return;
    written += count;
    emit({ planes: block.planes.map((plane) => plane.subarray(0, count)), frames: count });
    onProgress(Math.min(1, written / Math.max(1, frames)));
  };
  const mix: Emit = ({ planes, frames: count }) => {
    const originals = planes.map((_, channel) => dry.read(channel, mixed, mixed + count));
    mixBlocks(planes, originals, mixed, count, share, presence);
    mixed += count;
    dry.discard(mixed);
    write(back.convert({ planes, frames: count }));
  };
  try {
    for (let block = source.next(); block; block = source.next()) {
      while (dry.end < read + block.frames) {
        const more = original.next();
        if (!more) break;
        dry.append(more.planes, more.frames);
      }
      if (denoised < 1) {
        for (const [channel, plane] of block.planes.entries()) {
          const noisy = dry.read(channel, read, read + block.frames);
          for (let i = 0; i < block.frames; i += 1)
            plane[i] = denoised * (plane[i] as number) + (1 - denoised) * (noisy[i] as number);
        }
      }
      read += block.frames;
      stages.process(block, mix);
      await turn();
      throwIfAborted(signal);
    }
    stages.flush(mix);
    write(back.flush());
    const missing = frames - written;
    if (missing > 0)
      write({ planes: Array.from({ length: channels }, () => new Float32Array(missing)), frames: missing });
  } finally {
    back.close();
    stages.close();
    source.close();
    original.close();
  }
}
