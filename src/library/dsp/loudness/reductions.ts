import { dbToGain, gainToDb } from '../../core/levels.ts';
import { createLimiter, type Limiter } from '../../kernels/limiter.ts';
import type { Analyser, Stage } from '../../pcm/stage.ts';
import { ride } from '../gain/ride-gain.ts';

/** Finer than the limiter's fall within 5 ms. */
const hopSeconds = 0.002;
/** Softer samples than this do not tell the gain that they were given. */
const least = 1e-3;
/** What an encoder's own delay may be off in formats that do not store it. */
const besideSeconds = 0.006;
const hopsBeside = Math.round(besideSeconds / hopSeconds);
/** A second, about. */
const hopsPerPart = 512;

/** Where a sound gets softer: by part of 512 hops, of each hop, dB, 0 or less. Other parts, which are most, stay. */
export type Dips = ReadonlyMap<number, Float32Array>;

function lower(parts: Map<number, Float32Array>, hop: number, gainDb: number): void {
  const part = Math.floor(hop / hopsPerPart);
  let own = parts.get(part);
  if (own === undefined) parts.set(part, (own = new Float32Array(hopsPerPart)));
  own[hop % hopsPerPart] = Math.min(own[hop % hopsPerPart] as number, gainDb);
}

/** With what is beside each hop as soft as it. */
function widened(dips: Dips): Dips {
  const wide = new Map<number, Float32Array>();
  for (const [part, own] of dips)
    for (const [at, gainDb] of own.entries()) {
      if (gainDb === 0) continue;
      const hop = part * hopsPerPart + at;
      for (let near = Math.max(0, hop - hopsBeside); near <= hop + hopsBeside; near += 1) lower(wide, near, gainDb);
    }
  return wide;
}

/** Both, one after the other. */
export const addDips = (a: Dips, b: Dips): Dips =>
  new Map(
    [...new Set([...a.keys(), ...b.keys()])].map((part) => {
      const [one, other] = [a.get(part), b.get(part)];
      return [part, Float32Array.from({ length: hopsPerPart }, (_, hop) => (one?.[hop] ?? 0) + (other?.[hop] ?? 0))];
    }),
  );

/** Dips nearer to each other than this are one stretch, seconds. */
const apartSeconds = 0.1;

/** From where to where a sound gets softer, seconds. */
export function softened(dips: Dips): (readonly [startSeconds: number, endSeconds: number])[] {
  const found: (readonly [number, number])[] = [];
  for (const part of [...dips.keys()].toSorted((a, b) => a - b))
    for (const [at, gainDb] of (dips.get(part) as Float32Array).entries()) {
      if (gainDb === 0) continue;
      const start = (part * hopsPerPart + at) * hopSeconds;
      const [from, until] = found.at(-1) ?? [start, Number.NEGATIVE_INFINITY];
      if (start - until > apartSeconds) found.push([start, start + hopSeconds]);
      else found[found.length - 1] = [from, start + hopSeconds];
    }
  return found;
}

/** Only the stretches that get softer by more than this somewhere, dB. */
export function deeperThan(dips: Dips, leastDb: number): Dips {
  const kept = new Map<number, Float32Array>();
  const gainAt = (hop: number): number => dips.get(Math.floor(hop / hopsPerPart))?.[hop % hopsPerPart] ?? 0;
  for (const [startSeconds, endSeconds] of softened(dips)) {
    const [from, to] = [startSeconds, endSeconds].map((seconds) => Math.round(seconds / hopSeconds)) as [
      number,
      number,
    ];
    let deepest = 0;
    for (let hop = from; hop < to; hop += 1) deepest = Math.min(deepest, gainAt(hop));
    if (deepest < -leastDb) for (let hop = from; hop < to; hop += 1) lower(kept, hop, gainAt(hop));
  }
  return kept;
}

export const rideDips = (dips: Dips): Stage =>
  ride(hopSeconds, (hop) => dbToGain(dips.get(Math.floor(hop / hopsPerPart))?.[hop % hopsPerPart] ?? 0));

/** What a limiter would take from the sound that passes, which stays as it is. */
export function meterReductions(ceilingDbtp: number): Analyser<Dips> {
  let limiter: Limiter | null = null;
  let latency = 0;
  let framesPerHop = 1;
  /** By channel: what the limiter has taken in and not yet given out. */
  let held: Float32Array[] = [];
  let frame = 0;
  const dips = new Map<number, Float32Array>();
  const take = (planes: readonly Float32Array[], frames: number): void => {
    const limited = planes.map((plane) => plane.slice(0, frames));
    limiter?.process(limited, limited, frames);
    const given = planes.map((plane, channel) => {
      const all = new Float32Array(latency + frames);
      all.set(held[channel] as Float32Array);
      all.set(plane.subarray(0, frames), latency);
      return all;
    });
    for (const [channel, after] of limited.entries()) {
      const before = given[channel] as Float32Array;
      for (let at = Math.max(0, latency - frame); at < frames; at += 1) {
        const [x, y] = [Math.abs(before[at] as number), Math.abs(after[at] as number)];
        if (y >= x || x < least) continue;
        lower(dips, Math.floor((frame + at - latency) / framesPerHop), gainToDb(y / x));
      }
    }
    held = given.map((all) => all.slice(frames));
    frame += frames;
  };
  return {
    latencyFrames: 0,
    open(format) {
      limiter = createLimiter({ sampleRate: format.sampleRate, channels: format.channels, ceilingDbtp });
      latency = limiter.latencyFrames;
      framesPerHop = hopSeconds * format.sampleRate;
      held = Array.from({ length: format.channels }, () => new Float32Array(latency));
      return format;
    },
    process(block, emit) {
      take(block.planes, block.frames);
      emit(block);
    },
    flush() {
      take(
        held.map(() => new Float32Array(latency)),
        latency,
      );
    },
    close() {
      limiter = null;
    },
    result: () => widened(dips),
  };
}
