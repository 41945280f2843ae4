// The loudness of the tracks relative to each other: voices matched, music far enough below them.
import { duckDepthDb, duckUnder } from '../../dsp/gain/duck.ts';
import type { GainCurve } from '../../dsp/gain/gain-curve.ts';
import { rideGainIsFlat } from '../../dsp/gain/ride-gain.ts';
import type { HopRun } from '../../dsp/series/sliding.ts';
import { integratedOfHops } from '../../dsp/voicing/hop-loudness.ts';
import { levelHopSeconds, loudnessOf } from '../../dsp/voicing/speech-levels.ts';
import { type MixAnalysis, musicHopSeconds, type TrackReading } from './analyse.ts';
import type { MixedTrack } from './options.ts';

/** Least distance of ducked music below the voices, LU: 10 plus a margin for the ramp at the first word. */
const musicUnderVoiceLu = 11;
/** Shorter phrases say little about the loudness of a voice, seconds. */
const phraseSeconds = 1;

/** Gain that brings each voice to the mean loudness of all voices, dB, before its own volume; null without a voice. */
export function matchVoices(tracks: readonly TrackReading[]): (number | null)[] {
  const spoken = tracks.flatMap(({ speechLufs }) => (speechLufs === null ? [] : [speechLufs]));
  const mean = spoken.reduce((sum, lufs) => sum + lufs, 0) / spoken.length;
  return tracks.map(({ speechLufs }) => (speechLufs === null ? null : mean - speechLufs));
}

export interface Ducking {
  readonly curve: GainCurve;
  /** Lowest point of the curve, dB below the music's own volume. */
  readonly deepestDb: number;
  /** Least distance of the ducked music from the voices over all phrases, LU. */
  readonly musicUnderVoiceLu: number;
}

/**
 * Loudness of a phrase in hops of `levelHopSeconds`, as a meter measures it; for short ones the mean. -Infinity:
 * silence.
 */
function loudnessWithin(energy: Float32Array, hopSeconds: number, { start, end }: HopRun): number {
  const scale = levelHopSeconds / hopSeconds;
  const part = energy.subarray(Math.floor(start * scale), Math.ceil(end * scale));
  const mean = part.reduce((sum, each) => sum + each, 0) / Math.max(1, part.length);
  return integratedOfHops(part, hopSeconds, null) ?? loudnessOf(mean);
}

/**
 * The gain curve of the music: in every phrase at least 10 LU below the voices playing there, and at least 12 dB down.
 * null without phrases.
 * @param settings with the gains that the mix will use
 */
export function duckMusic(
  { tracks, music, frames, format }: MixAnalysis,
  settings: readonly MixedTrack[],
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
  // A single soft word is taken to be as loud as the voices usually are.
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
