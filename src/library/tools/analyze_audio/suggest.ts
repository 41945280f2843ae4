import { targetLufsOf } from '../../contract/loudness-target.ts';
import type { ClippingReading } from '../../dsp/repair/clipping.ts';
import { lostInMixDb, oppositeCorrelation } from '../../pcm/opposite-channels.ts';

/** A tool that a recording needs, why, and what it would change. */
export interface Suggestion {
  readonly tool: 'adjust_loudness' | 'convert_audio' | 'enhance_voice' | 'remove_noise' | 'remove_silence';
  readonly reason: 'opposite_channels' | 'clipping' | 'missing_highs' | 'noise' | 'silence' | 'peaks' | 'loudness';
  /** The measured value, in `unit`: dB, LUFS, dBTP, Hz, seconds or percent (0 to 100). */
  readonly measured: number;
  /** Unit of `measured`; dB: noise, or the mix of opposite channels, below the sound, percent: share of all samples. */
  readonly unit: '%' | 'Hz' | 'dB' | 's' | 'dBTP' | 'LUFS';
  /** A sentence: what the tool would change. */
  readonly change: string;
  /** Does it apply to speech only? Music is not detected here. */
  readonly forSpeech: boolean;
}

export interface Judged {
  readonly integratedLufs: number | null;
  readonly truePeakDbtp: number | null;
  readonly rmsDbfs: number | null;
  readonly noiseFloorDbfs: number | null;
  readonly bandwidthHz: number | null;
  readonly silentSeconds: number;
  readonly durationSeconds: number;
  readonly clipping: ClippingReading;
  /** -1 to 1; null unless there are two channels. */
  readonly stereoCorrelation: number | null;
  /** RMS of each channel, full scale 1. */
  readonly channelRms: readonly number[];
}

/** The noise of pauses is heard when it lies less than this under the sound, dB. */
const heardNoiseDb = 40;
/** With less than this there are no pauses in which noise could be measured, dB. */
const leastPauseDb = 12;
/** A voice whose highs end below this is dull, Hz. */
const dullHz = 9500;
/** Silence worth cutting: a share of the whole, and seconds. */
const leastSilentShare = 0.1;
const leastSilentSeconds = 5;
/** Digital silence is infinitely far below; dB. */
const mostLostDb = 100;
/** As podcasts are judged: LU from the target, dBTP. */
const toleratedLu = 1;
const mostPeakDbtp = -1;

const one = (value: number): number => Math.round(10 * value) / 10;

/** By how much the mean of two opposite channels lies under the louder one, dB; null where they are not opposite. */
function lostInMonoDb({ stereoCorrelation, channelRms: [left = 0, right = 0] }: Judged): number | null {
  if (stereoCorrelation === null || !(stereoCorrelation < oppositeCorrelation)) return null;
  const mean = (left * left + right * right + 2 * stereoCorrelation * left * right) / 4;
  const underDb = 10 * Math.log10(Math.max(left, right) ** 2 / Math.max(mean, 1e-20));
  return underDb >= lostInMixDb ? Math.min(underDb, mostLostDb) : null;
}

function ofPhase(judged: Judged): Suggestion[] {
  const underDb = lostInMonoDb(judged);
  if (underDb === null) return [];
  const measured = one(underDb);
  const change = `Turns one of two opposite channels over (fix_phase): in mono they cancel, ${measured} dB under the sound`;
  return [{ tool: 'convert_audio', reason: 'opposite_channels', measured, unit: 'dB', change, forSpeech: false }];
}

function ofDamage({ clipping, bandwidthHz }: Judged): Suggestion[] {
  const out: Suggestion[] = [];
  if (clipping.channels.some((levels) => levels !== null)) {
    const percent = Math.round(1e4 * clipping.share) / 100;
    const change = `Restores the clipped samples, ${percent} % of all`;
    out.push({ tool: 'enhance_voice', reason: 'clipping', measured: percent, unit: '%', change, forSpeech: false });
  }
  if (bandwidthHz !== null && bandwidthHz < dullHz) {
    const measured = Math.round(bandwidthHz);
    const change = `Restores a voice's highs above ${measured} Hz`;
    out.push({ tool: 'enhance_voice', reason: 'missing_highs', measured, unit: 'Hz', change, forSpeech: true });
  }
  return out;
}

/**
 * The tools that a recording needs by its measurements, in the order in which to use them; empty when none. Whether it
 * holds speech is not known here: suggestions for speech only are marked.
 */
export function suggestTools(judged: Judged): Suggestion[] {
  const { integratedLufs, truePeakDbtp, rmsDbfs, noiseFloorDbfs, silentSeconds, durationSeconds } = judged;
  if (integratedLufs === null) return [];
  const out = [...ofPhase(judged), ...ofDamage(judged)];
  const underSound = (rmsDbfs ?? 0) - (noiseFloorDbfs ?? Number.NEGATIVE_INFINITY);
  if (underSound >= leastPauseDb && underSound < heardNoiseDb) {
    const measured = one(underSound);
    const change = `Turns the noise down, which lies ${measured} dB under the sound in pauses`;
    out.push({ tool: 'remove_noise', reason: 'noise', measured, unit: 'dB', change, forSpeech: true });
  }
  if (silentSeconds >= leastSilentSeconds && silentSeconds >= leastSilentShare * durationSeconds) {
    const measured = one(silentSeconds);
    const change = `Shortens pauses: ${measured} of ${one(durationSeconds)} s are silent`;
    out.push({ tool: 'remove_silence', reason: 'silence', measured, unit: 's', change, forSpeech: true });
  }
  const targetLufs = targetLufsOf({ target: 'podcast' });
  const gainDb = one(targetLufs - integratedLufs);
  const forSpeech = false;
  if (Math.abs(gainDb) > toleratedLu) {
    const change = `Changes the level by ${gainDb > 0 ? '+' : ''}${gainDb} dB, to ${targetLufs} LUFS`;
    out.push({
      tool: 'adjust_loudness',
      reason: 'loudness',
      measured: one(integratedLufs),
      unit: 'LUFS',
      change,
      forSpeech,
    });
  } else if ((truePeakDbtp ?? mostPeakDbtp) > mostPeakDbtp) {
    const measured = one(truePeakDbtp ?? 0);
    const change = `Limits true peaks of ${measured} dBTP to ${mostPeakDbtp} dBTP`;
    out.push({ tool: 'adjust_loudness', reason: 'peaks', measured, unit: 'dBTP', change, forSpeech });
  }
  return out;
}
