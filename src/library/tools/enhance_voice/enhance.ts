import { createSampleWindow, type SampleWindow } from '../../dsp/denoise/suppressor/sample-window.ts';
import { throughGroups } from '../../dsp/voice/channels.ts';
import { voiceStages } from '../../dsp/voice/chain.ts';
import { suppressionShares, type VoicePresence } from '../../dsp/voice/presence.ts';
import { voiceRate } from '../../dsp/voice/spectral-stage.ts';
import { resampleTo } from '../../media/convert/format-converter.ts';
import { drive, type PassOptions } from '../../media/read/drive.ts';
import { exactLength } from '../../pcm/exact-length.ts';
import type { Spool } from '../../pcm/spool.ts';
import type { Emit, Stage } from '../../pcm/stage.ts';
import type { Prepared, Recording } from './prepare.ts';
import { readRestored } from './restore.ts';

export interface EnhanceOptions extends PassOptions {
  /** Share of the regenerated voice, 0 to 1. */
  readonly share: number;
  /** Of the output, Hz. */
  readonly sampleRate: number;
  /** By group: the voice with highs restored by a network; null: restored here. */
  readonly restored: readonly (Spool | null)[];
}

/**
 * Mixes two blocks of the same moment into `wet`: `wet` gets its share, which follows the voice's presence in the
 * recording.
 */
function mixBlocks(
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
      // A share applies at the middle of its hop.
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

/** The original recording at 48 kHz, in step with the processed one. */
interface Beside {
  readonly dry: SampleWindow;
  /** Reads the original up to this frame. */
  readTo(frame: number): void;
}

/**
 * Reduces noise suppression where a recording hardly needs it, or where music plays behind the voice.
 * @param shares per second; interpolated linearly between the middles of seconds
 */
function soften({ dry, readTo }: Beside, shares: Float32Array): Stage {
  let read = 0;
  const at = (second: number): number => shares[Math.min(shares.length - 1, Math.max(0, second))] ?? 1;
  return {
    latencyFrames: 0,
    open: (format) => format,
    process(block, emit) {
      readTo(read + block.frames);
      const noisy = block.planes.map((_, channel) => dry.read(channel, read, read + block.frames));
      for (let start = 0; start < block.frames;) {
        const second = Math.floor((read + start) / voiceRate - 0.5);
        const end = Math.min(block.frames, (second + 1.5) * voiceRate - read);
        const [left, right] = [at(second), at(second + 1)];
        if (left < 1 || right < 1) {
          for (const [channel, plane] of block.planes.entries()) {
            const original = noisy[channel] as Float32Array;
            for (let i = start; i < end; i += 1) {
              const share = left + (right - left) * ((read + i) / voiceRate - 0.5 - second);
              plane[i] = share * (plane[i] as number) + (1 - share) * (original[i] as number);
            }
          }
        }
        start = end;
      }
      read += block.frames;
      emit(block);
    },
    flush: () => undefined,
    close: () => undefined,
  };
}

/** Mixes with the original, whose earlier blocks are no longer needed. */
function mixWithOriginal({ dry }: Beside, share: number, presence: VoicePresence): Stage {
  let mixed = 0;
  return {
    latencyFrames: 0,
    open: (format) => format,
    process({ planes, frames }, emit) {
      const originals = planes.map((_, channel) => dry.read(channel, mixed, mixed + frames));
      mixBlocks(planes, originals, mixed, frames, share, presence);
      mixed += frames;
      dry.discard(mixed);
      emit({ planes, frames });
    },
    flush: () => undefined,
    close: () => undefined,
  };
}

/**
 * Second pass: the denoised recording goes through the voice's stages, is mixed with the original at 48 kHz, sample for
 * sample, and is converted to the output's rate. Emits exactly the input's length.
 * @param behind final stages of the result
 */
export async function enhance(
  recording: Recording,
  { clean, plans, presence }: Pick<Prepared, 'clean' | 'plans' | 'presence'>,
  behind: readonly Stage[],
  emit: Emit,
  options: EnhanceOptions,
): Promise<void> {
  const { share, sampleRate, restored, signal, onProgress } = options;
  const frames = Math.round((recording.frames * sampleRate) / recording.format.sampleRate);
  const original = recording.open();
  try {
    const dry = createSampleWindow(original.format.channels);
    const beside: Beside = {
      dry,
      readTo(frame) {
        while (dry.end < frame) {
          const more = original.next();
          if (!more) break;
          dry.append(more.planes, more.frames);
        }
      },
    };
    const voices = throughGroups(recording.groups.groups, (group) => {
      const [plan, copy] = [plans[group], restored[group]];
      return plan ? voiceStages(plan, copy ? () => readRestored(copy) : null) : [];
    });
    const source = clean.read();
    try {
      const stages = [
        soften(beside, suppressionShares(presence)),
        voices,
        mixWithOriginal(beside, share, presence),
        resampleTo(sampleRate),
        exactLength(frames),
      ];
      await drive(source, [...stages, ...behind], emit, { signal, onProgress });
    } finally {
      source.close();
    }
  } finally {
    original.close();
  }
}
