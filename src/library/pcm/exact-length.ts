import type { Stage } from './stage.ts';

/**
 * Makes the length exact: conversion to another rate and back may add or lose a frame at the end. Drops or adds
 * silence.
 */
export function exactLength(frames: number): Stage {
  let channels = 0;
  let done = 0;
  return {
    latencyFrames: 0,
    open(format) {
      channels = format.channels;
      return format;
    },
    process({ planes, frames: got }, emit) {
      const count = Math.min(got, frames - done);
      if (count <= 0) return;
      done += count;
      emit({ planes: planes.map((plane) => plane.subarray(0, count)), frames: count });
    },
    flush(emit) {
      const missing = frames - done;
      if (missing <= 0) return;
      done = frames;
      emit({ planes: Array.from({ length: channels }, () => new Float32Array(missing)), frames: missing });
    },
    close: () => undefined,
  };
}
