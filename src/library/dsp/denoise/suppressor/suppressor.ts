import type { FanOut } from '../../../core/fan-out.ts';

export const suppressorRate = 48_000;

/** The planes are the receiver's until it returns. */
export type EmitPlanes = (planes: readonly Float32Array[], frames: number) => void;

/**
 * Takes noise away from one or two channels at 48 kHz. Two channels are treated as one voice in a room: both get the
 * same filter, found on their mean, so that the stereo image stays. What comes out is in step with what went in and as
 * long. Results do not depend on how the input is cut.
 */
export interface Suppressor {
  /** Takes a copy of the planes before it waits for anything. */
  push(planes: readonly Float32Array[], frames: number, emit: EmitPlanes): Promise<void>;
  flush(emit: EmitPlanes): Promise<void>;
}

export interface SuppressorOptions {
  readonly channels: 1 | 2;
  /** Which of the recording's they are. */
  readonly group: readonly number[];
  /** Runs pieces of work on other threads. */
  readonly runner: FanOut;
  /** Runs them in this one. */
  readonly here: FanOut;
  /** Cores to keep busy; 1: everything runs here, one piece after the other. */
  readonly cores: number;
  /** Suppressors that are at work on these cores, this one among them. */
  readonly siblings: number;
  /** Take away rumble below voices. Default true. */
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
