// How far a stretch of sound is above its room, band by band: breath and clicks are softer than the hum of many rooms,
// and stand out only in some bands.
import { createStft } from '../../../kernels/stft.ts';
import { speechRate, type SpeechSound } from '../../speech-sound.ts';

/** One value per hop. */
export const hopSeconds = 0.005;
const hop = hopSeconds * speechRate;
/** In samples: 20 ms, one period of the lowest voices. */
const frame = 320;
const hann = Float32Array.from({ length: frame }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / frame));
/** Bark bands up to 7.7 kHz. */
const bandEdgesHz = [
  150, 300, 400, 510, 630, 770, 920, 1080, 1270, 1480, 1720, 2000, 2320, 2700, 3150, 3700, 4400, 5300, 6400, 7700,
];
const bands = bandEdgesHz.length - 1;
const bandFrom = (hz: number): number => bandEdgesHz.findIndex((edge) => edge >= hz);
/** Voices are strongest below; breath and clicks are not. */
const lowTo = bandFrom(700);
const midFrom = bandFrom(1000);
const midTo = bandFrom(5000);

/** This share of the moments around is the room alone. */
const roomShare = 0.15;
/** Room and sound are averaged over so many hops to either side. */
const smoothHops = 2;
/** A room further below the voice than this is as good as silent. */
const deepestRoomDb = 62;

/** Values per `hopSeconds` from `fromSeconds` on, each centred at its moment. */
export interface BandTrack {
  readonly count: number;
  readonly fromSeconds: number;
  /** Mean over the bands of 150 to 770 Hz, 1.1 to 5.3 kHz and above: decibels over the room, 0 where it is the room. */
  readonly low: Float32Array;
  readonly mid: Float32Array;
  readonly high: Float32Array;
  /** dBFS of 150 Hz to 7.7 kHz. */
  readonly levels: Float32Array;
  /** dBFS of the voice around: what one tenth of the moments exceeds. */
  readonly voiceDbfs: number;
  /** Index of a moment, within the track. */
  indexOf(seconds: number): number;
  secondsOf(index: number): number;
}

export function bandTrack(sound: SpeechSound, fromSeconds: number, toSeconds: number): BandTrack {
  const from = Math.max(0, Math.floor(fromSeconds * speechRate));
  const to = Math.min(sound.frames, Math.ceil(toSeconds * speechRate));
  const count = Math.max(1, Math.floor((to - from) / hop));
  const powers = smoothed(bandPowers(sound.read(from - frame / 2, (count - 1) * hop + frame), count), count);
  const levels = Float32Array.from({ length: count }, (_, at) => {
    let sum = 1e-12;
    for (let band = 0; band < bands; band++) sum += powers[at * bands + band]!;
    return 10 * Math.log10(sum);
  });
  const voiceDbfs = levels.toSorted()[Math.floor(0.9 * (count - 1))]!;
  const quietest = 10 ** ((voiceDbfs - deepestRoomDb) / 10) / bands;
  const rooms = Array.from({ length: bands }, (_, band) => {
    const values = Float32Array.from({ length: count }, (__, at) => powers[at * bands + band]!).sort();
    return Math.max(quietest, values[Math.floor(roomShare * (count - 1))]!);
  });
  const meanOver = (first: number, end: number): Float32Array =>
    Float32Array.from({ length: count }, (_, at) => {
      let sum = 0;
      for (let band = first; band < end; band++)
        sum += Math.max(0, 10 * Math.log10((powers[at * bands + band]! + 1e-12) / rooms[band]!));
      return sum / (end - first);
    });
  return {
    count,
    fromSeconds: from / speechRate,
    low: meanOver(0, lowTo),
    mid: meanOver(midFrom, midTo),
    high: meanOver(midTo, bands),
    levels,
    voiceDbfs,
    indexOf: (seconds) => Math.min(count - 1, Math.max(0, Math.round((seconds - from / speechRate) / hopSeconds))),
    secondsOf: (index) => from / speechRate + index * hopSeconds,
  };
}

function bandPowers(samples: Float32Array, count: number): Float32Array {
  const stft = createStft({ window: hann, hop });
  const re = new Float32Array(count * stft.bins);
  const im = new Float32Array(count * stft.bins);
  // A sine's power is what its level says.
  stft.forward(samples, count, Math.sqrt(16 / 3) / frame, re, im);
  const powers = new Float32Array(count * bands);
  const bins = bandEdgesHz.map((edge) => Math.round((edge * frame) / speechRate));
  for (let at = 0; at < count; at++)
    for (let band = 0; band < bands; band++) {
      let power = 0;
      for (let bin = at * stft.bins + bins[band]!; bin < at * stft.bins + bins[band + 1]!; bin++)
        power += re[bin]! ** 2 + im[bin]! ** 2;
      powers[at * bands + band] = power / 2;
    }
  return powers;
}

function smoothed(powers: Float32Array, count: number): Float32Array {
  const out = new Float32Array(powers.length);
  for (let at = 0; at < count; at++) {
    const first = Math.max(0, at - smoothHops);
    const end = Math.min(count, at + smoothHops + 1);
    for (let band = 0; band < bands; band++) {
      let sum = 0;
      for (let near = first; near < end; near++) sum += powers[near * bands + band]!;
      out[at * bands + band] = sum / (end - first);
    }
  }
  return out;
}
