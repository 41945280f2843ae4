import type { FanOut } from '../../../core/machine/fan-out.ts';

export const suppressorRate = 48_000;

/** The planes are valid until the receiver returns. */
export type EmitPlanes = (planes: readonly Float32Array[], frames: number) => void;

/**
 * Removes noise from one or two channels at 48 kHz. Two channels are treated as one voice in a room: both get the same
 * filter, computed from their mean, so that the stereo image is kept. The output is in step with the input and equally
 * long. Results do not depend on the division of the input.
 */
export interface Suppressor {
  /** Copies the planes before it waits for anything. */
  push(planes: readonly Float32Array[], frames: number, emit: EmitPlanes): Promise<void>;
  flush(emit: EmitPlanes): Promise<void>;
}

export interface SuppressorOptions {
  readonly channels: 1 | 2;
  /** The recording's channels in this group. */
  readonly group: readonly number[];
  /** Runs tasks on other threads. */
  readonly runner: FanOut;
  /** Runs tasks in this thread. */
  readonly here: FanOut;
  /** Cores to use; 1: everything runs here, one task after the other. */
  readonly cores: number;
  /** Number of suppressors on these cores, including this one. */
  readonly siblings: number;
  /** Removes rumble below voices. Default true. */
  readonly highPass?: boolean;
}

export type SuppressorFactory = (options: SuppressorOptions) => Suppressor;

/** Drops the first frames of a stream. */
export function trimmed(drop: number, emit: EmitPlanes): EmitPlanes {
  let left = drop;
  return (planes, frames) => {
    const cut = Math.min(left, frames);
    left -= cut;
    if (cut === 0) emit(planes, frames);
    else if (cut < frames)
      emit(
        planes.map((plane) => plane.subarray(cut, frames)),
        frames - cut,
      );
  };
}
