import { dbToGain } from '../../core/levels.ts';
import type { Warning } from '../../core/progress/progress.ts';
import { phrasesOf } from '../../dsp/gain/duck.ts';
import { type LoudnessReading, meterLoudness } from '../../dsp/loudness/loudness-meter.ts';
import type { HopRun } from '../../dsp/series/sliding.ts';
import { findSpeech } from '../../dsp/voicing/speech-activity.ts';
import { integratedOfHops } from '../../dsp/voicing/hop-loudness.ts';
import { meterSpeechLevels, type SpeechLevels } from '../../dsp/voicing/speech-levels.ts';
import { discard, drive, type PassOptions } from '../../media/read/drive.ts';
import type { MediaFacts } from '../../media/facts.ts';
import { commonFormatOf } from '../../media/read/lockstep.ts';
import { mixInto } from '../../kernels/ops.ts';
import type { AudioFormat } from '../../pcm/block.ts';
import type { Analyser } from '../../pcm/stage.ts';
import { openMix } from './mixer.ts';
import type { MixedTrack } from './options.ts';

export interface TrackReading {
  readonly facts: MediaFacts;
  /** Of the track alone, before its volume; a mono track as mono. null for silence. */
  readonly integratedLufs: number | null;
  readonly durationSeconds: number;
  /** Phrases on a voice track, in hops of `levelHopSeconds`; null for others, and when not requested. */
  readonly phrases: readonly HopRun[] | null;
  /** Loudness of the speech in the mix's format, LUFS; null without speech or when not requested. */
  readonly speechLufs: number | null;
  /** K-weighted mean square of a voice track's hops, before its volume; null for others, and when not requested. */
  readonly energy: Float32Array | null;
}

export interface MixAnalysis {
  /** The format of the mix. */
  readonly format: AudioFormat;
  readonly frames: number;
  readonly tracks: readonly TrackReading[];
  /** K-weighted mean square of the sum of all music, with volumes, every `musicHopSeconds`; null when not requested. */
  readonly music: Float32Array | null;
  /** Of the sum with volumes, without matching and ducking. */
  readonly sum: LoudnessReading;
  readonly warnings: readonly Warning[];
}

/** Music is measured in the steps of a loudness meter: 1.4 MB for ten hours. */
export const musicHopSeconds = 0.1;

/** Voices softer than this are raised to the level of a usual one for speech detection, LUFS. */
const softVoiceLufs = -35;
const usualVoiceLufs = -20;

type Voice = Pick<TrackReading, 'phrases' | 'speechLufs' | 'energy'>;

/** Phrases on a voice track, and their loudness. */
function heardOn(levels: SpeechLevels, integratedLufs: number | null): Voice {
  const { energy } = levels;
  const lift = integratedLufs === null || integratedLufs > softVoiceLufs ? 0 : usualVoiceLufs - integratedLufs;
  const scale = (db: number): void => {
    const gain = 10 ** (db / 10);
    if (db !== 0) for (let hop = 0; hop < energy.length; hop += 1) energy[hop] = gain * (energy[hop] as number);
  };
  scale(lift);
  const activity = findSpeech(levels);
  const phrases = phrasesOf(activity);
  scale(-lift);
  // Keep only phrases in the mask, which is not needed otherwise any more.
  const { speech } = activity;
  let at = 0;
  for (const { start, end } of phrases) {
    speech.fill(0, at, start);
    at = end;
  }
  speech.fill(0, at);
  return { phrases, speechLufs: integratedOfHops(energy, levels.hopSeconds, null, speech), energy };
}

export interface Listening {
  /** Analyse speech on voice tracks? */
  readonly voices: boolean;
  /** Analyse the level of music over time? */
  readonly music: boolean;
}

/**
 * Reads all tracks once, in parallel: each one's loudness, the speech on voice tracks, the levels of the music, and the
 * loudness of the sum.
 */
export async function analyseTracks(
  files: readonly MediaFacts[],
  settings: readonly MixedTrack[],
  listen: Listening,
  options: PassOptions,
): Promise<MixAnalysis> {
  const format = commonFormatOf(files);
  const meters = files.map((_, index) => ({
    loudness: meterLoudness(),
    speech: listen.voices && settings[index]?.role === 'voice' ? meterSpeechLevels({ peaks: false }) : null,
    frames: 0,
  }));
  const sum = meterLoudness();
  const music = listen.music ? meterSpeechLevels({ peaks: false, tones: false, hopSeconds: musicHopSeconds }) : null;
  const own: Analyser<unknown>[] = meters.flatMap(({ loudness, speech }) => (speech ? [loudness, speech] : [loudness]));
  if (music) own.push(music);
  const bed = Array.from({ length: music ? format.channels : 0 }, () => new Float32Array(format.sampleRate));
  for (const meter of own) meter.open(format);
  const mix = openMix({ files, settings, format, duck: null }, (block) => {
    for (const [index, track] of block.tracks.entries()) {
      const meter = meters[index] as (typeof meters)[number];
      meter.frames += track.ownFrames;
      if (track.ownFrames === 0) continue;
      // Without the silence after the track's end, which would only cost time.
      const sound = {
        planes: track.planes.map((plane) => plane.subarray(0, track.ownFrames)),
        frames: track.ownFrames,
      };
      meter.loudness.process(sound, discard);
      meter.speech?.process(sound, discard);
      if (music && settings[index]?.role === 'music')
        mixInto(bed, track.planes, dbToGain(settings[index].volume_db), block.frames);
    }
    music?.process({ planes: bed.map((plane) => plane.subarray(0, block.frames)), frames: block.frames }, discard);
    for (const plane of bed) plane.fill(0);
  });
  try {
    const frames = await drive(mix, [sum], discard, options);
    for (const meter of own) meter.flush(discard);
    return {
      format,
      frames,
      tracks: meters.map(({ loudness, speech, frames: ownFrames }, index) => {
        const fact = files[index] as MediaFacts;
        const read = loudness.result().integratedLufs;
        // A mono track on both sides is 3 LU louder than alone.
        const doubled = fact.audio?.channels === 1 && format.channels === 2 ? 10 * Math.log10(2) : 0;
        return {
          facts: fact,
          integratedLufs: read === null ? null : read - doubled,
          durationSeconds: ownFrames / format.sampleRate,
          ...(speech ? heardOn(speech.result(), read) : { phrases: null, speechLufs: null, energy: null }),
        };
      }),
      music: music?.result().energy ?? null,
      sum: sum.result(),
      warnings: mix.warnings,
    };
  } finally {
    for (const meter of own) meter.close();
    mix.close();
  }
}
