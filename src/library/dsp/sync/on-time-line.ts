// A recording as it sounds on the time of another: moved, its clock corrected, with silence where it has none.
import type { AudioBlock, AudioFormat } from '../../pcm/block.ts';
import { resample, resampleReach } from '../../kernels/resample.ts';
import { lagAt } from './clock-lines.ts';
import type { PlacedPiece } from './place-recordings.ts';

/** What the correction reads. */
interface Source {
  readonly format: AudioFormat;
  next(): AudioBlock | null;
}

const fadeSeconds = 0.005;
/** Pieces this near go on, seconds. */
const seamSeconds = 0.0005;

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

/** Is the next piece only another rate of the clock? */
function goesOn(piece: PlacedPiece | undefined, next: PlacedPiece | undefined): boolean {
  if (piece === undefined || next === undefined) return false;
  const seconds = next.startSeconds;
  return (
    Math.abs(seconds - piece.endSeconds) < seamSeconds &&
    Math.abs(lagAt(piece.line, seconds) - lagAt(next.line, seconds)) < seamSeconds
  );
}

/** The spans of pieces in an output that begins at `startSeconds` of the reference. */
function spansOf(pieces: readonly PlacedPiece[], rate: number, startSeconds: number, frames: number): Span[] {
  const spans = pieces.map(({ startSeconds: start, endSeconds: end, line }, index) => {
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
      fadesIn: index > 0 && !goesOn(pieces[index - 1], pieces[index]),
      fadesOut: index < pieces.length - 1 && !goesOn(pieces[index], pieces[index + 1]),
    };
  });
  // Where a piece goes on, no frame between is left out or made twice.
  return spans.map((span, index) => {
    const before = spans[index - 1];
    return before !== undefined && goesOn(pieces[index - 1], pieces[index])
      ? { ...span, firstFrame: before.endFrame }
      : span;
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
  let around = new Float32Array(2 * sampleRate);
  const fadeFrames = Math.round(fadeSeconds * sampleRate);
  let done = 0;

  const copy = (at: number, count: number, to: number): void => {
    held.want(at, at + count);
    const [from, end] = [Math.max(at, held.from), Math.min(at + count, held.from + held.count)];
    if (end <= from) return;
    for (const [channel, plane] of out.entries())
      plane.set((held.planes[channel] as Float32Array).subarray(from - held.from, end - held.from), to + from - at);
  };
  const correct = (span: Span, first: number, count: number, to: number): void => {
    const start = span.origin + first * span.step;
    const from = Math.floor(start) - resampleReach.before;
    const length = Math.floor(start + (count - 1) * span.step) + resampleReach.after + 1 - from;
    held.want(from, from + length);
    if (length > around.length) around = new Float32Array(length + sampleRate);
    const [have, end] = [Math.max(from, held.from), Math.min(from + length, held.from + held.count)];
    if (end <= have) return;
    for (const [channel, plane] of out.entries()) {
      // Silence before the recording and after it.
      around.fill(0);
      around.set((held.planes[channel] as Float32Array).subarray(have - held.from, end - held.from), have - from);
      resample(around, { start: start - from, step: span.step, out: plane.subarray(to), count });
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
        else correct(span, first, end - first, first - done);
        if (span.fadesIn || span.fadesOut) fade(span, first, end - first, first - done);
      }
      done += frames;
      return { planes: out.map((plane) => plane.subarray(0, frames)), frames };
    },
  };
}
