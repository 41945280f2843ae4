// How loud the tracks stand beside each other: voices matched, music far enough under them.
import { duckDepthDb, duckUnder } from '../../dsp/gain/duck.ts';
import type { GainCurve } from '../../dsp/gain/gain-curve.ts';
import { rideGainIsFlat } from '../../dsp/gain/ride-gain.ts';
import type { HopRun } from '../../dsp/series/sliding.ts';
import { integratedOfHops } from '../../dsp/voicing/hop-loudness.ts';
import { levelHopSeconds, loudnessOf } from '../../dsp/voicing/speech-levels.ts';
import { type MixAnalysis, musicHopSeconds, type TrackReading } from './analyse.ts';
import type { TrackSetting } from './options.ts';

/** Ducked music lies at least so far under the voices, LU: 10 and something for the ramp at the first word. */
const musicUnderVoiceLu = 11;
/** What is shorter than this says little about how loud a voice is, seconds. */
const phraseSeconds = 1;

/**
 * Gain that brings each voice to the mean loudness of all voices, dB, before its own volume; null for what is no voice
 * or says nothing.
 */
export function matchVoices(tracks: readonly TrackReading[]): (number | null)[] {
  const spoken = tracks.flatMap(({ speechLufs }) => (speechLufs === null ? [] : [speechLufs]));
  const mean = spoken.reduce((sum, lufs) => sum + lufs, 0) / spoken.length;
  return tracks.map(({ speechLufs }) => (speechLufs === null ? null : mean - speechLufs));
}

export interface Ducking {
  readonly curve: GainCurve;
  /** Deepest place of the curve, dB under the music's own volume. */
  readonly deepestDb: number;
  /** Least distance of the ducked music from the voices over all phrases, LU. */
  readonly musicUnderVoiceLu: number;
}

/**
 * Loudness of a phrase, in hops of `levelHopSeconds`, as a meter reads it; of one too short for a meter, its mean.
 * -Infinity for silence.
 */
function loudnessWithin(energy: Float32Array, hopSeconds: number, { start, end }: HopRun): number {
  const scale = levelHopSeconds / hopSeconds;
  const part = energy.subarray(Math.floor(start * scale), Math.ceil(end * scale));
  const mean = part.reduce((sum, each) => sum + each, 0) / Math.max(1, part.length);
  return integratedOfHops(part, hopSeconds, null) ?? loudnessOf(mean);
}

/**
 * The curve that music goes through: at every phrase deep enough to lie 10 LU under the voices as they sound together
 * there, and never less than 12 dB. null when there is no phrase.
 * @param settings with the gains that the mix will use
 */
export function duckMusic(
  { tracks, music, frames, format }: MixAnalysis,
  settings: readonly TrackSetting[],
): Ducking | null {
  const hops = Math.ceil(frames / format.sampleRate / levelHopSeconds) + 1;
  const together = new Float32Array(hops);
  for (const [index, { energy }] of tracks.entries()) {
    if (energy === null) continue;
    const gain = 10 ** ((settings[index]?.volume_db ?? 0) / 10);
    for (let hop = 0; hop < energy.length; hop += 1)
      together[hop] = (together[hop] as number) + gain * (energy[hop] as number);
  }
  const voices = tracks.flatMap(({ phrases }) => (phrases ? [phrases] : []));
  // A word alone is taken to be as loud as the voices usually are, where it is softer.
  const usual = integratedOfHops(together, levelHopSeconds, null) ?? Number.NEGATIVE_INFINITY;
  let [deepestDb, leastLu] = [0, Number.POSITIVE_INFINITY];
  const depthOf = (phrase: HopRun): number => {
    const own = loudnessWithin(together, levelHopSeconds, phrase);
    const short = (phrase.end - phrase.start) * levelHopSeconds < phraseSeconds;
    const voice = short ? Math.max(own, usual) : own;
    const above = music === null ? Number.NEGATIVE_INFINITY : loudnessWithin(music, musicHopSeconds, phrase) - voice;
    const depthDb = Math.max(duckDepthDb, above + musicUnderVoiceLu);
    deepestDb = Math.max(deepestDb, depthDb);
    leastLu = Math.min(leastLu, depthDb - above);
    return depthDb;
  };
  const curve = duckUnder(voices, hops, levelHopSeconds, depthOf);
  return rideGainIsFlat(curve) ? null : { curve, deepestDb, musicUnderVoiceLu: leastLu };
}
