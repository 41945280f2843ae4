import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { throwIfAborted } from '../../core/abort.ts';
import { createSampleWindow } from '../../dsp/denoise/suppressor/sample-window.ts';
import { type Restorer, restorerRate } from '../../dsp/voice/restorer.ts';
import { voiceRate } from '../../dsp/voice/spectral-stage.ts';
import type { RestoredVoice } from '../../dsp/voice/splice-highs.ts';
import type { PassOptions } from '../../media/read/drive.ts';
import { createFormatConverter } from '../../media/ffmpeg/resample.ts';
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { createSpool, type Spool } from '../../pcm/spool.ts';

/** A piece is this long, seconds; the last one up to `overlapSeconds` longer, so that it is never shorter than that. */
const pieceSeconds = 8;
/** Pieces overlap by this and are faded into each other. */
const overlapSeconds = 1;
const ratio = voiceRate / restorerRate;
const formatOf = (sampleRate: number): AudioFormat => ({ sampleRate, channels: 1, layout: 'mono' });

export interface RestoreOptions extends PassOptions {
  readonly restorer: Restorer;
  readonly workDir: string;
}

/**
 * Fades pieces that overlap into each other and writes them down. Both are made of the same voice, so amplitudes add,
 * not powers.
 */
function createJoiner(spool: Spool): (piece: Float32Array, overlap: number, last: boolean) => void {
  const fade = overlapSeconds * voiceRate;
  let held = new Float32Array();
  return (piece, overlap, last) => {
    for (let i = 0; i < overlap; i += 1) {
      const share = (i + 0.5) / overlap;
      piece[i] = (piece[i] as number) * share + (held[i] ?? 0) * (1 - share);
    }
    const until = last ? piece.length : piece.length - fade;
    for (let at = 0; at < until; at += voiceRate) {
      const to = Math.min(until, at + voiceRate);
      spool.write({ planes: [piece.subarray(at, to)], frames: to - at });
    }
    held = piece.slice(until);
  };
}

/**
 * One voice (the mean of its channels in the cleaned recording) through the network, piece by piece, onto disk. The
 * caller removes the spool.
 * @param group channels of the voice
 * @param frames of the recording at 48 kHz
 */
export async function restoreVoice(
  clean: Spool,
  group: readonly number[],
  index: number,
  { restorer, workDir, signal, onProgress }: RestoreOptions,
): Promise<Spool> {
  const source = clean.read();
  const { expectedFrames } = source;
  const spool = createSpool(join(workDir, `restored-${index}.f32`), formatOf(voiceRate));
  const down = createFormatConverter(formatOf(voiceRate), formatOf(restorerRate));
  const heard = createSampleWindow(1);
  const writeOn = createJoiner(spool);
  const [piece, overlap] = [pieceSeconds * restorerRate, overlapSeconds * restorerRate];
  let start = 0;

  const restore = async (end: number, last: boolean): Promise<void> => {
    // Nothing shorter than the least that a network has to take.
    const voice = heard.read(0, start, Math.max(end, start + overlap));
    const restored = await restorer.restore(voice);
    throwIfAborted(signal);
    writeOn(restored.slice(0, (end - start) * ratio), start === 0 ? 0 : overlapSeconds * voiceRate, last);
    start = end - overlap;
    heard.discard(Math.max(0, start));
    onProgress(Math.min(1, (end * ratio) / Math.max(1, expectedFrames)));
  };
  const take = (block: AudioBlock | null): void => {
    if (block) heard.append([block.planes[0] as Float32Array], block.frames);
  };
  try {
    for (let block = source.next(); block; block = source.next()) {
      const { planes, frames } = block;
      const mean = new Float32Array(frames);
      for (const channel of group)
        for (let i = 0; i < frames; i += 1)
          mean[i] = (mean[i] as number) + ((planes[channel] as Float32Array)[i] as number) / group.length;
      take(down.convert({ planes: [mean], frames }));
      // The last piece takes what is left, so one is begun only when more than an overlap lies behind its end.
      while (heard.end > start + piece + overlap) await restore(start + piece, false);
      await turn();
      throwIfAborted(signal);
    }
    take(down.flush());
    await restore(Math.max(heard.end, start + 1), true);
    return spool;
  } catch (error) {
    spool.remove();
    throw error;
  } finally {
    down.close();
    source.close();
  }
}

/** Reads what `restoreVoice` wrote, any number of samples at a time; silence behind its end. */
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
