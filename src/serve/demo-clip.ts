/**
 * A recording for the demo where no sample files are at hand: syllables with the formants of vowels, pauses between
 * phrases, and pink noise under it all. The same bytes every time. Twelve seconds, 48 kHz, mono, 16 bits.
 */
const sampleRate = 48_000;
const durationSeconds = 12;
const noiseGain = 0.004;
const voiceGain = 0.35;

/** First three formants in Hz with bandwidths (Peterson and Barney 1952, men): a, e, i, o, u. */
const vowels: readonly (readonly [formantHz: number, bandwidthHz: number])[][] = [
  [
    [730, 90],
    [1090, 110],
    [2440, 170],
  ],
  [
    [530, 60],
    [1840, 100],
    [2480, 170],
  ],
  [
    [270, 60],
    [2290, 100],
    [3010, 170],
  ],
  [
    [570, 70],
    [840, 80],
    [2410, 170],
  ],
  [
    [300, 60],
    [870, 80],
    [2240, 170],
  ],
];

/** Park and Miller's generator: small, and the same on every machine. Answers 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Paul Kellet's filter: white noise to pink, within 0.05 dB above 9 Hz. */
function createPinkNoise(random: () => number): () => number {
  const poles = [0.998_86, 0.993_32, 0.969, 0.866_5, 0.55, -0.761_6];
  const gains = [0.055_517_9, 0.075_075_9, 0.153_852, 0.310_485_6, 0.532_952_2, -0.016_898];
  const states = poles.map(() => 0);
  let delayed = 0;
  return () => {
    const white = random() * 2 - 1;
    let sum = delayed + white * 0.536_2;
    for (let pole = 0; pole < poles.length; pole++) {
      const next = (poles[pole] as number) * (states[pole] as number) + white * (gains[pole] as number);
      states[pole] = next;
      sum += next;
    }
    delayed = white * 0.115_926;
    return sum * 0.11;
  };
}

/** A two-pole resonator with unity gain at 0 Hz (Klatt 1980). */
function createResonator(centreHz: number, bandwidthHz: number): (input: number) => number {
  const radius = Math.exp((-Math.PI * bandwidthHz) / sampleRate);
  const b = 2 * radius * Math.cos((2 * Math.PI * centreHz) / sampleRate);
  const c = -radius * radius;
  const a = 1 - b - c;
  let first = 0;
  let second = 0;
  return (input) => {
    const output = a * input + b * first + c * second;
    second = first;
    first = output;
    return output;
  };
}

/** Adds one syllable: pulses of the glottis through three resonators, fading in and out, the pitch falling a little. */
function addSyllable(samples: Float32Array, startFrame: number, frames: number, pitchHz: number, vowel: number): void {
  const resonators = (vowels[vowel % vowels.length] as (typeof vowels)[number]).map(([centre, bandwidth]) =>
    createResonator(centre, bandwidth),
  );
  const tilt = createResonator(0, 300);
  let phase = 0;
  for (let frame = 0; frame < frames && startFrame + frame < samples.length; frame++) {
    const position = frame / frames;
    phase += (pitchHz * (1 - 0.15 * position)) / sampleRate;
    let value = 0;
    if (phase >= 1) {
      phase -= 1;
      value = 60;
    }
    value = tilt(value);
    for (const resonate of resonators) value = resonate(value);
    samples[startFrame + frame] = (samples[startFrame + frame] as number) + value * Math.sin(Math.PI * position) ** 0.6;
  }
}

/** The clip as the bytes of a WAV file. */
export function makeDemoClip(): Buffer {
  const random = createRandom(20_240_501);
  const voice = new Float32Array(sampleRate * durationSeconds);
  let seconds = 0.5;
  while (seconds < durationSeconds - 1.2) {
    const syllables = 4 + Math.floor(random() * 5);
    for (let syllable = 0; syllable < syllables && seconds < durationSeconds - 0.8; syllable++) {
      const length = 0.13 + 0.12 * random();
      addSyllable(
        voice,
        Math.round(seconds * sampleRate),
        Math.round(length * sampleRate),
        105 + 25 * random() - 3 * syllable,
        Math.floor(random() * 5),
      );
      seconds += length + 0.03 * random();
    }
    // A breath between phrases, long enough to count as silence.
    seconds += 0.6 + 0.5 * random();
  }
  const loudest = voice.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  const pink = createPinkNoise(random);
  return encodeWav(voice.map((sample) => (sample / loudest) * voiceGain + pink() * noiseGain));
}

function encodeWav(samples: Float32Array): Buffer {
  const dataBytes = samples.length * 2;
  const file = Buffer.alloc(44 + dataBytes);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + dataBytes, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(dataBytes, 40);
  for (const [index, sample] of samples.entries())
    file.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), 44 + index * 2);
  return file;
}
