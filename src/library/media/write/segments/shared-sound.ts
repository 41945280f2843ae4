/** Planar floats that all threads see. */
export interface SharedSound {
  readonly memory: SharedArrayBuffer;
  readonly channels: number;
  /** Frames of each channel. */
  readonly capacity: number;
}

export const bytesOf = (channels: number, frames: number): number => channels * frames * Float32Array.BYTES_PER_ELEMENT;

export const makeSharedSound = (channels: number, capacity: number): SharedSound => ({
  memory: new SharedArrayBuffer(bytesOf(channels, capacity)),
  channels,
  capacity,
});

export const planesOf = ({ memory, channels, capacity }: SharedSound): Float32Array[] =>
  Array.from({ length: channels }, (_, channel) => new Float32Array(memory, bytesOf(channel, capacity), capacity));

/** Reads stretches as copies, since FFmpeg takes no shared memory. They are valid until the next call. */
export function soundReader(sound: SharedSound): (at: number, frames: number) => Float32Array[] {
  const planes = planesOf(sound);
  let copies = planes.map(() => new Float32Array(0));
  return (at, frames) => {
    if ((copies[0]?.length ?? 0) < frames) copies = planes.map(() => new Float32Array(frames));
    return planes.map((plane, channel) => {
      const copy = (copies[channel] as Float32Array).subarray(0, frames);
      copy.set(plane.subarray(at, at + frames));
      return copy;
    });
  };
}
