import { join } from 'node:path';
import { throwIfAborted } from '../../core/abort.ts';
import { createSampleWindow } from '../../dsp/denoise/suppressor/sample-window.ts';
import { type Restorer, restorerRate } from '../../dsp/voice/restorer.ts';
import { voiceRate } from '../../dsp/voice/spectral-stage.ts';
import type { RestoredVoice } from '../../dsp/voice/splice-highs.ts';
import { drive, type PassOptions } from '../../media/read/drive.ts';
import { resampleTo } from '../../media/convert/format-converter.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import { createSpool, type Spool } from '../../pcm/spool.ts';
import type { AsyncStage, Emit, Stage } from '../../pcm/stage.ts';

/** Length of a piece, seconds; the last one is up to `overlapSeconds` longer, and never shorter than that. */
const pieceSeconds = 8;
/** Overlap of pieces, crossfaded. */
const overlapSeconds = 1;
const ratio = voiceRate / restorerRate;
const formatOf = (sampleRate: number): AudioFormat => ({ sampleRate, channels: 1, layout: 'mono' });

export interface RestoreOptions extends PassOptions {
  readonly restorer: Restorer;
  readonly workDir: string;
}

/** Crossfades overlapping pieces and emits them. Both contain the same voice, so amplitudes add, not powers. */
function createJoiner(): (piece: Float32Array, overlap: number, last: boolean, emit: Emit) => void {
  const fade = overlapSeconds * voiceRate;
  let held = new Float32Array();
  return (piece, overlap, last, emit) => {
    for (let i = 0; i < overlap; i += 1) {
      const share = (i + 0.5) / overlap;
      piece[i] = (piece[i] as number) * share + (held[i] ?? 0) * (1 - share);
    }
    const until = last ? piece.length : piece.length - fade;
    for (let at = 0; at < until; at += voiceRate) {
      const to = Math.min(until, at + voiceRate);
      emit({ planes: [piece.subarray(at, to)], frames: to - at });
    }
    held = piece.slice(until);
  };
}

/** The mean of some channels. */
function meanOf(group: readonly number[]): Stage {
  return {
    latencyFrames: 0,
    open: ({ sampleRate }) => formatOf(sampleRate),
    process({ planes, frames }, emit) {
      const mean = new Float32Array(frames);
      for (const channel of group)
        for (let i = 0; i < frames; i += 1)
          mean[i] = (mean[i] as number) + ((planes[channel] as Float32Array)[i] as number) / group.length;
      emit({ planes: [mean], frames });
    },
    flush: () => undefined,
    close: () => undefined,
  };
}

/** Runs a voice at the network's rate through the network, piece by piece; the output is at 48 kHz. */
function restoring(restorer: Restorer, signal: AbortSignal): AsyncStage {
  const heard = createSampleWindow(1);
  const joinOn = createJoiner();
  const [piece, overlap] = [pieceSeconds * restorerRate, overlapSeconds * restorerRate];
  let start = 0;
  const restore = async (end: number, last: boolean, emit: Emit): Promise<void> => {
    // Never shorter than what every network must accept.
    const voice = heard.read(0, start, Math.max(end, start + overlap));
    const restored = await restorer.restore(voice);
    throwIfAborted(signal);
    joinOn(restored.slice(0, (end - start) * ratio), start === 0 ? 0 : overlapSeconds * voiceRate, last, emit);
    start = end - overlap;
    heard.discard(Math.max(0, start));
  };
  return {
    asynchronous: true,
    latencyFrames: 0,
    open: () => formatOf(voiceRate),
    async process({ planes, frames }, emit) {
      heard.append(planes, frames);
      // The last piece takes the rest, so a piece is started only when more than an overlap follows it.
      while (heard.end > start + piece + overlap) await restore(start + piece, false, emit);
    },
    flush: (emit) => restore(Math.max(heard.end, start + 1), true, emit),
    close: () => undefined,
  };
}

/**
 * Runs one voice (the mean of its channels in the cleaned recording) through the network, piece by piece, onto disk.
 * The caller removes the spool.
 * @param group channels of the voice
 */
export async function restoreVoice(
  clean: Spool,
  group: readonly number[],
  index: number,
  { restorer, workDir, signal, onProgress }: RestoreOptions,
): Promise<Spool> {
  const source = clean.read();
  try {
    const spool = createSpool(join(workDir, `restored-${index}.f32`), formatOf(voiceRate));
    try {
      const stages = [meanOf(group), resampleTo(restorerRate), restoring(restorer, signal)];
      await drive(source, stages, spool.write, { signal, onProgress });
      return spool;
    } catch (error) {
      spool.remove();
      throw error;
    }
  } finally {
    source.close();
  }
}

/** Reads the output of `restoreVoice`, any number of samples at a time; silence after its end. */
export function readRestored(spool: Spool): RestoredVoice {
  const source = spool.read();
  const window = createSampleWindow(1);
  let at = 0;
  return {
    read(frames) {
      while (window.end < at + frames) {
        const block = source.next();
        if (!block) break;
        window.append(block.planes, block.frames);
      }
      const out = window.read(0, at, at + frames);
      at += frames;
      window.discard(at);
      return out;
    },
    close: () => source.close(),
  };
}
