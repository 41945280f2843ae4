// How others' voices reach a microphone: at once, and for as long as the room rings on. In rooms that ring on for half
// a second and more, what is left of one voice when it pauses looks like another one's words, if only levels are
// compared.
import type { BleedLevels } from './bleed.ts';

/** Reverberation times that are tried, seconds. */
const roomSeconds = [0.15, 0.3, 0.5, 0.7, 1, 1.4];
/** Hops that are looked at, of recordings of any length: in blocks spread over it, in each of which rooms ring on. */
const mostHops = 10_000;
const blockHops = 1000;
/** Microphones' own noise: the level that so many of its hops are below. */
const floorShare = 0.05;
/** What is further over the expected bleed is the own voice, and says nothing of the others' paths, dB. */
const ownOverDb = 6;
/** Each time with the bleed that was found before; steps of each. */
const rounds = 3;
const steps = 25;

/** Energy of the others' voices on a track: by track, of what is heard there at once, and of what rings on. */
export interface BleedPaths {
  /** Energy of the microphone's own noise. */
  readonly floor: number;
  readonly roomSeconds: number;
  readonly paths: readonly { readonly from: number; readonly direct: number; readonly late: number }[];
}

/** What rings on of a voice: a share of it in each hop, falling by 60 dB in the reverberation time. */
function* ringing(energy: Float32Array, seconds: number, hopSeconds: number): Generator<number> {
  const share = 10 ** ((-6 * hopSeconds) / seconds);
  let left = 0;
  for (const value of energy) {
    yield left;
    left = share * (left + value);
  }
}

/** The energy of the others' voices on a track, hop by hop, with the microphone's noise. */
export function bleedOn(
  { floor, roomSeconds: seconds, paths }: BleedPaths,
  energies: readonly Float32Array[],
  hops: number,
  hopSeconds: number,
): Float32Array {
  const out = new Float32Array(hops).fill(floor);
  for (const { from, direct, late } of paths) {
    const energy = energies[from] as Float32Array;
    let hop = 0;
    for (const left of ringing(energy.subarray(0, hops), seconds, hopSeconds)) {
      out[hop]! += direct * (energy[hop] as number) + late * left;
      hop += 1;
    }
  }
  return out;
}

/** Evenly spread blocks of a long recording. */
function blocksOf(hops: number): { start: number; end: number }[] {
  if (hops <= mostHops) return [{ start: 0, end: hops }];
  const count = mostHops / blockHops;
  return Array.from({ length: count }, (_, index) => {
    const start = Math.floor(((hops - blockHops) * index) / (count - 1));
    return { start, end: start + blockHops };
  });
}

/** Parts of tracks, one after the other. */
const gathered = (energies: readonly Float32Array[], blocks: ReturnType<typeof blocksOf>): Float32Array[] =>
  energies.map((energy) => {
    const out = new Float32Array(blocks.reduce((sum, { start, end }) => sum + end - start, 0));
    let at = 0;
    for (const { start, end } of blocks) {
      out.set(energy.subarray(start, end), at);
      at += end - start;
    }
    return out;
  });

/**
 * Shares of `parts` that explain a track best, and how well. Method: least Itakura-Saito divergence, which compares
 * energies as decibels do, by multiplicative steps (Fevotte, Bertin and Durrieu 2009); no share is below 0.
 */
function sharesOf(
  heard: Float32Array,
  parts: readonly Float32Array[],
  floor: number,
): { readonly shares: Float64Array; readonly cost: number } {
  const sum = (values: Float32Array): number => values.reduce((total, value) => total + value, 0);
  const all = sum(heard) / parts.length;
  const shares = Float64Array.from(parts, (part) => all / (sum(part) + 1e-12));
  let cost = 0;
  for (let step = 0; step < steps; step += 1) {
    const more = new Float64Array(parts.length);
    const less = new Float64Array(parts.length);
    cost = 0;
    for (let hop = 0; hop < heard.length; hop += 1) {
      let told = floor + 1e-12;
      for (let index = 0; index < parts.length; index += 1)
        told += (shares[index] as number) * ((parts[index] as Float32Array)[hop] as number);
      const ratio = ((heard[hop] as number) + 1e-12) / told;
      cost += ratio - Math.log(ratio) - 1;
      for (let index = 0; index < parts.length; index += 1) {
        const share = ((parts[index] as Float32Array)[hop] as number) / told;
        more[index]! += ratio * share;
        less[index]! += share;
      }
    }
    for (let index = 0; index < parts.length; index += 1)
      shares[index]! *= (less[index] as number) > 0 ? Math.sqrt((more[index] as number) / (less[index] as number)) : 0;
  }
  return { shares, cost };
}

/**
 * Measures how the others' voices reach each microphone: the share that is heard at once, the share that rings on, and
 * for how long, from the hops in which the own voice does not speak. The reverberation time is the one that explains
 * most.
 * @param energies of each track, by hop
 * @param active 1 where anything is spoken, by hop
 * @param bleed how loud each voice is on each track, as a start
 */
export function measurePaths(
  energies: readonly Float32Array[],
  active: Uint8Array,
  bleed: BleedLevels,
  hopSeconds: number,
): BleedPaths[] {
  const padded = energies.map((energy) => {
    if (energy.length === active.length) return energy;
    const whole = new Float32Array(active.length);
    whole.set(energy);
    return whole;
  });
  const blocks = blocksOf(active.length);
  const heard = gathered(padded, blocks);
  const spoken = Uint8Array.from(blocks.flatMap(({ start, end }) => Array.from(active.subarray(start, end))));
  const rings = roomSeconds.map((seconds) =>
    heard.map((energy) => Float32Array.from(ringing(energy, seconds, hopSeconds))),
  );
  return heard.map((own, track) => {
    const floor = own.toSorted()[Math.floor(floorShare * own.length)] ?? 0;
    const others = bleed.flatMap((levels, from) => (levels === null || from === track ? [] : [from]));
    let found: BleedPaths = {
      floor,
      roomSeconds: roomSeconds[0] as number,
      paths: others.map((from) => ({ from, direct: 10 ** ((bleed[from]?.[track] ?? -100) / 10), late: 0 })),
    };
    if (others.length === 0) return found;
    for (let round = 0; round < rounds; round += 1) {
      const told = bleedOn(found, heard, own.length, hopSeconds);
      const isOthers = (hop: number): boolean =>
        spoken[hop] === 1 &&
        (own[hop] as number) > 2 * floor &&
        (own[hop] as number) < 10 ** (ownOverDb / 10) * ((told[hop] as number) + floor);
      const hops = Uint32Array.from(Array.from(own.keys()).filter(isOthers));
      const at = (energy: Float32Array): Float32Array => Float32Array.from(hops, (hop) => energy[hop] as number);
      let least = Number.POSITIVE_INFINITY;
      for (const [index, seconds] of roomSeconds.entries()) {
        const ring = rings[index] as Float32Array[];
        const parts = others.flatMap((from) => [at(heard[from] as Float32Array), at(ring[from] as Float32Array)]);
        const { shares, cost } = sharesOf(at(own), parts, floor);
        if (cost >= least) continue;
        least = cost;
        found = {
          floor,
          roomSeconds: seconds,
          paths: others.map((from, place) => ({
            from,
            direct: shares[2 * place] as number,
            late: shares[2 * place + 1] as number,
          })),
        };
      }
    }
    return found;
  });
}
