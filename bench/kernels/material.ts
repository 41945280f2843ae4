/** Seeded generator (mulberry32): the same numbers on every machine. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Stereo material with the traits of a pop mix that decide a kernel's speed: pink-like spectrum, decaying notes at a
 * beat, a crest factor of about 14 dB, channels that share most of their sound, a short silence every ten seconds.
 */
export function musicLike(sampleRate: number, seconds: number, seed = 1): Float32Array[] {
  const random = seededRandom(seed);
  const frames = Math.round(sampleRate * seconds);
  const left = new Float32Array(frames);
  const right = new Float32Array(frames);
  const beat = Math.round(sampleRate * 0.46);
  let pink = 0;
  let phaseA = 0;
  let phaseB = 0;
  let frequencyA = 110;
  let frequencyB = 330;
  for (let i = 0; i < frames; i++) {
    const inBeat = i % beat;
    if (inBeat === 0) {
      frequencyA = 55 * 2 ** Math.floor(random() * 3);
      frequencyB = 220 * 2 ** (Math.floor(random() * 25) / 12);
    }
    const t = inBeat / sampleRate;
    phaseA += (2 * Math.PI * frequencyA) / sampleRate;
    phaseB += (2 * Math.PI * frequencyB) / sampleRate;
    const white = random() * 2 - 1;
    pink = 0.97 * pink + 0.03 * white;
    const drum = Math.exp(-t * 30) * (0.35 * Math.sin(2 * Math.PI * 60 * t) + 0.25 * white);
    const middle = drum + 0.16 * Math.exp(-t * 2) * (Math.sin(phaseA) + 0.4 * Math.sin(2 * phaseA)) + 0.8 * pink;
    const side = 0.12 * Math.exp(-t * 3) * (Math.sin(phaseB) + 0.3 * Math.sin(3 * phaseB)) + 0.02 * (random() * 2 - 1);
    const silent = i % (10 * sampleRate) > 9.6 * sampleRate;
    left[i] = silent ? 0 : middle + side;
    right[i] = silent ? 0 : middle - 0.6 * side;
  }
  return [left, right];
}

/** Stretches of one second, as the decoder hands them over. */
export function* inBlocks(planes: readonly Float32Array[], blockFrames: number): Generator<Float32Array[]> {
  const frames = planes[0]?.length ?? 0;
  for (let at = 0; at < frames; at += blockFrames)
    yield planes.map((p) => p.subarray(at, Math.min(frames, at + blockFrames)));
}
