/** The part of a stream of planes that is still needed, by absolute position. Outside the stream there are zeros. */
export interface SampleWindow {
  /** Frames that have been appended. */
  readonly end: number;
  append(planes: readonly Float32Array[], frames: number): void;
  /** A copy of frames [from, to) of one channel. What was discarded must not be asked for. */
  read(channel: number, from: number, to: number): Float32Array<ArrayBuffer>;
  /** Frames before this will not be asked for any more. */
  discard(before: number): void;
}

export function createSampleWindow(channels: number): SampleWindow {
  let held = Array.from({ length: channels }, () => new Float32Array(65_536));
  /** Position of the first element. */
  let base = 0;
  let needed = 0;
  let end = 0;

  const makeRoom = (frames: number): void => {
    const capacity = held[0]?.length ?? 0;
    if (end - base + frames <= capacity) return;
    const keep = end - needed;
    // Moved down where that frees a quarter of the room; else it grows.
    const size = keep + frames > 0.75 * capacity ? Math.ceil(1.5 * (keep + frames)) : capacity;
    held = held.map((old) => {
      const fresh = size === capacity ? old : new Float32Array(size);
      if (fresh === old) old.copyWithin(0, needed - base, end - base);
      else fresh.set(old.subarray(needed - base, end - base));
      return fresh;
    });
    base = needed;
  };

  return {
    get end() {
      return end;
    },
    append(planes, frames) {
      makeRoom(frames);
      for (const [channel, plane] of held.entries())
        plane.set((planes[channel] as Float32Array).subarray(0, frames), end - base);
      end += frames;
    },
    read(channel, from, to) {
      if (Math.max(0, from) < needed && Math.min(to, end) > Math.max(0, from))
        throw new RangeError(`Expected frames from ${needed} on but asked for ${from}`);
      const out = new Float32Array(Math.max(0, to - from));
      const [first, last] = [Math.max(from, 0), Math.min(to, end)];
      if (last > first) out.set((held[channel] as Float32Array).subarray(first - base, last - base), first - from);
      return out;
    },
    discard(before) {
      needed = Math.min(end, Math.max(needed, before));
    },
  };
}
