// A recording as it sounds on the time of another: moved, its clock corrected, with silence where it has none.
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import type { PlacedPiece } from './place-recordings.ts';

/** What the correction reads. */
interface Source {
  readonly format: AudioFormat;
  next(): AudioBlock | null;
}

const taps = 32;
const half = taps / 2;
const phases = 512;
const beta = 9;
const fadeSeconds = 0.005;

/** The modified Bessel function of order 0. */
function besselI0(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > 1e-12 * sum; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/** A windowed sinc for each phase, Kaiser's window: 32 taps. */
function sincTable(): Float32Array {
  const table = new Float32Array((phases + 2) * taps);
  for (let phase = 0; phase < phases + 2; phase += 1)
    for (let tap = 0; tap < taps; tap += 1) {
      const x = tap - half + 1 - phase / phases;
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
      table[phase * taps + tap] =
        (sinc * besselI0(beta * Math.sqrt(Math.max(0, 1 - (x / half) ** 2)))) / besselI0(beta);
    }
  return table;
}

/** The samples of a source around a place, as far as they are read. */
class Held {
  private readonly source: Source;
  readonly planes: Float32Array[];
  /** Frame of the source that is the first of `planes`. */
  from = 0;
  count = 0;
  private ended = false;

  constructor(source: Source) {
    this.source = source;
    this.planes = Array.from({ length: source.format.channels }, () => new Float32Array(4 * source.format.sampleRate));
  }

  /** Reads on until frame `to` is there or the source has ended, and forgets what is before `from`. */
  want(from: number, to: number): void {
    while (this.from + this.count < to && !this.ended) {
      const block = this.source.next();
      if (block === null) {
        this.ended = true;
        break;
      }
      this.forget(from);
      this.add(block);
    }
  }

  private forget(before: number): void {
    const gone = Math.min(this.count, Math.max(0, before - this.from));
    for (const plane of this.planes) plane.copyWithin(0, gone, this.count);
    this.from += gone;
    this.count -= gone;
  }

  private add({ planes, frames }: AudioBlock): void {
    for (const [channel, plane] of this.planes.entries()) {
      let room = plane;
      if (this.count + frames > plane.length) {
        room = new Float32Array(2 * (this.count + frames));
        room.set(plane.subarray(0, this.count));
        this.planes[channel] = room;
      }
      room.set((planes[channel] as Float32Array).subarray(0, frames), this.count);
    }
    this.count += frames;
  }
}

/** Where the output's frames of one piece are read, and how many there are. */
interface Span {
  readonly firstFrame: number;
  readonly endFrame: number;
  /** Place in the source of the output's frame 0, and from one frame to the next, frames. */
  readonly origin: number;
  readonly step: number;
  readonly fadesIn: boolean;
  readonly fadesOut: boolean;
}

/** The spans of pieces in an output that begins at `startSeconds` of the reference. */
function spansOf(pieces: readonly PlacedPiece[], rate: number, startSeconds: number, frames: number): Span[] {
  return pieces.map(({ startSeconds: start, endSeconds: end, line }, index) => {
    const step = 1 / (1 + line.slope);
    // Without drift the samples stay what they are: to the nearest whole one.
    const exact = (startSeconds - line.offsetSeconds) * step * rate;
    const origin = line.slope === 0 ? Math.round(exact) : exact;
    const frameOf = (seconds: number): number => Math.ceil((seconds * rate - origin) / step - 1e-6);
    return {
      firstFrame: Math.max(0, frameOf(start)),
      endFrame: Math.min(frames, frameOf(end)),
      origin,
      step,
      fadesIn: index > 0,
      fadesOut: index < pieces.length - 1,
    };
  });
}

/**
 * The source on the reference's time from `startSeconds` on, `seconds` long. A piece without drift is copied; others
 * are resampled by a sinc of 32 taps under Kaiser's window. Memory: a few seconds.
 */
export function onTimeLine(
  source: Source,
  pieces: readonly PlacedPiece[],
  { startSeconds, seconds }: { readonly startSeconds: number; readonly seconds: number },
): { readonly format: AudioFormat; readonly expectedFrames: number; next(): AudioBlock | null } {
  const { format } = source;
  const { sampleRate } = format;
  const expectedFrames = Math.round(seconds * sampleRate);
  const spans = spansOf(pieces, sampleRate, startSeconds, expectedFrames);
  const held = new Held(source);
  const out = Array.from({ length: format.channels }, () => new Float32Array(sampleRate));
  const weights = new Float32Array(taps);
  const table = sincTable();
  const fadeFrames = Math.round(fadeSeconds * sampleRate);
  let done = 0;

  const copy = (at: number, count: number, to: number): void => {
    held.want(at, at + count);
    const [from, end] = [Math.max(at, held.from), Math.min(at + count, held.from + held.count)];
    if (end <= from) return;
    for (const [channel, plane] of out.entries())
      plane.set((held.planes[channel] as Float32Array).subarray(from - held.from, end - held.from), to + from - at);
  };
  const resample = (span: Span, first: number, count: number, to: number): void => {
    const place = (frame: number): number => span.origin + frame * span.step;
    held.want(Math.floor(place(first)) - taps, Math.floor(place(first + count)) + taps);
    for (let index = 0; index < count; index += 1) {
      const at = place(first + index);
      const whole = Math.floor(at);
      const phase = (at - whole) * phases;
      const row = Math.floor(phase) * taps;
      const part = phase - Math.floor(phase);
      for (let tap = 0; tap < taps; tap += 1) {
        const value = table[row + tap] as number;
        weights[tap] = value + ((table[row + taps + tap] as number) - value) * part;
      }
      const from = whole - half + 1 - held.from;
      for (const [channel, plane] of out.entries()) {
        const samples = held.planes[channel] as Float32Array;
        let sum = 0;
        for (let tap = Math.max(0, -from); tap < taps && from + tap < held.count; tap += 1)
          sum += (weights[tap] as number) * (samples[from + tap] as number);
        plane[to + index] = sum;
      }
    }
  };
  const fade = ({ firstFrame, endFrame, fadesIn, fadesOut }: Span, first: number, count: number, to: number): void => {
    for (let index = 0; index < count; index += 1) {
      const [after, before] = [first + index - firstFrame, endFrame - 1 - first - index];
      const gain = Math.min(1, fadesIn ? (after + 1) / fadeFrames : 1, fadesOut ? (before + 1) / fadeFrames : 1);
      if (gain < 1) for (const plane of out) plane[to + index] = gain * (plane[to + index] as number);
    }
  };
  return {
    format,
    expectedFrames,
    next() {
      const frames = Math.min(sampleRate, expectedFrames - done);
      if (frames <= 0) return null;
      for (const plane of out) plane.fill(0);
      for (const span of spans) {
        const [first, end] = [Math.max(done, span.firstFrame), Math.min(done + frames, span.endFrame)];
        if (end <= first) continue;
        if (span.step === 1) copy(span.origin + first, end - first, first - done);
        else resample(span, first, end - first, first - done);
        if (span.fadesIn || span.fadesOut) fade(span, first, end - first, first - done);
      }
      done += frames;
      return { planes: out.map((plane) => plane.subarray(0, frames)), frames };
    },
  };
}
