import { release } from './pieces.ts';

/** Frames freed at a time: 64 KiB a channel. */
const chunkFrames = 16_384;
/** Spare chunks for reuse. */
const mostSpare = 4;

/** The part of a stream of planes that is still needed, by absolute position; zeros outside the stream. */
export interface SampleWindow {
  /** Number of frames appended. */
  readonly end: number;
  append(planes: readonly Float32Array[], frames: number): void;
  /** A copy of frames [from, to) of one channel. Discarded frames must not be read. */
  read(channel: number, from: number, to: number): Float32Array<ArrayBuffer>;
  /** Discards frames before this. */
  discard(before: number): void;
}

/** Uses chunks: unneeded ones are freed at once, and growing copies nothing. */
export function createSampleWindow(channels: number): SampleWindow {
  type Chunk = readonly Float32Array<ArrayBuffer>[];
  const chunks: Chunk[] = [];
  const spare: Chunk[] = [];
  /** Number of the first chunk. */
  let first = 0;
  let needed = 0;
  let end = 0;

  const chunkFor = (frame: number): Chunk => {
    const place = Math.floor(frame / chunkFrames) - first;
    let chunk = chunks[place];
    if (!chunk)
      chunks[place] = chunk = spare.pop() ?? Array.from({ length: channels }, () => new Float32Array(chunkFrames));
    return chunk;
  };

  return {
    get end() {
      return end;
    },
    append(planes, frames) {
      for (let at = 0; at < frames;) {
        const from = (end + at) % chunkFrames;
        const count = Math.min(frames - at, chunkFrames - from);
        for (const [channel, plane] of chunkFor(end + at).entries())
          plane.set((planes[channel] as Float32Array).subarray(at, at + count), from);
        at += count;
      }
      end += frames;
    },
    read(channel, from, to) {
      if (Math.max(0, from) < needed && Math.min(to, end) > Math.max(0, from))
        throw new RangeError(`Expected frames from ${needed} on but asked for ${from}`);
      const out = new Float32Array(Math.max(0, to - from));
      const last = Math.min(to, end);
      for (let at = Math.max(from, 0); at < last;) {
        const start = at % chunkFrames;
        const count = Math.min(last - at, chunkFrames - start);
        const chunk = chunks[Math.floor(at / chunkFrames) - first] as Chunk;
        out.set((chunk[channel] as Float32Array).subarray(start, start + count), at - from);
        at += count;
      }
      return out;
    },
    discard(before) {
      needed = Math.min(end, Math.max(needed, before));
      while ((first + 1) * chunkFrames <= needed) {
        const chunk = chunks.shift();
        first += 1;
        if (!chunk) continue;
        if (spare.length < mostSpare) spare.push(chunk);
        else release(...chunk);
      }
    },
  };
}
