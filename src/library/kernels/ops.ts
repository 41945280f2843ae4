import { nativeKernels } from './load.ts';

type Planes = readonly Float32Array[];

/**
 * Stateless arithmetic on planes. `frames` defaults to the first plane's length; every plane must be at least that
 * long. All throw TypeError on planes that are too few or too short and on gains that are not finite or beyond 1e6.
 */

/** planes *= gain (linear), in place. */
export function applyGain(planes: Planes, gain: number, frames?: number): void {
  nativeKernels().applyGain(planes, gain, frames);
}

/** target += source * gain (linear). As many source planes as target planes. */
export function mixInto(target: Planes, source: Planes, gain: number, frames?: number): void {
  nativeKernels().mixInto(target, source, gain, frames);
}

export type FadeShape = 'equal-power' | 'linear';

export interface CrossfadeOptions {
  /** Frames of the fade that earlier calls have done. Default 0. */
  readonly position?: number;
  /** Frames of the whole fade. Default: position + the planes' length. */
  readonly total?: number;
}

/**
 * One stretch of a fade from `outgoing` to `incoming` into `out` (which may be either of them); the stretch is as long
 * as the first outgoing plane. Frame i lies at t = (position + i + 0.5) / total: gains are 1 - t and t ("linear"), or
 * cos(t pi/2) and sin(t pi/2) ("equal-power": constant power for sounds that have nothing in common).
 * @throws TypeError also when the stretch passes the end of the fade.
 */
export function crossfade(
  outgoing: Planes,
  incoming: Planes,
  out: Planes,
  shape: FadeShape,
  options: CrossfadeOptions = {},
): void {
  const frames = outgoing[0]?.length ?? 0;
  const { position = 0, total = position + frames } = options;
  if (shape !== 'equal-power' && shape !== 'linear')
    throw new TypeError(`Expected "equal-power" or "linear" for shape but received ${String(shape)}`);
  nativeKernels().crossfade(outgoing, incoming, out, shape === 'equal-power', position, total, frames);
}

/**
 * Least and greatest sample of every `tileFrames` samples, in turn; the last tile may be shorter. -Infinity and
 * Infinity of a tile with a sample that is not finite or beyond 2^32. `out` must hold two numbers of each tile.
 */
export function tileRanges(plane: Float32Array, tileFrames: number, out: Float32Array): void {
  nativeKernels().tileRanges(plane, tileFrames, out);
}

export interface Pcm16Options {
  /** TPDF noise of one step before rounding; digital silence stays silent. Default false: the nearest step. */
  readonly dithered?: boolean;
  /** Number of the first frame in its sound, which decides the noise. Default 0. */
  readonly firstFrame?: number;
  /** One channel behind the other, each as long as `frames`. Default false: interleaved. */
  readonly isPlanar?: boolean;
}

/**
 * Samples in 16 bits, clipped at full scale; what is not a number counts as 0. The noise of a sample is a function of
 * its channel and frame alone: parts are the same as the whole, on every machine. Digital silence: frames of which no
 * channel reaches -120 dBFS.
 * @param out `frames` numbers of each plane
 */
export function toPcm16(
  planes: Planes,
  frames: number,
  out: Int16Array,
  { dithered = false, firstFrame = 0, isPlanar = false }: Pcm16Options = {},
): void {
  nativeKernels().toPcm16(planes, frames, dithered, firstFrame, isPlanar, out);
}
