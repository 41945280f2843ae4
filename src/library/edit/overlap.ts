import { crossfade } from '../kernels/ops.ts';
import type { AudioBlock } from '../pcm/block.ts';
import type { Emit } from '../pcm/stage.ts';
import { likeness, likenessGain } from './likeness.ts';

/**
 * Crossfades into `incoming` with constant power, however alike both are: equal power for sounds that have nothing in
 * common, equal gain for one and the same, which would be 3 dB louder in the middle, and what lies between by their
 * correlation.
 */
function fadeInto(outgoing: readonly Float32Array[], incoming: readonly Float32Array[], frames: number): void {
  const alike = likeness(outgoing, incoming, frames);
  crossfade(outgoing, incoming, incoming, 'equal-power');
  if (alike === 0) return;
  for (const plane of incoming)
    for (let frame = 0; frame < frames; frame += 1) plane[frame]! *= likenessGain(alike, frame, frames);
}

/**
 * Joins recordings end to end, each overlapping the next by a crossfade of constant power. Blocks come in order; the
 * last `overlapFrames` of each recording are held back until the next one has as many.
 */
export interface Joiner {
  write(block: AudioBlock): void;
  /** Ends the current recording; the next one overlaps it by the given frames (0: a hard join). */
  next(): void;
  /** No more blocks follow. */
  finish(): void;
}

/**
 * @param overlaps frames of overlap at each join, in order; none longer than either neighbour (of a recording in the
 *   middle, both its overlaps together must fit in it)
 */
export function createJoiner(channels: number, overlaps: readonly number[], emit: Emit): Joiner {
  const makePlanes = (frames: number): Float32Array[] =>
    Array.from({ length: channels }, () => new Float32Array(frames));
  let join = 0;
  /** End of the current recording, held back for the crossfade with the next. */
  let tail = makePlanes(overlaps[0] ?? 0);
  let held = 0;
  /** End of the previous recording, and what has come of the next one. */
  let outgoing: Float32Array[] | null = null;
  let incoming: Float32Array[] = [];
  let come = 0;

  const part = (planes: readonly Float32Array[], from: number, to: number): Float32Array[] =>
    planes.map((plane) => plane.subarray(from, to));

  /** Passes frames through the hold-back buffer and emits those pushed out. */
  const pass = (planes: readonly Float32Array[], frames: number): void => {
    const room = tail[0]?.length ?? 0;
    const out = Math.max(0, held + frames - room);
    const fromHeld = Math.min(held, out);
    if (fromHeld > 0) emit({ planes: part(tail, 0, fromHeld).map((plane) => plane.slice()), frames: fromHeld });
    const direct = out - fromHeld;
    if (direct > 0) emit({ planes: part(planes, 0, direct), frames: direct });
    const kept = held - fromHeld;
    for (const [channel, plane] of tail.entries()) {
      plane.copyWithin(0, fromHeld, held);
      plane.set((planes[channel] as Float32Array).subarray(direct, frames), kept);
    }
    held = kept + frames - direct;
  };

  const fade = (): void => {
    if (outgoing === null) return;
    const faded = part(incoming, 0, come);
    fadeInto(part(outgoing, 0, come), faded, come);
    outgoing = null;
    if (come > 0) pass(faded, come);
  };

  const write = (block: AudioBlock): void => {
    let from = 0;
    if (outgoing) {
      const total = outgoing[0]?.length ?? 0;
      from = Math.min(block.frames, total - come);
      for (const [channel, plane] of incoming.entries())
        plane.set((block.planes[channel] as Float32Array).subarray(0, from), come);
      come += from;
      if (come === total) fade();
    }
    if (from < block.frames) pass(part(block.planes, from, block.frames), block.frames - from);
  };

  return {
    write,
    next() {
      fade();
      outgoing = held > 0 ? part(tail, 0, held) : null;
      incoming = makePlanes(held);
      come = 0;
      held = 0;
      join += 1;
      tail = makePlanes(overlaps[join] ?? 0);
    },
    finish() {
      fade();
      if (held > 0) emit({ planes: part(tail, 0, held), frames: held });
      held = 0;
    },
  };
}
