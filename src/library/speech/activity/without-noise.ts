// A copy of a recording without its noise, in which the network for voices finds hoarse and faint ones.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { throwIfAborted } from '../../core/abort.ts';
import type { FanOut } from '../../core/machine/fan-out.ts';
import { createRnnoiseSuppressor } from '../../dsp/denoise/rnnoise/suppressor.ts';
import { runHere } from '../../dsp/denoise/suppressor/pieces.ts';
import { suppressorRate } from '../../dsp/denoise/suppressor/suppressor.ts';
import { createFormatConverter } from '../../media/convert/format-converter.ts';
import type { AudioBlock } from '../../pcm/block.ts';
import { openSpeech, speechRate, type SpeechSound } from '../speech-sound.ts';

const framesRead = 10 * speechRate;
/** RNNoise and a segment of 48 s. */
const threadBytes = 60e6;

/**
 * The file is beside the recording's, and goes when the copy is closed. RNNoise needs no weights of its own; the copy
 * is only for finding voices: what is said is read off the recording, of which a suppressor takes parts of words away.
 * @throws AbortError
 */
export async function withoutNoise(
  sound: SpeechSound,
  { fanOut, signal }: { readonly fanOut: FanOut; readonly signal: AbortSignal },
): Promise<SpeechSound> {
  const path = `${sound.path}.voices`;
  const file = openSync(path, 'wx');
  const remove = (): void => rmSync(path, { force: true });
  const mono = { channels: 1, layout: 'mono' } as const;
  const up = createFormatConverter({ sampleRate: speechRate, ...mono }, { sampleRate: suppressorRate, channels: 1 });
  const down = createFormatConverter({ sampleRate: suppressorRate, ...mono }, { sampleRate: speechRate, channels: 1 });
  try {
    const suppressor = createRnnoiseSuppressor({
      channels: 1,
      group: [0],
      runner: fanOut,
      here: runHere(signal),
      cores: fanOut.lanes(threadBytes),
      siblings: 1,
    });
    const write = (block: AudioBlock | null): void => {
      const plane = block?.planes[0]?.subarray(0, block.frames);
      if (plane === undefined) return;
      const bytes = new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength);
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at);
    };
    const emit = (planes: readonly Float32Array[], frames: number): void => write(down.convert({ planes, frames }));
    for (let from = 0; from < sound.frames; from += framesRead) {
      throwIfAborted(signal);
      const samples = sound.read(from, Math.min(framesRead, sound.frames - from));
      const block = up.convert({ planes: [samples], frames: samples.length });
      if (block) await suppressor.push(block.planes, block.frames, emit);
    }
    const rest = up.flush();
    if (rest) await suppressor.push(rest.planes, rest.frames, emit);
    await suppressor.flush(emit);
    write(down.flush());
  } catch (thrown) {
    remove();
    throw thrown;
  } finally {
    closeSync(file);
    up.close();
    down.close();
  }
  const copy = openSpeech(path);
  return {
    ...copy,
    close() {
      copy.close();
      remove();
    },
  };
}
