// WAV files in the browser: their length by their head, and long ones measured in parts.
import { createMeter, type Measured } from './loudness.ts';
import { type Peaks, peaksOf } from './peaks.ts';

export interface WaveHead {
  readonly isFloat: boolean;
  readonly bits: number;
  readonly channels: number;
  readonly rate: number;
  /** Where the sound lies in the file. */
  readonly from: number;
  readonly to: number;
}

const text = (view: DataView, at: number): string =>
  String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4));

/** Heads with a large chunk of notes before the sound are longer than this. */
const headBytes = 65_536;

/** PCM, float, and the one that says which of them further on. */
const [pcm, float, extensible] = [1, 3, 0xff_fe];

/** null: it is no WAV, or its sound is compressed. */
export async function readWaveHead(file: Blob): Promise<WaveHead | null> {
  const view = new DataView(await file.slice(0, headBytes).arrayBuffer());
  if (view.byteLength < 44 || !['RIFF', 'RF64'].includes(text(view, 0)) || text(view, 8) !== 'WAVE') return null;
  let format: Omit<WaveHead, 'from' | 'to'> | null = null;
  for (let at = 12; at + 24 <= view.byteLength;) {
    const [name, size] = [text(view, at), view.getUint32(at + 4, true)];
    const from = at + 8;
    if (name === 'fmt ') {
      const said = view.getUint16(from, true);
      const codec = said === extensible && from + 26 <= view.byteLength ? view.getUint16(from + 24, true) : said;
      if (codec !== pcm && codec !== float) return null;
      format = {
        isFloat: codec === float,
        bits: view.getUint16(from + 14, true),
        channels: view.getUint16(from + 2, true),
        rate: view.getUint32(from + 4, true),
      };
    }
    // A size that was never filled in, or is in another place, ends with the file.
    if (name === 'data' && format !== null)
      return { ...format, from, to: size === 0 ? file.size : Math.min(from + size, file.size) };
    at = from + size + (size & 1);
  }
  return null;
}

const frameBytes = ({ bits, channels }: WaveHead): number => (bits / 8) * channels;

export const waveSeconds = (head: WaveHead): number => (head.to - head.from) / frameBytes(head) / head.rate;

/** One sample, full scale 1. */
function reader({ isFloat, bits }: WaveHead): ((view: DataView, at: number) => number) | null {
  if (isFloat) return bits === 32 ? (view, at) => view.getFloat32(at, true) : null;
  if (bits === 16) return (view, at) => view.getInt16(at, true) / 0x80_00;
  if (bits === 24) return (view, at) => (view.getInt16(at + 1, true) * 256 + view.getUint8(at)) / 0x80_00_00;
  return bits === 32 ? (view, at) => view.getInt32(at, true) / 0x80_00_00_00 : null;
}

/** Peaks and figures without holding the sound; null: it is no WAV of a usual kind, or has fewer frames than bins. */
export async function analyseWave(
  file: Blob,
  bins: number,
): Promise<{ readonly peaks: Peaks; readonly measured: Measured } | null> {
  const head = await readWaveHead(file);
  const read = head && reader(head);
  if (head === null || read === null || head.channels === 0) return null;
  const step = frameBytes(head);
  const frames = Math.floor((head.to - head.from) / step);
  if (frames < bins) return null;
  const meter = createMeter(head.channels, head.rate);
  const peaks = new Float32Array(2 * bins);
  // A bin at a time: two seconds of an hour's file.
  for (let bin = 0; bin < bins; bin++) {
    const [from, to] = [bin, bin + 1].map((edge) => head.from + Math.floor((edge * frames) / bins) * step);
    const view = new DataView(await file.slice(from, to).arrayBuffer());
    const count = view.byteLength / step;
    const channels = Array.from({ length: head.channels }, (_, channel) => {
      const samples = new Float32Array(count);
      const first = (channel * head.bits) / 8;
      for (let frame = 0; frame < count; frame++) samples[frame] = read(view, frame * step + first);
      return samples;
    });
    meter.push(channels);
    peaks.set(peaksOf(channels, 1), 2 * bin);
  }
  return { peaks, measured: meter.done() };
}
