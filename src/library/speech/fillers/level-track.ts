// The level of a stretch of the recording over time, and its silences: cuts are placed by them.
import { speechRate, type SpeechSound } from '../speech-sound.ts';

/** One value per hop. */
export const hopSeconds = 0.0025;
/** The room and the voice are measured this far around. */
export const contextSeconds = 4;
/** Long enough to bridge the pulses of a low voice. */
const windowSeconds = 0.015;
const hop = hopSeconds * speechRate;
/** Below the lowest voices: hum and rumble would hide every pause. */
const rumbleHz = 80;

export interface LevelTrack {
  /** dBFS, one per `hopSeconds` from `fromSeconds` on, each centred at its moment. */
  readonly levels: Float32Array;
  readonly fromSeconds: number;
  /** Below this there is only the room. */
  readonly silenceDbfs: number;
  /** Index of a moment, within the track. */
  indexOf(seconds: number): number;
  secondsOf(index: number): number;
}

/** Variation of room tone around its mean. */
const aboveRoomDb = 6;
/** If the room is far below the voice, levels this close to it are not voice. */
const shareOfRange = 0.2;

/**
 * @param highestHz frequencies above are ignored: voices are strongest below 1500 Hz and rise above broadband noise
 *   there. Default: all count
 */
export function levelTrack(
  sound: SpeechSound,
  fromSeconds: number,
  toSeconds: number,
  highestHz: number | null = null,
): LevelTrack {
  const from = Math.max(0, Math.floor(fromSeconds * speechRate));
  const to = Math.min(sound.frames, Math.ceil(toSeconds * speechRate));
  const reach = Math.round((windowSeconds * speechRate) / 2);
  const heard = highPassed(sound.read(from - reach, Math.max(0, to - from) + 2 * reach));
  const samples = highestHz === null ? heard : lowPassed(heard, highestHz);
  const count = Math.max(1, Math.floor(Math.max(0, to - from) / hop) + 1);
  const levels = new Float32Array(count);
  let sum = 0;
  let begin = 0;
  let end = 0;
  for (let index = 0; index < count; index++) {
    const left = index * hop;
    const right = Math.min(samples.length, left + 2 * reach);
    for (; end < right; end++) sum += samples[end]! ** 2;
    for (; begin < left; begin++) sum -= samples[begin]! ** 2;
    levels[index] = 10 * Math.log10(Math.max(1e-12, sum / Math.max(1, right - left)));
  }
  const sorted = levels.slice().sort();
  const room = sorted[Math.floor(0.1 * (count - 1))]!;
  const voice = sorted[Math.floor(0.9 * (count - 1))]!;
  return {
    levels,
    fromSeconds: from / speechRate,
    silenceDbfs: room + Math.max(aboveRoomDb, shareOfRange * (voice - room)),
    indexOf: (seconds) => Math.min(count - 1, Math.max(0, Math.round((seconds - from / speechRate) / hopSeconds))),
    secondsOf: (index) => from / speechRate + index * hopSeconds,
  };
}

/** One pole in each direction, in double precision, without phase shift. */
function highPassed(samples: Float32Array): Float64Array {
  const pole = Math.exp((-2 * Math.PI * rumbleHz) / speechRate);
  const out = new Float64Array(samples.length);
  let low = samples[0] ?? 0;
  for (let at = 0; at < samples.length; at++) {
    low = pole * low + (1 - pole) * samples[at]!;
    out[at] = samples[at]! - low;
  }
  return out;
}

/** One pole forwards and backwards, without delay; twice, to remove noise above. */
function lowPassed(samples: Float64Array, highestHz: number): Float64Array {
  const pole = Math.exp((-2 * Math.PI * highestHz) / speechRate);
  const out = samples.slice();
  for (let pass = 0; pass < 2; pass++) {
    for (let at = 1; at < out.length; at++) out[at] = pole * out[at - 1]! + (1 - pole) * out[at]!;
    for (let at = out.length - 2; at >= 0; at--) out[at] = pole * out[at + 1]! + (1 - pole) * out[at]!;
  }
  return out;
}
